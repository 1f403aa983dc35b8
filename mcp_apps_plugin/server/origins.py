"""Where the tools that a server lists were written: below which mounts, and under which names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastmcp.utilities.versions import dedupe_with_versions

from mcp_apps_plugin.protocol.links import visibility_of
from mcp_apps_plugin.server.addresses import backend_of
from mcp_apps_plugin.server.trail import trail_of, written_name
from mcp_apps_plugin.server.tree import is_proxied, mount_of, name_below, root_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp import FastMCP
    from fastmcp.tools import Tool

    from mcp_apps_plugin.server.trail import Trail

    Server = FastMCP[Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a component was written: the mounts it came through, outermost first, and its name.

    A back end stands for itself: what is below it is not in the path.
    """

    path: tuple[tuple[int, Trail], ...]
    written: str
    backend: int | None = None


async def origins_of(server: Server) -> dict[str, tuple[Tool, Origin]]:
    """Find where every tool that this caller sees was written, by its listed name."""
    origins: dict[str, tuple[Tool, Origin]] = {}
    below: dict[int, dict[str, tuple[Tool, Origin]]] = {}
    for tool in dedupe_with_versions(await server.list_tools(), lambda tool: tool.name):
        mount = mount_of(tool)
        trail = trail_of(tool)
        if mount is not None:
            if id(mount) not in below:
                below[id(mount)] = await origins_of(mount)
            deeper = below[id(mount)].get(name_below(tool))
            if deeper is not None:
                path = ((id(mount), trail), *deeper[1].path)
                origins[tool.name] = tool, Origin(path, deeper[1].written, deeper[1].backend)
            continue
        # A back end stands for itself: its names are the ones it lists.
        backend = id(backend_of(tool)) if is_proxied(tool) else None
        path = ((0, trail),) if trail else ()
        name = written_name(root_of(tool).name, trail_of(root_of(tool)))
        origins[tool.name] = tool, Origin(path, name or tool.name, backend)
    return origins


def callable_by_pages(
    origins: dict[str, tuple[Tool, Origin]], wanted: Callable[[Origin], bool]
) -> dict[Origin, str]:
    """Return the names of tools that a page may call; of several for one, the original's."""
    found: dict[Origin, str] = {}
    # The tool itself before one made from it, and the server's own before a provider's namesake.
    nearest = sorted(
        origins.items(),
        key=lambda item: (root_of(item[1][0]) is not item[1][0], len(trail_of(item[1][0]))),
    )
    for seen, (tool, origin) in nearest:
        if wanted(origin) and "app" in visibility_of(tool.meta):
            found.setdefault(origin, seen)
    return found
