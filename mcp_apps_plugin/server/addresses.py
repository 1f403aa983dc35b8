"""Where the links of one server lead: each to a page that this very caller can read here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import FastMCPError
from fastmcp.server.context import Context, _current_context
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.server.transforms.visibility import Visibility, get_session_transforms
from mcp.shared.exceptions import MCPError
from mcp_types import ReadResourceRequestParams

from mcp_apps_plugin.protocol.links import link_of, rewrite_links, without_links
from mcp_apps_plugin.server.emission import Emitted
from mcp_apps_plugin.server.trail import candidates, has_trail, passed_namespace, seen_uri, trail_of
from mcp_apps_plugin.server.tree import (
    is_proxied,
    layers_of,
    mount_of,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastmcp.resources import Resource, ResourceTemplate
    from fastmcp.tools import Tool

    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.server.attachment import Attachment
    from mcp_apps_plugin.server.trail import Trail

_LIMIT = 8192  # links that are remembered; a server with more asks anew for the rest


class Addresses:
    """Resolves links on one server. It remembers nothing about callers.

    Where every page is open to everyone, what a link became is remembered until components are
    added or removed. Where something may hide a page, each list asks as a read would.
    """

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment
        self._known: dict[tuple[str, Trail, int], str | None] = {}
        self._state: object = None
        self._token: object = object()

    async def address(self, tools: Sequence[Tool], *, outermost: bool) -> list[Tool]:
        """Rewrite the links of listed tools to what they are called here.

        Args:
            tools: The tools as listed, with their `_meta` written.
            outermost: Whether the list goes to a client. Then a link that leads nowhere is
                taken out; in a mounted server's list it may still be its parent's page.

        Returns:
            The tools, with copies where a caller sees another link than the next one.
        """
        listed = list(tools)
        pending = [(at, tool) for at, tool in enumerate(listed) if not self._settled(tool)]
        if not pending:
            return listed
        remember = not await self._guarded()
        self._refresh()
        for at, tool in pending:
            link = link_of(tool.meta)
            if link is None:
                continue
            trail = trail_of(tool)
            mount = mount_of(tool)
            key = link, trail, id(mount)
            if remember and key in self._known:
                seen = self._known[key]
            else:
                seen = await self._resolve(link, trail, tool, mount)
                if remember and len(self._known) < _LIMIT:
                    self._known[key] = seen
            if seen == link:
                if remember and isinstance(tool.meta, Emitted) and not trail:
                    tool.meta.settled = self._token
            elif seen is not None:
                listed[at] = _with_meta(
                    tool, rewrite_links(tool.meta or {}, partial(_always, seen))
                )
            elif outermost:
                listed[at] = _with_meta(tool, without_links(tool.meta or {}))
        return listed

    async def resolve(self, uri: str, tool: Tool) -> str:
        """Return what a URI in a tool's result is called here; unchanged when it leads nowhere."""
        return await self._resolve(uri, trail_of(tool), tool, mount_of(tool)) or uri

    async def page(self, uri: str) -> Resource | ResourceTemplate | None:
        """Look a page up as a read of this caller would."""
        server = self._attachment.server
        try:
            async with Context(fastmcp=server) as context:
                await self._ask_middleware(uri, context)
                return await server.get_resource(uri) or await server.get_resource_template(uri)
        except (FastMCPError, MCPError):
            return None

    def _settled(self, tool: Tool) -> bool:
        meta = tool.meta
        if not meta or "ui" not in meta:
            return True
        return isinstance(meta, Emitted) and meta.settled is self._token and not has_trail(tool)

    async def _resolve(
        self, link: str, trail: Trail, tool: Tool, mount: object | None
    ) -> str | None:
        if is_proxied(tool):
            # Its back end promises that the page is there; asking would be one more round trip.
            return seen_uri(link, trail)
        for candidate in candidates(link, trail):
            page = await self.page(candidate)
            if page is not None and await _is_meant(page, mount, link):
                return candidate
        return None

    async def _ask_middleware(self, uri: str, context: Context) -> None:
        request = MiddlewareContext(
            message=ReadResourceRequestParams(uri=uri),
            method="resources/read",
            fastmcp_context=context,
        )
        for middleware in self._guards():
            await middleware.check_resource_access(request)

    def _guards(self) -> list[Any]:
        plain = getattr(Middleware, "check_resource_access", None)
        return [
            each
            for each in self._attachment.server.middleware
            if getattr(type(each), "check_resource_access", plain) is not plain
        ]

    async def _guarded(self) -> bool:
        """Tell whether anything on this server may hide a page from somebody."""
        server = self._attachment.server
        layers = [server, *(layer for p in server.providers for layer in layers_of(p))]
        if any(isinstance(t, Visibility) for layer in layers for t in layer.transforms):
            return True
        if self._guards() or self._attachment.pages.guarded():
            return True
        context = _current_context.get()
        return context is not None and bool(await get_session_transforms(context))

    def _refresh(self) -> None:
        state = state_of(self._attachment.server)
        if state != self._state:
            self._known.clear()
            self._token = object()
            self._state = state


def _with_meta(tool: Tool, meta: JsonObject) -> Tool:
    """Return a tool with another `_meta`: a copy, unless it is one made for this very list."""
    if not passed_namespace(tool):
        tool = tool.model_copy()
    vars(tool)["meta"] = meta
    return tool


def _always(seen: str, _: str) -> str:
    return seen


async def _is_meant(page: object, mount: Any, link: str) -> bool:
    """Tell whether a page is the one a tool means, not a neighbour's of the same address."""
    if mount is None or getattr(page, "_server", None) is mount:
        return True
    from mcp_apps_plugin.server.attachment import attachment_of  # noqa: PLC0415  it owns this

    below = attachment_of(mount)
    # Another server's page is right only if the tool's own server has none under its link.
    return below is None or await below.addresses.page(link) is None
