"""The hooks. Each says when it runs, what to return, and how several results become one.

Order, for all of them: implementations marked `tryfirst`, then the built-in ones, then others
by the names of their entry points, then those marked `trylast`. "Later wins" and "chained" follow
that order. An implementation may leave out arguments it does not need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fastmcp import FastMCP
    from fastmcp.tools import Tool

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.plugins.registry import Registry
    from mcp_apps_plugin.protocol.findings import Finding
    from mcp_apps_plugin.protocol.shapes import JsonObject

PROJECT = "mcp_apps_plugin"
"""The pluggy project name and the entry-point group."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a plugin's function as an implementation of the hook of its name."""


@hookspec
def mcp_apps_customize_capabilities(
    server: FastMCP[Any], capabilities: JsonObject
) -> Mapping[str, JsonObject] | None:
    """Declare or adjust entries of `capabilities.extensions`.

    Runs whenever a client asks what the server can do: for `initialize` and `server/discover`.

    Args:
        server: The server that answers.
        capabilities: Its capabilities as they would go out, to read, not to change.

    Returns:
        Settings by extension identifier, or `None`. All results are merged: objects deeply,
        lists as a union, and where two plugins set one value, the later wins.
    """


@hookspec
def mcp_apps_customize_tool(
    server: FastMCP[Any], tool: Tool, meta: JsonObject
) -> JsonObject | None:
    """Add to or change the `_meta` of a tool that takes part in MCP Apps.

    Runs once for each such tool of each server, not once per list.

    Args:
        server: The server that lists the tool.
        tool: The tool, to read, not to change.
        meta: Its `_meta`; `meta["ui"]` holds the link and the visibility.

    Returns:
        The new `_meta`, or `None` to leave it. Chained: each sees what the one before made.
        Every `ui://` link in it follows mounts and proxies, and gets the hash of a versioned page
        afterwards.
    """


@hookspec
def mcp_apps_customize_page(server: FastMCP[Any], uri: str, ui: JsonObject) -> JsonObject | None:
    """Set defaults or policy for a page.

    Runs once for each `ui://` resource of each server, not once per read.

    Args:
        server: The server that serves the page.
        uri: The page's address on this server.
        ui: Its `_meta.ui` as it is on the wire: `csp`, `permissions`, `domain`, `prefersBorder`.

    Returns:
        The new `_meta.ui`, or `None` to leave it. Chained. A result that the specification does
        not allow counts as a failure of the plugin.
    """


@hookspec
def mcp_apps_contribute_pages(server: FastMCP[Any]) -> Iterable[AppResource] | None:
    """Serve pages that no decorator declared.

    Runs when a server starts, and when its resources are listed.

    Args:
        server: The server that is to serve them.

    Returns:
        Pages, or `None`. All results are put together.
    """


@hookspec
def mcp_apps_audit(server: FastMCP[Any], registry: Registry) -> Iterable[Finding] | None:
    """Look for faults that only the whole server shows.

    Runs once when a server starts, and for `audit(server)`.

    Args:
        server: The server.
        registry: Its tools and pages, with those of the servers mounted on it.

    Returns:
        Findings, or `None`. All results are put together.
    """


@hookspec
def mcp_apps_server_attached(server: FastMCP[Any]) -> None:
    """Be told of a server.

    Runs for every server once it can show pages: those that exist when the plugin is loaded,
    and each later one. Nothing is returned.

    Args:
        server: The server. Keep no strong reference to it.
    """
