"""Putting a server's registry together for the audit. Never asks a back end over a connection."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.context import Context
from fastmcp.server.providers import FastMCPProvider
from fastmcp.server.transforms.visibility import Visibility, is_enabled

from mcp_apps_plugin.declarations.elicits import address_of_page
from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.declarations.marks import describe, place_of
from mcp_apps_plugin.declarations.page_function import page_usage
from mcp_apps_plugin.plugins.registry import ElicitationEntry, PageEntry, Registry, ToolEntry
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.links import link_of
from mcp_apps_plugin.protocol.shapes import as_object
from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.server.attachment import attachment_of
from mcp_apps_plugin.server.elicitation.declared import elicitations
from mcp_apps_plugin.server.emission import (
    address_of,
    declared_page,
    is_page,
    is_prefab,
    mime_type_of,
    original_of,
    source_of,
)
from mcp_apps_plugin.server.forgotten import forgotten, hidden, misplaced
from mcp_apps_plugin.server.pages import FilePage, is_brought
from mcp_apps_plugin.server.participation import anything_takes_part, is_authors_own
from mcp_apps_plugin.server.readable import may_answer_reads
from mcp_apps_plugin.server.trail import candidates, seen_uri, trail_of
from mcp_apps_plugin.server.tree import base_of, is_remote, namespaces_of
from mcp_apps_plugin.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from fastmcp import FastMCP
    from fastmcp.server.providers import Provider
    from fastmcp.tools import Tool

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.plugins.registry import LinkState
    from mcp_apps_plugin.server.attachment import Attachment

    Server = FastMCP[Any]
    Page = Resource | ResourceTemplate

_logger = logging.getLogger("mcp_apps_plugin")


@dataclass(slots=True)
class _Part:
    """What one server of the tree has in this process, under its providers' transforms."""

    attachment: Attachment
    parents: list[_Part]
    tools: list[Tool] = field(default_factory=list["Tool"])
    pages: list[Page] = field(default_factory=list["Page"])
    served: dict[str, _Part] = field(default_factory=dict[str, "_Part"])
    findings: list[Finding] = field(default_factory=list["Finding"])
    hidden: dict[str, Page] = field(default_factory=dict[str, "Page"])
    remote: bool = False
    renamed: bool = False

    def state_of(self, link: str | None, tool: Tool) -> LinkState:
        """Tell what becomes of a link on this server, or on those it is mounted on."""
        if link is None or (is_prefab(link) and find_spec("prefab_ui")):
            return "served"
        for candidate in candidates(link, trail_of(tool)):
            if candidate not in self.served and not self._by_template(candidate):
                continue
            page = self.hidden.get(candidate)
            guarded = page is not None and (not is_enabled(page) or page.auth != tool.auth)
            return "hidden" if guarded else "served"
        if self.remote or may_answer_reads(self.attachment.server):
            return "unknown"
        above: list[LinkState] = [parent.state_of(link, tool) for parent in self.parents]
        return "missing" if not above or "missing" in above else above[0]

    def _by_template(self, link: str) -> bool:
        templates = (page for page in self.pages if isinstance(page, ResourceTemplate))
        return any(template.matches(link) is not None for template in templates)


async def survey(server: Server, *, at_start: bool = False) -> Registry:
    """List what a server and the servers mounted on it declare, without asking any back end.

    Args:
        server: The server.
        at_start: Whether it starts: then an author's own providers are asked only where something
            takes part already, as a start without pages is to be the one of plain FastMCP.
    """
    parts: dict[int, _Part] = {}
    await _visit(server, parts, None, sparing=at_start and not anything_takes_part(server))
    registry = Registry(server=server.name, page_budget=read_settings().page_budget)
    for part in parts.values():
        registry.served |= part.served.keys()
        registry.findings += part.findings
        registry.tools += [_tool_entry(part, tool) for tool in part.tools if _has_ui(tool)]
        registry.pages += _page_entries(part)
        registry.elicitations += _elicitation_entries(part)
        registry.names |= {tool.name for tool in part.tools}
        registry.findings += misplaced(part.tools, part.served)
        if not part.remote:
            registry.unmatched |= part.attachment.links.unmatched()
    servers = [part.attachment.server for part in parts.values()]
    listed = [tool for part in parts.values() for tool in part.tools]
    registry.forgotten = forgotten(servers, listed)
    registry.findings += hidden(servers, listed)
    return registry


async def _visit(
    server: Server, parts: dict[int, _Part], parent: _Part | None, *, sparing: bool
) -> _Part | None:
    attachment = attachment_of(server)
    known = parts.get(id(server))
    if known is not None and parent is not None:
        known.parents.append(parent)
    if known is not None or attachment is None:
        return known
    part = parts[id(server)] = _Part(attachment, [] if parent is None else [parent])
    await attachment.versions.prepare()
    part.findings += attachment.versions.problems()
    async with Context(fastmcp=server):
        for provider in server.providers:
            await _collect(part, provider, parts, sparing=sparing)
        for transform in server.transforms:
            part.tools = [*await transform.list_tools(part.tools)]
    for tool in part.tools:
        if not is_enabled(tool):
            attachment.links.mark(server, tool)  # its name is right, whoever hides it
    part.tools, _ = attachment.lists.tools([tool for tool in part.tools if is_enabled(tool)])
    part.pages = attachment.lists.pages([page for page in part.pages if is_page(page)])
    part.served |= dict.fromkeys(map(address_of, part.pages), part)
    for transform in server.transforms:
        if isinstance(transform, Visibility):
            part.pages = [
                *await transform.list_resources([p for p in part.pages if isinstance(p, Resource)]),
                *(p for p in part.pages if isinstance(p, ResourceTemplate)),
            ]
    part.hidden = {address_of(p): p for p in part.pages if not is_enabled(p) or p.auth is not None}
    return part


