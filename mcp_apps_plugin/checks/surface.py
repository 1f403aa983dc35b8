"""What the rules look at: one snapshot, with its pages resolved as a host resolves them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mcp import MCPError

from mcp_apps_plugin.checks.codes import RULES, CheckCode, found
from mcp_apps_plugin.checks.page_source import PageSource
from mcp_apps_plugin.checks.snapshot import Recorded
from mcp_apps_plugin.host.errors import HostError
from mcp_apps_plugin.host.resolve import resolve_uri
from mcp_apps_plugin.protocol.findings import Code

_OURS: Final = re.compile(
    rf"page \S+ .*?: (?P<said>.+) \[(?P<code>{'|'.join(map(re.escape, RULES))})\]"
)
"""How a server with this package says why it cannot serve a page."""

if TYPE_CHECKING:
    import mcp_types

    from mcp_apps_plugin.checks.codes import HostName
    from mcp_apps_plugin.checks.snapshot import Snapshot
    from mcp_apps_plugin.host.resolve import ResolvedPage
    from mcp_apps_plugin.protocol.findings import Finding


@dataclass(slots=True)
class Page:
    """One page.

    Attributes:
        uri: Its address.
        tools: The tools that link to it.
        listing: How it is listed, or `None`.
        read: What came when it was read, or `None` for an error.
        resolved: The page as a host shows it, or `None` when none could.
        findings: What kept it from being shown.
        source: Its scripts and styles, or `None` when it could not be resolved.
    """

    uri: str
    tools: list[str]
    listing: mcp_types.Resource | None
    read: mcp_types.ReadResourceResult | None
    resolved: ResolvedPage | None = None
    findings: tuple[Finding, ...] = ()
    source: PageSource | None = None

    @property
    def subject(self) -> str:
        """How findings name it."""
        return f"page {self.uri}"


@dataclass(slots=True)
class Surface:
    """Everything that the rules look at.

    Attributes:
        snapshot: What was told.
        pages: The pages by URI.
        hosts: The hosts whose own demands count.
        url: The server's address as its clients know it, or `None`.
        budget: The page and result size above which some hosts refuse, in bytes.
    """

    snapshot: Snapshot
    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    hosts: frozenset[HostName] = frozenset()
    url: str | None = None
    budget: int = 1_000_000

    @property
    def ui_tools(self) -> list[mcp_types.Tool]:
        """The tools that take part in MCP Apps."""
        return [tool for tool in self.snapshot.tools if takes_part(tool)]


def takes_part(tool: mcp_types.Tool) -> bool:
    """Tell whether a tool takes part in MCP Apps: it has `_meta.ui` or a link under another key."""
    meta = tool.meta or {}
    return any(key in meta for key in ("ui", "ui/resourceUri", "openai/outputTemplate"))


async def make_surface(
    snapshot: Snapshot,
    *,
    hosts: frozenset[HostName] = frozenset(),
    url: str | None = None,
    budget: int = 1_000_000,
    sources: dict[str, PageSource] | None = None,
) -> Surface:
    """Resolve the pages of a snapshot.

    Args:
        snapshot: What was told.
        hosts: The hosts whose own demands count.
        url: The server's address.
        budget: The page size above which some hosts refuse.
        sources: Documents that were read before, by text: the same page is parsed once.
    """
    surface = Surface(snapshot, hosts=hosts, url=url, budget=budget)
    known = {} if sources is None else sources
    linked = snapshot.links()
    recorded = Recorded(snapshot)
    for uri, answer in snapshot.reads.items():
        read = None if isinstance(answer, MCPError) else answer
        page = Page(uri, linked.get(uri, []), snapshot.resources.get(uri), read)
        surface.pages[uri] = page
        try:
            page.resolved = await resolve_uri(recorded, uri)
        except HostError as error:
            page.findings = error.findings
        except MCPError as error:
            page.findings = (_unreadable(page, error),)
        else:
            html = page.resolved.html
            page.source = known.get(html) or known.setdefault(html, PageSource(html))
    return surface


def _unreadable(page: Page, error: MCPError) -> Finding:
    said = " ".join(error.message.split()).rstrip(". ")
    ours = _OURS.fullmatch(said)
    if ours is not None:
        code = ours["code"]
        return found(
            CheckCode(code) if code in set(CheckCode) else Code(code),
            page.subject,
            "could not be read.",
            "Hosts show an error in its place. Its server says why:",
            ours["said"],
            severity="error",
        )
    return found(
        CheckCode.PAGE_READ,
        page.subject,
        f"could not be read: {said}.",
        "Hosts show an error in place of the page.",
        "Read it with any MCP client and look at the server's log.",
    )
