"""One page in Chromium, in the double frame and under its own policy, and what it did there."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from mcp_apps_plugin.host import OUTER_SANDBOX, allow_attribute, proxy_page, sandbox_headers

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from playwright.async_api import Browser, ConsoleMessage, Frame, Page, Request, Route

    from mcp_apps_plugin.host import AppBridge, ResolvedPage

HOST_ORIGIN: Final = "https://host.mcp-apps.test"
SANDBOX_ORIGIN: Final = "https://sandbox.mcp-apps.test"
SANDBOX_URL: Final = f"{SANDBOX_ORIGIN}/"
_LOOKS: Final = frozenset({"stylesheet", "image", "media", "font"})
_MARK: Final = "mcp-apps-observed "
_PAGE_URL: Final = "about:srcdoc"

OBSERVER: Final = f"""
(() => {{
  if (location.href !== "{_PAGE_URL}") return;
  const write = console.debug.bind(console);
  addEventListener("securitypolicyviolation", (event) => write("{_MARK}" + JSON.stringify({{
    directive: event.effectiveDirective, blocked: event.blockedURI, line: event.lineNumber,
  }})));
}})();
"""
"""Runs in every frame before the page's own scripts; it changes nothing that they could see."""

SHOWS_SOMETHING: Final = """() => {
  const visible = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && getComputedStyle(element).visibility !== "hidden";
  };
  return Boolean(document.body?.innerText.trim()) ||
    [...document.querySelectorAll("canvas,iframe,img,input,button,svg,video,textarea,select")]
      .some(visible);
}"""


@dataclass(frozen=True, slots=True)
class Violation:
    """Something that the page's policy forbade.

    Attributes:
        directive: The directive of the policy, for example `connect-src`.
        blocked: What was blocked: a URL, `inline` or `eval`.
        line: The line of the document, or 0.
    """

    directive: str
    blocked: str
    line: int = 0

    def __str__(self) -> str:
        place = f" at line {self.line}" if self.line else ""
        return f"`{self.directive}` blocked `{self.blocked}`{place}"


@dataclass(slots=True)
class Stage:
    """One page in a browser.

    Attributes:
        bridge: The host's end of its channel.
        tab: Playwright's page, which shows the host's document.
        console: What was logged, as kind and text; not what the browser says of loading.
        errors: Uncaught errors of the page's scripts.
        violations: What the page's policy forbade.
        failed_requests: What could not be loaded for other reasons than the policy.
        missed: Of these, what its scripts may have needed: code and data, no looks.
        handshake_seconds: How long it took until the page was initialized, once it is.
    """

    bridge: AppBridge
    tab: Page
    console: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    errors: list[str] = field(default_factory=list[str])
    violations: list[Violation] = field(default_factory=list[Violation])
    failed_requests: list[str] = field(default_factory=list[str])
    missed: list[str] = field(default_factory=list[str])
    handshake_seconds: float | None = None
    _incoming: asyncio.Queue[object] = field(default_factory=asyncio.Queue[object])

    @property
    def frame(self) -> Frame:
        """The page's own frame, for Playwright's locators.

        Raises:
            LookupError: The page has not been put into the sandbox yet.
        """
        for frame in self.tab.frames:
            if frame.url == _PAGE_URL and frame.parent_frame is not None:
                return frame
        message = "the page has no frame yet"
        raise LookupError(message)

    async def wait_ready(self, seconds: float) -> None:
        """Wait until the page is initialized. See `AppBridge.wait_ready` for what is raised."""
        started = time.perf_counter()
        await self.bridge.wait_ready(seconds)
        self.handshake_seconds = time.perf_counter() - started

    async def shows_something(self) -> bool:
        """Tell whether there is anything to see: text, a picture, a control."""
        return bool(await self.frame.evaluate(SHOWS_SOMETHING))

    async def resize(self, height: float | None) -> None:
        """Make the frame as high as the page asks."""
        if height is not None:
            await self.tab.evaluate("h => { frame.style.height = `${h}px` }", height)

    async def observe(self) -> None:
        """Write down what happens in the tab."""

        # Functions of their own: Playwright writes notes on the owner of a method.
        def logged(message: ConsoleMessage) -> None:
            self.logged(message)

        def failed(request: Request) -> None:
            self.failed(request)

        def heard(source: dict[str, Any], message: object) -> None:
            self.heard(source, message)

        self.tab.on("console", logged)
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("requestfailed", failed)
        tab: Any = self.tab  # this method of Playwright's has no types
        await tab.expose_binding("fromView", heard)

    def heard(self, source: dict[str, Any], message: object) -> None:
        """Take a message that came to the host's document."""
        if source["frame"] == self.tab.main_frame:
            # Only the host's own document may speak; the binding is in every frame.
            self._incoming.put_nowait(message)

    async def carry_in(self) -> None:
        """Bring what the page says to the bridge, in order."""
        while True:
            await self.bridge.receive(await self._incoming.get())

    async def carry_out(self) -> None:
        """Bring what the bridge says to the page."""
        async for message in self.bridge.outgoing():
            await self.tab.evaluate("message => toView(message)", message)

    def logged(self, message: ConsoleMessage) -> None:
        """Take note of one entry of the console."""
        if message.text.startswith(_MARK):
            seen = json.loads(message.text.removeprefix(_MARK))
            self.violations.append(
                Violation(str(seen["directive"]), str(seen["blocked"]), int(seen["line"]))
            )
        elif "net::ERR_" not in message.text and "Content Security Policy" not in message.text:
            self.console.append((message.type, message.text))

    def failed(self, request: Request) -> None:
        """Take note of what could not be loaded."""
        if (request.failure or "") != "csp":
            self.failed_requests.append(request.url)
            if request.resource_type not in _LOOKS:
                self.missed.append(request.url)


