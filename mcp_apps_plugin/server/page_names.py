"""The names that a page is told: those its tools have where it is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastmcp.resources import ResourceTemplate
from fastmcp.server.context import Context
from fastmcp.server.transforms.visibility import Visibility

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.server.emission import declared_page, source_of
from mcp_apps_plugin.server.origins import callable_by_pages, origins_of
from mcp_apps_plugin.server.trail import trail_of, written_uri
from mcp_apps_plugin.server.tree import mount_of, name_below, namespaces_of, transforms_of

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from fastmcp.utilities.components import FastMCPComponent

    from mcp_apps_plugin.server.trail import Trail

    Server = FastMCP[Any]


async def in_page(server: Server, uri: str, html: str) -> str:
    """Tell a page what the tools it was written with are called where it is read.

    Args:
        server: The server it is read on.
        uri: Its address there.
        html: The document. Only one with the page library is changed.
    """
    if "McpApp" not in html or all(isinstance(t, Visibility) for t in transforms_of(server)):
        return html  # every name is as it was written
    path = await _path_of(server, uri)
    if path is None:
        return html
    found = callable_by_pages(await origins_of(server), lambda origin: origin.path == path)
    names = {origin.written: seen for origin, seen in found.items() if origin.written != seen}
    return _with_names(html, names)


async def _listed(server: Server, uri: str) -> FastMCPComponent | None:
    """Find the page of a back end that was read with an older hash, or with none."""
    address = unversioned(uri)
    for page in await server.list_resources(run_middleware=False):
        if unversioned(str(page.uri)) == address:
            return page
    return None


async def _path_of(server: Server, uri: str) -> tuple[tuple[int, Trail], ...] | None:
    """Find the mounts that a page came through, outermost first; `None` for no page."""
    async with Context(fastmcp=server):
        page: FastMCPComponent | None = (
            await server.get_resource(uri)
            or await server.get_resource_template(uri)
            or await _listed(server, uri)
        )
    if page is None:
        return None
    mount = mount_of(page)
    trail = trail_of(page)
    if mount is None:
        trail = await _trail_of_its_tools(server, page, trail)
        return ((0, trail),) if trail else ()
    # A template's own name is a pattern; what was asked of it is the address.
    template = isinstance(page, ResourceTemplate)
    below = written_uri(uri, trail) if template else name_below(page)
    deeper = None if below is None else await _path_of(mount, below)
    return ((id(mount), trail), *(deeper or ()))


async def _trail_of_its_tools(server: Server, page: FastMCPComponent, trail: Trail) -> Trail:
    """Return the namespaces of the tools that bring a page.

    The server itself serves it, though its tools may stand in a provider that has a namespace.
    """
    declared = declared_page(page)
    if declared is None or not any(namespaces_of(provider) for provider in server.providers):
        return trail
    source = source_of(declared)
    async with Context(fastmcp=server):
        tools = await server.list_tools(run_middleware=False)
    trails = {
        trail_of(tool)
        for tool in tools
        if (own := declaration_of(tool)) is not None
        and own.page is not None
        and source_of(own.page) == source
    }
    return trails.pop() if len(trails) == 1 and trail not in trails else trail


def _with_names(html: str, names: dict[str, str]) -> str:
    """Embed names; a back end may have embedded its own, which are then mapped on."""
    from mcp_apps_plugin.view import embed  # noqa: PLC0415  heavy, and for pages only
    from mcp_apps_plugin.view.data import json_text, names_place  # noqa: PLC0415

    place = names_place(html)
    if place is None:
        return embed(html, names=names)
    theirs: dict[str, str] = json.loads(html[place])
    composed = {written: names.get(seen, seen) for written, seen in theirs.items()}
    return html[: place.start] + json_text({**names, **composed}) + html[place.stop :]
