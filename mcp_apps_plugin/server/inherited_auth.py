"""`auth="inherit"`: a page is readable for those who may use one of the tools that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.server import _component_auth_allows
from fastmcp.tools import Tool

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.server.tree import local_components

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from mcp_apps_plugin.declarations.page import AppResource

    Server = FastMCP[Any]


async def may_read(server: Server, page: AppResource) -> bool:
    """Tell whether this caller may read a page.

    A page that no tool shows has nobody to inherit from, and is open.

    Args:
        server: The server that serves it.
        page: The page.
    """
    if page.auth != "inherit":
        return True
    showing = [tool for tool in local_components(server) if _shows(tool, page)]
    for tool in showing:
        if await _component_auth_allows(tool):  # type: ignore[arg-type]  # a `Tool`, see `_shows`
            return True
    return not showing


def _shows(component: object, page: AppResource) -> bool:
    if not isinstance(component, Tool):
        return False
    declaration = declaration_of(component)
    return declaration is not None and declaration.uri == page.uri