@asynccontextmanager
async def stage(
    browser: Browser,
    bridge: AppBridge,
    page: ResolvedPage,
    *,
    network: bool = False,
    width: int = 800,
    height: int = 600,
    locale: str | None = None,
) -> AsyncGenerator[Stage]:
    """Put a page into Chromium, between its server and its bridge.

    Args:
        browser: The browser.
        bridge: The bridge. Its messages are carried both ways until the end.
        page: The page.
        network: Whether the page may reach the network, as far as its policy allows.
        width: The width of the window, in CSS pixels.
        height: Its height.
        locale: The browser's language.
    """
    context = await browser.new_context(viewport={"width": width, "height": height}, locale=locale)
    tasks: list[asyncio.Task[None]] = []
    try:
        await context.add_init_script(OBSERVER)

        async def answer(route: Route) -> None:
            await _answer(route, page, network=network)

        await context.route("**/*", answer)
        tab = await context.new_page()
        shown = Stage(bridge, tab)
        await shown.observe()
        await tab.goto(f"{HOST_ORIGIN}/")
        tasks = [asyncio.create_task(shown.carry_in())]
        await tab.evaluate(
            "given => showProxy(...given)",
            [
                SANDBOX_URL,
                SANDBOX_ORIGIN,
                OUTER_SANDBOX,
                allow_attribute(page.permissions),
            ],
        )
        tasks.append(asyncio.create_task(shown.carry_out()))
        yield shown
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await context.close()


async def _answer(route: Route, page: ResolvedPage, *, network: bool) -> None:
    url = route.request.url
    if url == f"{HOST_ORIGIN}/":
        await route.fulfill(body=_host_page(), content_type="text/html; charset=utf-8")
    elif url == f"{SANDBOX_ORIGIN}/":
        headers = sandbox_headers(HOST_ORIGIN, page.policy)
        await route.fulfill(body=proxy_page(HOST_ORIGIN), headers=headers)
    elif network and not url.startswith((HOST_ORIGIN, SANDBOX_ORIGIN)):
        await route.continue_()
    else:
        await route.abort()


@cache
def _host_page() -> str:
    folder = resources.files(__name__.rpartition(".")[0])
    return folder.joinpath("host.html").read_text(encoding="utf-8")
