"""The dev host as a whole: one server, any number of windows."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.dev.apps import sandbox_app, window_app
from mcp_apps_plugin.dev.changed import tell_changed
from mcp_apps_plugin.dev.endpoint import Endpoint
from mcp_apps_plugin.dev.process import ServerFailedError, ServerProcess
from mcp_apps_plugin.dev.serving import listen, origin_of, serving
from mcp_apps_plugin.dev.tab import Tab
from mcp_apps_plugin.dev.views import Sandbox
from mcp_apps_plugin.dev.watch import changes, only_pages

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from starlette.websockets import WebSocket

    from mcp_apps_plugin.dev.nursery import Starter
    from mcp_apps_plugin.dev.order import Order
    from mcp_apps_plugin.protocol.shapes import JsonObject

logger = logging.getLogger(__name__)

PORTS_TO_TRY: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is shown.

    Attributes:
        order: What its process is to run.
        folder: The folder whose changes start the server anew, or `None`.
        starter: Starts the server's process.
    """

    order: Order
    folder: Path | None
    starter: Starter


class DevHost:
    """One server on one machine, in front of its author.

    Args:
        target: The server.
        sandbox: Where its pages are shown.
        on_state: Told how the server is, whenever that changes.

    Attributes:
        sandbox: Where its pages are shown.
        endpoint: Where the server is reached; `None` while it is not up.
    """

    def __init__(
        self, target: Target, sandbox: Sandbox, on_state: Callable[[JsonObject], None]
    ) -> None:
        self.sandbox = sandbox
        self.endpoint: Endpoint | None = None
        self._target = target
        self._process = ServerProcess(
            target.starter, target.order, on_line=self._line, on_gone=self._gone
        )
        self._namespace = ""
        self._state: JsonObject = {"state": "starting"}
        self._on_state = on_state
        self._tabs: set[Tab] = set()
        self._starting = asyncio.Lock()
        self._looking: asyncio.Task[None] | None = None
        self._waiting: asyncio.Task[None] | None = None

    def state(self) -> JsonObject:
        """Say how the server is, as the windows show it."""
        return {
            "type": "server",
            "target": self._target.order.spec,
            "namespace": self._namespace,
            "watching": self._target.folder is not None,
            "restartable": not self._target.order.is_url,
            "sandbox": self.sandbox.origin,
            **self._state,
        }

    def tell(self, message: JsonObject) -> None:
        """Tell every window."""
        for tab in self._tabs:
            tab.say(message)

    async def serve_tab(self, socket: WebSocket) -> None:
        """Serve one window."""
        await socket.accept()
        tab = Tab(self, socket)
        self._tabs.add(tab)
        try:
            await tab.serve()
        finally:
            self._tabs.discard(tab)

    async def restart(self, *, pages_only: bool = False) -> None:
        """Start the server anew, and connect every window again.

        Args:
            pages_only: Told to the windows: nothing that runs has changed.
        """
        await self._stop_looking()
        self._stop_waiting()
        async with self._starting:
            self.endpoint = None
            self._become({"state": "starting", "pagesOnly": pages_only})
            await asyncio.gather(*(tab.disconnect() for tab in self._tabs))
            began = time.perf_counter()
            try:
                self.endpoint = await self._start()
            except ServerFailedError as error:
                self._become({"state": "failed", "detail": str(error)})
                return
            took = round((time.perf_counter() - began) * 1000)
            # Windows hear of it when they are connected.
            self._state = {"state": "up", "startedIn": took, "pagesOnly": pages_only}
            self._on_state(self._state)
            await asyncio.gather(*(tab.connect() for tab in self._tabs))

    def _become(self, state: JsonObject) -> None:
        self._state = state
        self._on_state(state)
        self.tell(self.state())

    async def _start(self) -> Endpoint:
        if self._target.order.is_url and not self._namespace:
            await self._process.stop()
            return self._elsewhere()
        return await self._process.start(self._namespace)

    def look_for_server(self) -> None:
        """Connect as soon as a server that runs elsewhere, and does not answer, is there."""
        if self._target.order.is_url and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look_for_server())

    async def _look_for_server(self) -> None:
        await self._elsewhere().wait_reachable()
        await self.restart()

    async def _stop_looking(self) -> None:
        looking, self._looking = self._looking, None
        if looking is not None and looking is not asyncio.current_task():
            looking.cancel()
            await asyncio.wait([looking])

    def _elsewhere(self) -> Endpoint:
        return Endpoint(self._target.order.spec, self._target.order.headers)

    async def mount(self, namespace: str) -> None:
        """Start the server anew below another one, under a name; empty for on its own."""
        if namespace != self._namespace:
            self._namespace = namespace
            await self.restart()

    async def watch(self) -> None:
        """Take in every change of the server's files: most start it anew, those of pages do not."""
        if self._target.folder is not None:
            async for changed in changes(self._target.folder):
                pages_only = only_pages(changed)
                if not pages_only:
                    await self.restart()
                elif not await self._refresh(changed):
                    self._stop_waiting()
                    self._waiting = asyncio.create_task(self._restart_when_idle())

    async def _restart_when_idle(self) -> None:
        """Start the server anew for its pages' sake, which is no reason to end a call."""
        while any([await tab.idle() for tab in self._tabs]):
            pass
        await self.restart(pages_only=True)

    def _stop_waiting(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting is not asyncio.current_task():
            waiting.cancel()

    async def _refresh(self, changed: frozenset[Path]) -> bool:
        """Let the running server build its pages anew; tell whether that was all there is to do."""
        async with self._starting:
            endpoint = self.endpoint
            if endpoint is None:
                return False
            concern = await tell_changed(endpoint, changed)
            if concern != "nothing":
                for tab in self._tabs:
                    tab.renew_questions()
            if concern == "pages":
                self.tell({"type": "pages_changed"})
                # Not every client hears of it by itself.
                await asyncio.gather(*(tab.list_again() for tab in self._tabs))
            return concern != "server"

    async def stop(self) -> None:
        """Close the windows' sockets and end the server's process."""
        await self._stop_looking()
        self._stop_waiting()
        await asyncio.gather(*(tab.close() for tab in self._tabs), return_exceptions=True)
        await self._process.stop()

    def _line(self, line: str) -> None:
        self.tell({"type": "log", "source": "process", "level": "info", "data": line})

    def _gone(self, last_words: str) -> None:
        self.endpoint = None
        self._become({"state": "failed", "detail": last_words})


class _ToWindows(logging.Handler):
    """Shows this package's own log in the windows."""

    def __init__(self, host: DevHost) -> None:
        super().__init__(logging.WARNING)
        self._host = host

    def emit(self, record: logging.LogRecord) -> None:
        """Show one entry; refusals are told by the page's own callbacks."""
        if record.name.endswith(".refusals"):
            return
        level = "error" if record.levelno >= logging.ERROR else "warning"
        data = record.getMessage()
        self._host.tell({"type": "log", "source": "host", "level": level, "data": data})


@asynccontextmanager
async def running(
    target: Target,
    port: int,
    *,
    exact: bool,
    on_address: Callable[[str], None],
    on_state: Callable[[JsonObject], None],
) -> AsyncGenerator[DevHost]:
    """Run a dev host while the block runs.

    Args:
        target: The server.
        port: The port of the window.
        exact: Whether no other port will do.
        on_address: Told the address to open, as soon as it can be.
        on_state: Told how the server is, whenever that changes.

    Raises:
        OSError: The port is taken.
    """
    async with AsyncExitStack() as stack:
        others = 0 if exact else PORTS_TO_TRY
        window = stack.enter_context(listen(port, others=others))
        after = window.getsockname()[1] + 1
        behind = stack.enter_context(listen(after, others=PORTS_TO_TRY))
        token = secrets.token_urlsafe(24)
        sandbox = Sandbox(origin_of(behind), origin_of(window))
        host = DevHost(target, sandbox, on_state)
        windows = window_app(sandbox, token, host.serve_tab)
        await stack.enter_async_context(serving(windows, window))
        await stack.enter_async_context(serving(sandbox_app(sandbox), behind))
        handler = _ToWindows(host)
        log = logging.getLogger("mcp_apps_plugin")
        log.addHandler(handler)
        stack.callback(log.removeHandler, handler)
        stack.push_async_callback(host.stop)
        on_address(f"{sandbox.host_origin}/{token}/")
        # From the beginning: who reads that the server is up may change it at once.
        watching = asyncio.create_task(host.watch())
        stack.callback(watching.cancel)
        await host.restart()
        yield host
