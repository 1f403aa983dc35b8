"""What goes out to the view, in order, however the embedder takes it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from mcp_apps_plugin.protocol.shapes import JsonObject

logger = logging.getLogger(__name__)

FLUSH_SECONDS: Final = 2.0
"""How long `close` waits for an embedder that takes its messages through `send`."""


class Outbox:
    """The way out of one bridge.

    Args:
        limit: How many messages may wait; `put` waits when it is reached.
        send: Takes the messages, one at a time and in order, or `None` when `messages` is read.
            It runs in a task of its own, so it may use the bridge.
    """

    def __init__(self, limit: int, send: Callable[[JsonObject], Awaitable[None]] | None) -> None:
        self._limit = limit
        self._send = send
        self._waiting: deque[JsonObject] = deque()
        self._changed = asyncio.Condition()
        self._closed = False
        self._sender: asyncio.Task[None] | None = None

    async def put(self, message: JsonObject) -> None:
        """Send a message. Once closed, it is dropped."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._closed or self._has_room)
            if self._closed:
                return
            self._waiting.append(message)
            self._changed.notify_all()
        if self._send is not None and self._sender is None:
            self._sender = asyncio.create_task(self._send_all(self._send))

    async def offer(self, message: JsonObject) -> None:
        """Send a message that may be lost: when too many wait already, it is dropped."""
        if self._has_room:
            await self.put(message)

    @property
    def _has_room(self) -> bool:
        return len(self._waiting) < self._limit

    async def messages(self) -> AsyncIterator[JsonObject]:
        """Yield the messages until the outbox is closed and empty."""
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                message = self._waiting.popleft()
                self._changed.notify_all()
            yield message

    async def _send_all(self, send: Callable[[JsonObject], Awaitable[None]]) -> None:
        try:
            async for message in self.messages():
                await send(message)
        except Exception:
            # The way to the view is broken. Whoever embeds the bridge knows it; what runs on the
            # server must not fail or wait for it.
            logger.warning("a message could not be sent to the view", exc_info=True)
            self._waiting.clear()
            await self._shut()

    async def close(self) -> None:
        """Take no more; what waits is still sent, or can still be read."""
        await self._shut()
        sender = self._sender
        if sender is not None and sender is not asyncio.current_task():
            _, late = await asyncio.wait([sender], timeout=FLUSH_SECONDS)
            for task in late:
                task.cancel()

    async def _shut(self) -> None:
        self._closed = True
        async with self._changed:
            self._changed.notify_all()
