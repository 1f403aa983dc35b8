"""The link and the visibility that `@ui` declared, written into a tool's `_meta.ui`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.links import BOTH
from mcp_apps_plugin.protocol.shapes import as_object

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from fastmcp.tools import Tool

    from mcp_apps_plugin.protocol.shapes import JsonObject


@hookimpl
def mcp_apps_customize_tool(server: FastMCP[Any], tool: Tool, meta: JsonObject) -> JsonObject:
    """Write the declaration; keys that others wrote stay."""
    ui = dict(as_object(meta.get(UI_KEY)) or {})
    declaration = declaration_of(tool, server)
    if declaration is not None:
        if declaration.uri is not None:
            ui["resourceUri"] = declaration.uri
        ui["visibility"] = list(declaration.visibility)
    ui.setdefault("visibility", list(BOTH))
    return {**meta, UI_KEY: ui}
