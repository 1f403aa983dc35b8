"""Calls by the name that a page was written with, where the tool is listed under another.

Pages of other libraries are not told the names of the endpoint in front. FastMCP is asked first,
with all of an author's middleware; only what it does not know is looked for, and called by the
name it is listed under, once more from the start.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import NotFoundError
from fastmcp.server.providers import FastMCPProvider, LocalProvider, Provider
from fastmcp.tools import Tool

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.links import link_of, visibility_of
from mcp_apps_plugin.server.far_names import written_far
from mcp_apps_plugin.server.older_servers import KEY
from mcp_apps_plugin.server.origins import callable_by_pages, origins_of
from mcp_apps_plugin.server.tree import base_of, local_components

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP

    from mcp_apps_plugin.server.attachment import Attachment
    from mcp_apps_plugin.server.origins import Origin

    Server = FastMCP[Any]

_logger = logging.getLogger("mcp_apps_plugin")


def is_unknown(error: BaseException, name: str) -> bool:
    """Tell whether FastMCP knows no tool of a name, whatever a middleware made of its error."""
    said = f"Unknown tool: {name!r}"
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, NotFoundError) and str(seen) == said:
            return True
        seen = seen.__cause__ or seen.__context__
    return False


async def written_with(server: Server, name: str) -> list[str]:
    """Return the listed names of the tools that a page may mean by a name.

    They are tools that a page may call, written with this name on a server, or a back end, that
    has a page. Usually one.

    Args:
        server: The server that was called.
        name: The name in the call, which the server does not list.
    """
    if not _may_have_pages(server):
        return []
    try:
        origins = await origins_of(server)
        if await server.get_tool(name) is not None:
            return []  # an author's middleware keeps it from this caller
        with_pages = {_home(origin) for tool, origin in origins.values() if link_of(tool.meta)}
        exact = callable_by_pages(
            origins, lambda origin: origin.written == name and _home(origin) in with_pages
        ).values()
        found = sorted({*exact, *_below_back_ends(origins, name)})
        if found and any(tool.name == name for tool in await Provider.list_tools(server)):
            return []  # there is one, though not for this caller
    except Exception:
        # An author's list may refuse this caller, who then knows no other names.
        _logger.debug("Tools written as %r were not looked for", name, exc_info=True)
        return []
    return found


def ambiguous(server: Server, name: str, found: list[str]) -> Finding:
    """Say that several tools were written with one name."""
    return Finding(
        code=Code.NAME_AMBIGUOUS,
        subject=f"tool {name!r} of server {server.name!r}",
        problem=f"is not listed; {len(found)} tools were written with this name: "
        f"{', '.join(found)}.",
        consequence="The call was not made.",
        remedy="Call one of them by its full name, or use the page library, which knows it.",
    )


def _may_have_pages(server: Server) -> bool:
    """Tell without asking anybody whether a server can have a page, its own or a mounted one."""
    for provider in server.providers:
        base = base_of(provider)
        if isinstance(base, FastMCPProvider):
            if _may_have_pages(base.server):
                return True
        elif not isinstance(base, LocalProvider):
            return True  # only asking would tell
    attachment: Attachment | None = vars(server).get(KEY)
    if attachment is not None and attachment.links:
        return True
    return any(
        declaration_of(component) is not None or link_of(component.meta) is not None
        for component in local_components(server)
        if isinstance(component, Tool)
    )


def _home(origin: Origin) -> tuple[object, int | None]:
    """Return the server, or the back end, that a tool was written on."""
    return origin.path, origin.backend


def _below_back_ends(origins: dict[str, tuple[Tool, Origin]], name: str) -> Iterator[str]:
    """Yield the tools that a page may call, and that back ends mounted under another name.

    What their names were is read off, so only tools that say themselves that they take part count.
    """
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
            takes_part = UI_KEY in (tool.meta or {}) and "app" in visibility_of(tool.meta)
            if takes_part and written.get(tool.name) == name:
                yield tool.name
