"""A host with a real Chromium: the page as users see it, and what it did."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Self

from mcp_apps_plugin.checks.browser.chromium import chromium
from mcp_apps_plugin.checks.browser.stage import Stage, Violation, stage
from mcp_apps_plugin.checks.connect import is_client
from mcp_apps_plugin.checks.showing import Record
from mcp_apps_plugin.host import AppBridge, ResolvedPage
from mcp_apps_plugin.testing.clients import open_client
from mcp_apps_plugin.testing.host import find_page
from mcp_apps_plugin.testing.session import Opening, Session

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    import mcp_types
    from fastmcp import Client
    from playwright.async_api import Browser, Frame

    from mcp_apps_plugin.checks.snapshot import Era
    from mcp_apps_plugin.host.context import ContextChanges

HANDSHAKE_SECONDS = 15.0


class BrowserSession(Session):
    """One tool, opened in Chromium: a `Session` with a page to look at.

    Attributes:
        stage: The page in its double frame.
    """

    def __init__(
        self,
        bridge: AppBridge,
        page: ResolvedPage,
        tool: mcp_types.Tool,
        record: Record,
        *,
        shown: Stage,
        stack: AsyncExitStack,
    ) -> None:
        super().__init__(bridge, page, tool, record)
        self.stage = shown
        self._stack = stack

    @property
    def frame(self) -> Frame:
        """The page's own frame: Playwright's locators and `evaluate`."""
        return self.stage.frame

    @property
    def console(self) -> list[tuple[str, str]]:
        """What the page logged, as kind and text."""
        return self.stage.console

    @property
    def errors(self) -> list[str]:
        """Uncaught errors of the page's scripts."""
        return self.stage.errors

    @property
    def violations(self) -> list[Violation]:
        """What the page's policy forbade."""
        return self.stage.violations

    @property
    def handshake_seconds(self) -> float | None:
        """How long the page took until it was initialized."""
        return self.stage.handshake_seconds

    async def text(self) -> str:
        """Return the text that is to be seen."""
        return str(await self.frame.evaluate("document.body?.innerText ?? ''"))

    async def wait_for_text(self, text: str, *, seconds: float = 10.0) -> None:
        """Wait until a text is to be seen.

        Raises:
            AssertionError: It was not, in time. The message says what was.
        """
        deadline = asyncio.get_running_loop().time() + seconds
        seen = ""
        while asyncio.get_running_loop().time() < deadline:
            seen = await self.text()
            if text in seen:
                return
            await asyncio.sleep(0.05)
        # A handler that throws is caught by the page library, and goes to the console.
        logged = [text for kind, text in self.console if kind == "error"]
        said = "".join(f"\n{error}" for error in (*self.errors, *logged, *self.violations))
        message = f"{text!r} was not to be seen within {seconds:g} s, but {seen!r}{said}"
        raise AssertionError(message)

    async def screenshot(self, path: str | Path | None = None) -> bytes:
        """Take a picture of the page, as PNG."""
        picture: bytes = await self.stage.tab.locator("#frame").screenshot(path=path)
        return picture

    async def close(self) -> None:
        """End the session; the page is asked to end first."""
        await self.bridge.teardown()
        await self._stack.aclose()


class AppsBrowser:
    """A strict MCP Apps host with Chromium. Needs `mcp-apps-plugin[browser]`.

    ```python
    async with AppsBrowser(mcp) as browser:
        async with browser.open("get_weather", {"city": "Oslo"}) as session:
            await session.wait_for_text("Oslo")
            assert session.violations == []
    ```

    Args:
        server: A FastMCP server, a connected `fastmcp.Client`, or what `Client` takes.
        era: The protocol era, for a server.
        network: Whether pages may reach the network, as far as their policies allow.
        context: The host context to begin with.
        width: The width of the window, in CSS pixels.
        height: Its height.
        client: Further options of `fastmcp.Client`.
    """

    def __init__(
        self,
        server: Any,
        *,
        era: Era = "modern",
        network: bool = False,
        context: ContextChanges | None = None,
        width: int = 800,
        height: int = 600,
        **client: Any,
    ) -> None:
        self._server = server
        self._era: Era = era
        self._network = network
        self._context = context
        self._size = width, height
        self._options = client
        self._stack = AsyncExitStack()
        self._client: Client[Any] | None = None
        self._browser: Browser | None = None
        self.sessions: list[BrowserSession] = []

    @property
    def client(self) -> Client[Any]:
        """The host's client.

        Raises:
            RuntimeError: The host is not open.
        """
        if self._client is None:
            message = "open the host first: `async with AppsBrowser(server) as browser`"
            raise RuntimeError(message)
        return self._client

    async def __aenter__(self) -> Self:
        self._browser = await self._stack.enter_async_context(chromium())
        if is_client(self._server):
            self._client = self._server
            if not self._server.is_connected():
                await self._stack.enter_async_context(self._server)
        else:
            opening = open_client(self._server, era=self._era, **self._options)
            self._client = await self._stack.enter_async_context(opening)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for session in reversed(self.sessions):
            await session.close()
        self.sessions.clear()
        await self._stack.__aexit__(kind, error, trace)

    def open(self, name: str, arguments: dict[str, Any] | None = None) -> Opening[BrowserSession]:
        """Call a tool and show its page.

        Args:
            name: The tool, as it is listed.
            arguments: Its arguments.

        Returns:
            The session: await it, or use it with `async with`.

        Raises:
            ViewTimeoutError: The page did not finish its handshake.
        """

        async def start() -> BrowserSession:
            if self._browser is None:
                raise RuntimeError(name)
            tool, page = await find_page(self.client, name)
            record = Record()
            bridge = AppBridge(
                self.client, tool, page=page, callbacks=record.callbacks(), context=self._context
            )
            stack = AsyncExitStack()
            width, height = self._size
            shown = await stack.enter_async_context(
                stage(
                    self._browser,
                    bridge,
                    page,
                    network=self._network,
                    width=width,
                    height=height,
                )
            )
            record.on_size = lambda _, tall: shown.resize(tall)
            session = BrowserSession(bridge, page, tool, record, shown=shown, stack=stack)
            self.sessions.append(session)
            running = asyncio.create_task(session.run(arguments or {}))
            try:
                await shown.wait_ready(HANDSHAKE_SECONDS)
            finally:
                await running
            return session

        return Opening(start, self._close)

    async def _close(self, session: BrowserSession) -> None:
        if session in self.sessions:
            self.sessions.remove(session)
            await session.close()
