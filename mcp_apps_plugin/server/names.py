"""Tool names: the ones a page was written with, and the ones its tools have on this server."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import ToolError
from fastmcp.resources import ResourceTemplate
from fastmcp.server.context import Context
from fastmcp.server.providers import Provider
from fastmcp.server.transforms.visibility import Visibility
from fastmcp.utilities.versions import dedupe_with_versions

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.links import visibility_of
from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.server.addresses import backend_of
from mcp_apps_plugin.server.emission import declared_page, source_of
from mcp_apps_plugin.server.far_names import written_far
from mcp_apps_plugin.server.trail import trail_of, written_name, written_uri
from mcp_apps_plugin.server.tree import (
    is_proxied,
    mount_of,
    name_below,
    namespaces_of,
    root_of,
    state_of,
    transforms_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastmcp import FastMCP
    from fastmcp.tools import Tool
    from fastmcp.utilities.components import FastMCPComponent

    from mcp_apps_plugin.server.trail import Trail

    Server = FastMCP[Any]

_LIMIT = 8192  # names known to exist; a server with more looks the rest up per call


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a component was written: the mounts it came through, outermost first, and its name.

    A back end stands for itself: what is below it is not in the path.
    """

    path: tuple[tuple[int, Trail], ...]
    written: str
    backend: int | None = None


class Names:
    """The names of one server's tools, for calls and for the pages it serves."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._state: object = None

    async def full_name(self, server: Server, name: str) -> str:
        """Return the name under which a call reaches a tool.

        A tool of that very name goes first. Otherwise the one tool that a page may call and that
        was written with this name, on whatever mounted server.

        Args:
            server: The server that was called.
            name: The name in the call.

        Returns:
            The listed name, or `name` when no tool was written with it.

        Raises:
            ToolError: Several tools were written with this name (`name-ambiguous`).
        """
        state = state_of(server)
        if state != self._state:
            self._known.clear()
            self._state = state
        if name in self._known:
            return name
        if await server.get_tool(name) is not None:
            if len(self._known) < _LIMIT:
                self._known.add(name)
            return name
        origins = await _origins(server)
        if not any(UI_KEY in (tool.meta or ()) for tool, _ in origins.values()):
            return name  # a server without pages knows the names it lists, and no others
        exact = _callable_by_pages(origins, lambda origin: origin.written == name).values()
        found = sorted({*exact, *_below_back_ends(origins, name)})
        if found and any(tool.name == name for tool in await Provider.list_tools(server)):
            return name  # there is one, though not for this caller
        if len(found) > 1:
            raise ToolError(str(_ambiguous(server, name, found)))
        return found[0] if found else name

    async def in_page(self, server: Server, uri: str, html: str) -> str:
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
        found = _callable_by_pages(await _origins(server), lambda origin: origin.path == path)
        names = {origin.written: seen for origin, seen in found.items() if origin.written != seen}
        return _with_names(html, names)


async def _listed(server: Server, uri: str) -> FastMCPComponent | None:
    """Find the page of a back end that was read with an older hash, or with none."""
    address = unversioned(uri)
    for page in await server.list_resources(run_middleware=False):
        if unversioned(str(page.uri)) == address:
            return page
    return None


def _callable_by_pages(
    origins: dict[str, tuple[Tool, _Origin]], wanted: Callable[[_Origin], bool]
) -> dict[_Origin, str]:
    """Return the names of tools that a page may call; of several for one, the original's."""
    found: dict[_Origin, str] = {}
    # The tool itself before one made from it, and the server's own before a provider's namesake.
    nearest = sorted(
        origins.items(),
        key=lambda item: (root_of(item[1][0]) is not item[1][0], len(trail_of(item[1][0]))),
    )
    for seen, (tool, origin) in nearest:
        if wanted(origin) and "app" in visibility_of(tool.meta):
            found.setdefault(origin, seen)
    return found


def _below_back_ends(origins: dict[str, tuple[Tool, _Origin]], name: str) -> Iterator[str]:
    """Yield the tools that a page may call, and that back ends mounted under another name."""
    by_backend: dict[int, list[Tool]] = {}
    for seen, (_, origin) in origins.items():
        if origin.backend is not None and seen.endswith(f"_{name}"):
            by_backend.setdefault(origin.backend, [])
    if not by_backend:
        return
    for tool, origin in origins.values():
        if origin.backend in by_backend:
            by_backend[origin.backend].append(tool)
    for tools in by_backend.values():
        written = written_far(tools)
        for tool in tools:
            if written.get(tool.name) == name and "app" in visibility_of(tool.meta):
                yield tool.name


def _ambiguous(server: Server, name: str, found: list[str]) -> Finding:
    return Finding(
        code=Code.NAME_AMBIGUOUS,
        subject=f"tool {name!r} of server {server.name!r}",
        problem=f"is not listed; {len(found)} tools were written with this name: "
        f"{', '.join(found)}.",
        consequence="The call was not made.",
        remedy="Call one of them by its full name, or use the page library, which knows it.",
    )


async def _origins(server: Server) -> dict[str, tuple[Tool, _Origin]]:
    """Find where every tool that this caller sees was written."""
    origins: dict[str, tuple[Tool, _Origin]] = {}
    below: dict[int, dict[str, tuple[Tool, _Origin]]] = {}
    for tool in dedupe_with_versions(await server.list_tools(), lambda tool: tool.name):
        mount = mount_of(tool)
        trail = trail_of(tool)
        if mount is not None:
            if id(mount) not in below:
                below[id(mount)] = await _origins(mount)
            deeper = below[id(mount)].get(name_below(tool))
            if deeper is not None:
                path = ((id(mount), trail), *deeper[1].path)
                origins[tool.name] = tool, _Origin(path, deeper[1].written, deeper[1].backend)
            continue
        # A back end stands for itself: its names are the ones it lists.
        backend = id(backend_of(tool)) if is_proxied(tool) else None
        path = ((0, trail),) if trail else ()
        name = written_name(root_of(tool).name, trail_of(root_of(tool)))
        origins[tool.name] = tool, _Origin(path, name or tool.name, backend)
    return origins


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
