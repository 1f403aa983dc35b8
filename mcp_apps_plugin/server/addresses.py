"""Where the links of one server lead: each to a page that this very caller can read here."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fastmcp.server.providers.fastmcp_provider import FastMCPProviderTool
from fastmcp.tools import Tool

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.declarations.marks import ATTACHED_MARK, UI_MARK
from mcp_apps_plugin.plugins.builtin.dialects import dialects_of
from mcp_apps_plugin.protocol.constants import FLAT_LINK_KEY, OPENAI_LINK_KEY, UI_KEY
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.links import link_of, rewrite_links, without_links
from mcp_apps_plugin.server.emission import Emitted, declared_page, is_left_alone, source_of
from mcp_apps_plugin.server.late_findings import LateFindings
from mcp_apps_plugin.server.readable import (
    is_open,
    may_answer_reads,
    page_for_caller,
    sources,
    stands,
    stands_locally,
)
from mcp_apps_plugin.server.session_rules import has_session_rules
from mcp_apps_plugin.server.spellings import Spellings
from mcp_apps_plugin.server.trail import (
    TRAIL,
    candidates,
    has_trail,
    seen_uri,
    trail_of,
    with_meta,
)
from mcp_apps_plugin.server.tree import (
    base_of,
    is_proxied,
    is_remote,
    mount_of,
    namespaces_of,
    root_of,
    state_of,
)
from mcp_apps_plugin.server.versions import listed_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastmcp import FastMCP
    from fastmcp.resources import Resource, ResourceTemplate
    from fastmcp.server.providers import Provider

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.server.attachment import Attachment
    from mcp_apps_plugin.server.trail import Trail

    Server = FastMCP[Any]

_logger = logging.getLogger("mcp_apps_plugin")

_Key = tuple[int, "Trail | None", int]
_LIMIT = 8192  # links that are remembered; a server with more asks anew for the rest


class _Origin(NamedTuple):
    """Where a link was written.

    Attributes:
        trail: The namespaces between there and here.
        mount: The mounted server that listed it, if one did.
        backend: What connects to the back end that listed it, if one did.
        page: The page that its tool brings, if it does.
    """

    trail: Trail
    mount: Server | None = None
    backend: object = None
    page: AppResource | None = None


class _Seen(NamedTuple):
    """What became of a link.

    Attributes:
        uri: Its address here, or `None`.
        known: Whether its page is known here, though this caller may not read it.
        lasting: Whether it is the same for every caller, as long as no part is exchanged.
    """

    uri: str | None
    known: bool = True
    lasting: bool = True


class Addresses:
    """Resolves links on one server. It remembers nothing about callers.

    Attributes:
        token: Stands in a tool's `_meta` whose link leads where it did at the last list.
        late: Says what is wrong with tools that came after the start.

    Where every page is open to everyone, what a link became is remembered until components are
    added or removed. Where something may hide a page, each list asks as a read would.
    """

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment
        self._remembered: dict[tuple[str, _Origin], _Seen] = {}
        self._state: object = None
        self.token: object = object()
        self.late = LateFindings()
        self._open = False
        self._spellings: Spellings | None = None
        self._done: dict[_Key, tuple[object, object]] = {}
        self._listed_as: dict[str, Tool | None] = {}
        self._said: set[tuple[str | None, object]] = set()

    def forget(self) -> None:
        """Look every link up anew: pages have moved."""
        self._state = None

    async def address(
        self, listed: list[Tool], unsettled: Sequence[int], *, outermost: bool
    ) -> list[Tool]:
        """Rewrite the links of listed tools to what they are called here.

        Args:
            listed: The tools as listed, with their `_meta` written. It is changed.
            unsettled: The positions of those that do not have `token`.
            outermost: Whether the list goes to a client. Then a link that leads nowhere is
                taken out; in a mounted server's list it may still be its parent's page. And the
                dialects of this server hold for all that it passes on.

        Returns:
            The tools, with copies where a caller sees another link than the next one.
        """
        pending = _linked(listed, unsettled)
        if not pending and len(unsettled) == len(listed):
            return listed
        token = self.token
        self._refresh()
        remember = self._open and not await has_session_rules()
        changed = self.token is not token
        if changed or not remember:
            pending = _linked(listed, range(len(listed)))
        if pending and remember:
            pending = self._unknown(pending)
        if pending:
            lost = await self._rewrite(listed, pending, remember=remember, outermost=outermost)
            if outermost and self.late.are_news(lost):
                await self.late.say_lost(self._attachment.server)
        if changed and outermost:
            self.late.say_broken(self._attachment.server)
        if outermost and self._spellings is not None:
            self._spellings.write(listed)
        return listed

    async def _rewrite(
        self,
        listed: list[Tool],
        pending: list[tuple[int, Tool]],
        *,
        remember: bool,
        outermost: bool,
    ) -> set[tuple[str, str]]:
        """Rewrite the links of some of the listed tools; return those that lead nowhere."""
        memory = self._remembered if remember else {}
        this_list: dict[tuple[str, _Origin], _Seen] = {}
        lost: set[tuple[str, str]] = set()  # the tools' names, with their links
        for at, tool in pending:
            meta = tool.meta or {}
            ours = isinstance(meta, Emitted) and not has_trail(tool)
            done = _key_of(tool) if remember else None
            link = link_of(meta)
            if link is None or is_left_alone(meta):
                if done is not None:
                    self._done[done] = meta[UI_KEY], meta[UI_KEY]
                continue
            key = link, self._origin(await self._original(tool))
            seen = memory.get(key) or this_list.get(key)
            if seen is None:
                seen = await self._resolve(*key)
                lasting = remember and seen.lasting and len(memory) < _LIMIT
                (memory if lasting else this_list)[key] = seen
            if seen.uri == link:
                new = meta
                if remember and ours and seen.lasting:
                    meta.settled = self.token  # type: ignore[attr-defined]
            elif seen.uri is not None:
                new = rewrite_links(meta, partial(_always, seen.uri))
            elif outermost or seen.known:
                new = without_links(meta)
                if not seen.known:
                    lost.add((tool.name, link))
            else:
                continue
            if new is not meta:
                listed[at] = with_meta(tool, new)
            if done is not None and seen.lasting and seen.uri is not None:
                self._done[done] = meta[UI_KEY], new[UI_KEY]
        return lost

    def _unknown(self, tools: Iterable[tuple[int, Tool]]) -> list[tuple[int, Tool]]:
        """Return the tools that need a look-up; into the others goes what was worked out before."""
        done = self._done
        if len(done) > _LIMIT:
            done.clear()
        rest: list[tuple[int, Tool]] = []
        for at, tool in tools:
            if type(tool) is not FastMCPProviderTool:
                rest.append((at, tool))
                continue
            fields = vars(tool)
            meta = fields["meta"]
            private: dict[str, Any] = tool.__pydantic_private__ or {}
            ui = meta[UI_KEY]
            known = done.get((id(ui), fields.get(TRAIL), id(private.get("_server"))))
            if known is None:
                rest.append((at, tool))
            elif known[1] is not ui:
                meta[UI_KEY] = known[1]  # a `_meta` that was made for this very list
        return rest

    async def _original(self, tool: Tool) -> Tool:
        """Return the tool itself where a cache kept a plain copy, which has forgotten its way."""
        if type(tool) is not Tool:
            return tool
        if tool.name not in self._listed_as:
            self._listed_as[tool.name] = await self._attachment.server.get_tool(tool.name)
        return self._listed_as[tool.name] or tool

    async def resolve(self, uri: str, tool: Tool) -> str:
        """Return what a URI in a tool's result is called here; unchanged when it leads nowhere."""
        self._refresh()
        return (await self._resolve(uri, self._origin(tool, declared=False))).uri or uri

    async def page(self, uri: str) -> Resource | ResourceTemplate | None:
        """Look a page up as a read of this caller would."""
        return await page_for_caller(self._attachment.server, uri)

    def _origin(self, tool: Tool, *, declared: bool = True) -> _Origin:
        """Find where a tool's link was written; with `declared=False`, its results."""
        fields = vars(tool)
        server = self._attachment.server
        own = declaration_of(tool, server) if declared else None
        page = None if own is None else own.page
        if declared and server in fields.get(ATTACHED_MARK, ()) and declaration_of(tool) is None:
            # `attach_ui` speaks of this server's own addresses.
            return _Origin(namespaces_of(server), page=page)
        trail = trail_of(tool)
        parent: Tool | None = fields.get("parent_tool")
        if declared and parent is not None and UI_MARK in fields:
            # A tool made from another one, with a page of its own.
            return _Origin(trail[len(trail_of(parent)) :], page=page)
        if is_proxied(tool):
            return _Origin(trail, backend=backend_of(tool))
        return _Origin(trail, mount_of(tool), page=page)

    async def _resolve(self, link: str, origin: _Origin) -> _Seen:
        if origin.backend is not None and self._trusts(link, origin):
            # Its back end promises that the page is there; asking would be one more round trip.
            return _Seen(seen_uri(link, origin.trail))
        server = self._attachment.server
        for candidate in candidates(link, origin.trail):
            page = await page_for_caller(server, candidate)
            if page is not None and await self._is_meant(page, link, origin):
                own = mount_of(page) is origin.mount or not (mount_of(page) or is_proxied(page))
                return _Seen(await listed_address(server, candidate, page), lasting=own)
        known = origin.backend is not None or await self._is_known(link, origin)
        if not known and may_answer_reads(server):
            return _Seen(link, lasting=False)
        # What stands behind this server may hide the page from one caller, or only be late.
        return _Seen(None, known, lasting=not sources(server))

    def _trusts(self, link: str, origin: _Origin) -> bool:
        """Tell whether nothing here can hide a back end's page, or stand in its place."""
        server = self._attachment.server
        behind = sources(server)
        alone = len(behind) == 1 and connects(behind[0]) is origin.backend
        return self._open and alone and not stands(server, seen_uri(link, origin.trail))

    async def _is_meant(self, page: Any, link: str, origin: _Origin) -> bool:
        """Tell whether a page is the one a tool means, not a neighbour's of the same address."""
        if origin.backend is not None:
            return is_proxied(page) and backend_of(page) is origin.backend
        below = mount_of(page)
        if origin.mount is None:
            foreign = below is not None or is_proxied(page)
            if foreign:
                return not stands_locally(self._attachment.server, link)
            return origin.page is None or self._is_same(page, origin.page)
        # Another server's page is right only if the tool's own server has none under its link.
        return below is origin.mount or await page_for_caller(origin.mount, link) is None

    def _is_same(self, page: Any, meant: AppResource) -> bool:
        """Tell whether a page is the one a tool brings; two of one address are said once."""
        declared = declared_page(page)
        if declared is not None and source_of(declared) == source_of(meant):
            return True
        key = meant.uri, source_of(meant)
        if key not in self._said:
            self._said.add(key)
            served = f"resource {page.name!r}" if declared is None else declared.subject
            _logger.warning("%s", _conflict(self._attachment.server, meant, served))
        return False

    async def _is_known(self, link: str, origin: _Origin) -> bool:
        """Tell whether the page is here, though not to be read: then none further out is meant."""
        server = self._attachment.server
        if any(stands(server, candidate) for candidate in candidates(link, origin.trail)):
            return True
        return origin.mount is not None and await page_for_caller(origin.mount, link) is not None

    def _refresh(self) -> None:
        server = self._attachment.server
        state = state_of(server)
        if state != self._state:
            self._remembered = {}
            self._done = {}
            self._listed_as = {}
            self.token = object()
            self._state = state
            self._open = is_open(server)
            dialects = dialects_of(server)
            self._spellings = Spellings(dialects) if dialects else None