async def _collect(
    part: _Part, provider: Provider, parts: dict[int, _Part], *, sparing: bool
) -> None:
    base = base_of(provider)
    if is_remote(provider):
        part.remote = True
        return
    if isinstance(base, FastMCPProvider):
        below = await _visit(base.server, parts, part, sparing=sparing)
        if below is not None:
            _take_over(part, provider, below)
        if not part.attachment.links or below is None or below.remote:
            return  # its tools are its own affair, unless this server gives them pages
        part.tools += await _asked(provider, provider.list_tools)
        return
    if sparing and is_authors_own(provider):
        return
    part.tools += await _asked(provider, provider.list_tools)
    part.pages += await _asked(provider, provider.list_resources)
    part.pages += await _asked(provider, provider.list_resource_templates)


async def _asked(provider: Provider, ask: Callable[[], Awaitable[Sequence[Any]]]) -> Sequence[Any]:
    try:
        return await ask()
    except Exception as error:  # noqa: BLE001  a provider of the author's that is not ready yet
        _logger.warning("%r could not be looked over at start: %s", provider, error)
        return ()


def _take_over(part: _Part, provider: Provider, below: _Part) -> None:
    """Add what a mounted server serves, and say where two serve under one address."""
    part.remote |= below.remote
    passed = namespaces_of(provider)
    for uri, source in below.served.items():
        seen = seen_uri(uri, passed)
        source.renamed |= seen != uri
        other = part.served.setdefault(seen, source)
        if other is not source:
            names = [p.attachment.server.name for p in (other, source)]
            own = any(_declares(p, uri) for p in (other, source))
            part.findings.append(
                Finding(
                    code=Code.PAGE_CONFLICT,
                    subject=f"page {seen} of server {part.attachment.server.name!r}",
                    problem=f"is served by two mounted servers: {names[0]!r} and {names[1]!r}.",
                    consequence="The tools of one would show the page of the other.",
                    remedy="Mount each of them with a `namespace=` of its own.",
                    severity="error" if own else "warning",
                )
            )


def _declares(part: _Part, uri: str) -> bool:
    return any(address_of(page) == uri and declared_page(page) is not None for page in part.pages)


def _identity(page: AppResource) -> object:
    return page.uri, source_of(page), page.ui


def _has_ui(tool: Tool) -> bool:
    return UI_KEY in (tool.meta or {})


def _tool_entry(part: _Part, tool: Tool) -> ToolEntry:
    declaration = declaration_of(tool, part.attachment.server)
    function = vars(tool).get("fn")
    meta = tool.meta or {}
    link = link_of(meta)
    link = None if link is None else unversioned(link)
    return ToolEntry(
        server=part.attachment.server.name,
        name=tool.name,
        subject=declaration.subject
        if declaration is not None
        else describe(function if function is not None else tool),
        declaration=declaration,
        written=original_of(tool) or {},
        meta=meta,
        output_schema=tool.output_schema,
        link=link,
        link_state=part.state_of(link, tool),
        place=place_of(function)
        if declaration is None or not declaration.place
        else declaration.place,
    )


def _elicitation_entries(part: _Part) -> Iterator[ElicitationEntry]:
    server = part.attachment.server
    handler: Any  # a tool, a prompt or a resource
    for handler, page in elicitations(server):
        uri = address_of_page(page)
        function = getattr(handler, "fn", handler)
        yield ElicitationEntry(
            server=server.name,
            subject=describe(function),
            uri=uri,
            state="missing" if uri is None else part.state_of(uri, handler),
            place=place_of(function),
        )


def _page_entries(part: _Part) -> Iterator[PageEntry]:
    """List the pages as declared, so that two under one address are both there."""
    server = part.attachment.server.name
    listed = {address_of(page): page for page in part.pages}
    declared = part.attachment.pages.declared()
    # By what they are: a folder that FastMCP reads again has other declarations each time.
    brought = {_identity(page) for page in declared}
    for page in declared:
        resource = part.attachment.pages.resource(page)
        made = resource if isinstance(resource, FilePage) else None
        yield PageEntry(
            server=server,
            uri=str(page.uri),
            subject=page.subject,
            own=True,
            mime_type=resource.mime_type,
            written=None,
            ui=(resource.meta or {})[UI_KEY],
            html=made.html if made else None,
            file=page.file.identity if page.file else None,
            parts=made.parts if made else None,
            problems=made.problems if made else (),
            place=page.place,
            renamed=part.renamed,
            server_id=id(part),
        )
    for uri, listing in listed.items():
        own = declared_page(listing)
        if own is not None and (_identity(own) in brought or is_brought(listing)):
            continue
        function = vars(listing).get("fn")
        problems: tuple[Finding, ...] = ()
        if own is not None and seen_uri(own.uri or "", trail_of(listing)) != uri:
            problem = f"is declared as `{own.uri}` by `@app_resource` and served as `{uri}`."
            problems = (page_usage(own.subject, problem, "Leave one of the two URIs out."),)
        yield PageEntry(
            server=server,
            uri=uri,
            subject=describe(function) if function is not None else f"resource {listing.name!r}",
            own=own is not None,
            mime_type=mime_type_of(listing),
            written=as_object((original_of(listing) or {}).get(UI_KEY)),
            ui=as_object((listing.meta or {}).get(UI_KEY)) or {},
            html=vars(listing).get("text"),
            problems=problems,
            declared=None if own is None else own.ui,
            place=place_of(function) if own is None else own.place,
            renamed=part.renamed,
            server_id=id(part),
        )
