"""Opening every page of a server once, and the rules for what happens then."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.checks.browser.chromium import chromium
from mcp_apps_plugin.checks.browser.stage import Stage, Violation, stage
from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.checks.report import counted
from mcp_apps_plugin.checks.showing import Record
from mcp_apps_plugin.host import AppBridge
from mcp_apps_plugin.host.errors import HostError
from mcp_apps_plugin.protocol.findings import sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import Browser

    from mcp_apps_plugin.checks.calls import Called
    from mcp_apps_plugin.checks.surface import Page, Surface
    from mcp_apps_plugin.host.connection import ServerConnection
    from mcp_apps_plugin.protocol.findings import Finding

HANDSHAKE_SECONDS: Final = 10.0
QUIET_SECONDS: Final = 0.4
SETTLE_SECONDS: Final = 3.0
TEARDOWN_SECONDS: Final = 2.0
_CODE: Final = frozenset({"eval", "wasm-eval"})


@dataclass(slots=True)
class Visit:
    """What came of opening one page.

    Attributes:
        uri: The page.
        tool: The tool whose result it was given, or `None`.
        handshake_ms: How long its handshake took, or `None` when it never ended.
        with_result: Whether it was given a result.
        shows: Whether there was anything to see.
        agreed: Whether it answered when it was to end.
        errors: Uncaught errors and what it logged as errors.
        violations: What its policy forbade.
        offline: The code and data it could not load for other reasons than its policy.
    """

    uri: str
    tool: str | None = None
    handshake_ms: float | None = None
    with_result: bool = False
    shows: bool = False
    agreed: bool = False
    errors: list[str] = field(default_factory=list[str])
    violations: list[Violation] = field(default_factory=list[Violation])
    offline: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        shaken = "no handshake" if self.handshake_ms is None else f"{self.handshake_ms:.0f} ms"
        return (
            f"page {self.uri} in Chromium: handshake {shaken}, "
            f"{counted(len(self.violations), 'violation')}, {counted(len(self.errors), 'error')}"
        )

    def findings(self) -> Iterator[Finding]:
        """Apply the rules."""
        subject = f"page {self.uri} in Chromium"
        for violation in dict.fromkeys(self.violations):
            makes_code = violation.blocked in _CODE
            yield found(
                CheckCode.BROWSER_CSP,
                subject,
                f"asked for what its policy forbids: {violation}.",
                "Hosts block it.",
                "No host allows it; use the library's mode for strict policies."
                if makes_code
                else "Add the origin to the page's `csp`, or put the file into the page.",
                # Libraries try whether they may; what fails for want of it is an error below.
                severity="warning" if makes_code else None,
            )
        for error in dict.fromkeys(self.errors):
            yield found(
                CheckCode.BROWSER_ERROR,
                subject,
                f"failed: {sentence(error[:300])}"
                + (f" It could not load {self.offline[0]}." if self.offline else ""),
                "The page stays as it was before, often empty.",
                "Open it with `mcp-apps dev` and look at the console.",
                severity="warning" if self.offline else None,
            )
        if self.handshake_ms is None:
            yield found(
                CheckCode.BROWSER_HANDSHAKE,
                subject,
                f"did not finish its handshake within {HANDSHAKE_SECONDS:g} s.",
                "Hosts keep the frame hidden and send it no data.",
                "It has to send `ui/initialize`, and `ui/notifications/initialized` after that.",
                severity="warning" if self.offline else None,
            )
            return
        if self.with_result and not self.shows:
            yield found(
                CheckCode.BROWSER_BLANK,
                subject,
                f"shows nothing after the result of {self.tool!r}.",
                "Users see an empty frame.",
                "Look at what the page does with `structuredContent`.",
                severity="warning" if self.offline else None,
            )
        if not self.agreed:
            yield found(
                CheckCode.BROWSER_TEARDOWN,
                subject,
                "did not agree to `ui/resource-teardown`.",
                "Hosts wait for it until their time is up, and then remove it all the same.",
                "Answer the request with `{}`.",
            )


async def visit_pages(
    client: ServerConnection, surface: Surface, calls: list[Called]
) -> list[Visit]:
    """Open every page of a server, one after the other.

    Args:
        client: The connection that the pages' own calls go through.
        surface: The pages.
        calls: What came of calling tools; each page is given the first result that is its own.

    Raises:
        BrowserUnavailableError: There is no browser.
    """
    results = {call.tool.name: call for call in calls if call.result is not None}
    async with chromium() as browser:
        return [
            await _visit(browser, client, page, surface, results)
            for page in surface.pages.values()
            if page.resolved is not None
        ]


async def _visit(
    browser: Browser,
    client: ServerConnection,
    page: Page,
    surface: Surface,
    results: dict[str, Called],
) -> Visit:
    resolved = page.resolved
    if resolved is None:
        raise ValueError(page.uri)
    name = next((n for n in page.tools if n in results), next(iter(page.tools), None))
    tool = next((t for t in surface.snapshot.tools if t.name == name), None)
    called = results.get(name or "")
    record = Record()
    bridge = AppBridge(
        client,
        tool,
        page=resolved,
        callbacks=record.callbacks(),
        context={"theme": "light", "display_mode": "inline"},
    )
    visit = Visit(page.uri, name)
    async with bridge, stage(browser, bridge, resolved, network=True) as shown:
        try:
            await shown.wait_ready(HANDSHAKE_SECONDS)
            visit.handshake_ms = (shown.handshake_seconds or 0) * 1000
            if called is not None and called.result is not None:
                await bridge.tool_input(called.arguments)
                await bridge.tool_result(called.result)
                visit.with_result = not called.result.is_error
            await _quiet(shown)
            visit.shows = await shown.shows_something()
            visit.agreed = await bridge.teardown(TEARDOWN_SECONDS)
        except HostError:
            pass
        logged = [text for kind, text in shown.console if kind == "error"]
        visit.errors = [*shown.errors, *logged]
        visit.violations = shown.violations
        visit.offline = shown.missed
    return visit


async def _quiet(shown: Stage) -> None:
    """Wait until the page shows something and has been quiet for a while."""
    deadline = time.perf_counter() + SETTLE_SECONDS
    while time.perf_counter() < deadline:
        before = (len(shown.console), len(shown.errors), len(shown.violations))
        await asyncio.sleep(QUIET_SECONDS)
        after = (len(shown.console), len(shown.errors), len(shown.violations))
        if before == after and await shown.shows_something():
            return