def _linked(tools: Sequence[Tool], positions: Iterable[int]) -> list[tuple[int, Tool]]:
    """Return those of some tools that have `_meta.ui`, with their positions."""
    return [(at, tool) for at in positions if UI_KEY in ((tool := tools[at]).meta or ())]


def _conflict(server: Server, meant: AppResource, served: str) -> Finding:
    return Finding(
        code=Code.PAGE_CONFLICT,
        subject=f"page {meant.uri} of {meant.subject}",
        problem=f"is not what server {server.name!r} serves there: that is {served}.",
        consequence="Its tool is listed without a page.",
        remedy="Give each page its own address.",
    )


def _key_of(tool: Tool) -> _Key | None:
    """Return what tells a mounted tool's link from others, at little cost; `None` for the rest.

    A mounted server shows one `ui` object of a tool on each list, in a tool of its own.
    """
    fields = vars(tool)
    if type(tool) is not FastMCPProviderTool or UI_MARK in fields or ATTACHED_MARK in fields:
        return None
    meta = fields["meta"]
    trail = fields.get(TRAIL)
    if trail is None or FLAT_LINK_KEY in meta or OPENAI_LINK_KEY in meta:
        return None
    return id(meta[UI_KEY]), trail, id((tool.__pydantic_private__ or {}).get("_server"))


def backend_of(component: Any) -> object:
    """Return what a proxied component connects with: the same for all of one back end."""
    root: Any = root_of(component)
    factory: object = root._client_factory  # noqa: SLF001  FastMCP has no reader
    return getattr(factory, "factory", factory)


def connects(provider: Provider) -> object:
    """Return what a provider connects with, or `None` where it does not."""
    if not is_remote(provider):
        return None
    base: Any = base_of(provider)
    return getattr(base.client_factory, "factory", base.client_factory)


def _always(seen: str, _: str) -> str:
    return seen
