"""`auth="inherit"`: a page is readable for those who may use one of the tools that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import AuthorizationError
from fastmcp.server.auth import AuthContext, run_auth_checks
from fastmcp.server.dependencies import get_access_token, get_context
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
    components = local_components(server)
    showing = [each for each in components if isinstance(each, Tool) and _shows(each, page)]
    for tool in showing:
        if await _allows(tool):
            return True
    return not showing


async def _allows(tool: Tool) -> bool:
    """Tell whether a tool's own checks admit this request, as FastMCP does for the tool."""
    if tool.auth is None or get_context().transport == "stdio":
        return True
    try:
        return await run_auth_checks(tool.auth, AuthContext(get_access_token(), tool))
    except AuthorizationError:
        return False


def _shows(tool: Tool, page: AppResource) -> bool:
    declaration = declaration_of(tool)
    return declaration is not None and declaration.uri == page.uri
