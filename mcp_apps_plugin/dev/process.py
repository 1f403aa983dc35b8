"""The server's process: started, watched over, ended, and started anew."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.dev.endpoint import Endpoint
from mcp_apps_plugin.dev.order import KEY_HEADER, PATH
from mcp_apps_plugin.dev.serving import ADDRESS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_apps_plugin.dev.nursery import Child, Starter
    from mcp_apps_plugin.dev.order import Order

END_SECONDS: Final = 3.0
_LAST_WORDS: Final = 60


class ServerFailedError(Exception):
    """The server did not come up, or went; the message is what it last said."""


class ServerProcess:
    """One server, in one process at a time.

    Args:
        starter: Starts processes.
        order: What it is to run.
        on_line: Told of each line the server prints.
        on_gone: Told when the process ended unasked, with its last words.
    """

    def __init__(
        self,
        starter: Starter,
        order: Order,
        *,
        on_line: Callable[[str], None],
        on_gone: Callable[[str], None],
    ) -> None:
        self._starter = starter
        self._order = order
        self._on_line = on_line
        self._on_gone = on_gone
        self._child: Child | None = None
        self._reading: asyncio.Task[None] | None = None
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)

    async def start(self, namespace: str = "") -> Endpoint:
        """Start the process and wait until its server answers.

        Args:
            namespace: Mount the server under this name; empty for not at all.

        Raises:
            ServerFailedError: It ended instead.
        """
        await self.stop()
        self._last_words.clear()
        order = replace(self._order, namespace=namespace)
        child = await self._starter.start(order.to_text())
        self._child = child
        self._reading = asyncio.create_task(self._read(child))
        line = await child.output.readline()
        try:
            port = json.loads(line)["port"]
        except (ValueError, KeyError, TypeError):
            if line:
                self._hear(line)
            self._child = None  # it is gone by itself, and here is who hears of it
            await asyncio.wait([self._reading], timeout=END_SECONDS)
            child.kill()
            raise ServerFailedError(self.last_words) from None
        # What stands in for a server elsewhere hands its headers on by itself.
        headers = {KEY_HEADER: order.secret}
        if not order.is_url:
            headers = {**order.headers, **headers}
        return Endpoint(f"http://{ADDRESS}:{port}{PATH}", headers)

    @property
    def last_words(self) -> str:
        """What the server printed last."""
        return "\n".join(self._last_words) or "The server ended without a word."

    async def stop(self) -> None:
        """End the process: first asked, then made to."""
        child, self._child = self._child, None
        if child is None or self._reading is None:
            return
        child.end()
        _, late = await asyncio.wait([self._reading], timeout=END_SECONDS)
        if late:
            child.kill()
            await asyncio.wait(late, timeout=END_SECONDS)

    async def _read(self, child: Child) -> None:
        while True:
            try:
                line = await child.errors.readline()
            except ValueError:  # longer than anything one reads
                continue
            if not line:
                break
            self._hear(line)
        child.end()
        await child.wait()
        if self._child is child:
            self._child = None
            self._on_gone(self.last_words)

    def _hear(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip("\r\n")
        self._last_words.append(text)
        self._on_line(text)
