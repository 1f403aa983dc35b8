"""The work a bridge does for its view: bounded, cancellable by id, gone with the bridge."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from mcp_apps_plugin.protocol.jsonrpc import RequestId

CANCEL_SECONDS: Final = 5.0
"""How long to wait for a callback of the embedder that ignores its cancellation."""


class InFlight:
    """The tasks of one bridge.

    Args:
        limit: How many may run at once.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._tasks: set[asyncio.Task[None]] = set()
        self._by_id: dict[RequestId, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, None], identifier: RequestId | None = None) -> bool:
        """Start a task.

        Args:
            work: Must not raise; it is closed unrun when there is no room.
            identifier: The request it answers. Two of the same id may run (two instances of a
                view in one document count alike); the later one can be cancelled.

        Returns:
            Whether there was room.
        """
        if len(self._tasks) >= self._limit:
            work.close()
            return False
        task = asyncio.create_task(work)
        self._tasks.add(task)
        if identifier is not None:
            self._by_id[identifier] = task

        def forget(done: asyncio.Task[None]) -> None:
            self._tasks.discard(done)
            if identifier is not None and self._by_id.get(identifier) is done:
                del self._by_id[identifier]

        task.add_done_callback(forget)
        return True

    def cancel(self, identifier: RequestId) -> bool:
        """Cancel the task that answers a request; `False` when there is none."""
        task = self._by_id.get(identifier)
        return task.cancel() if task is not None else False

    async def cancel_all(self) -> None:
        """Cancel everything and wait until it has ended; the caller's own task is left alone."""
        tasks = self._tasks - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CANCEL_SECONDS)
