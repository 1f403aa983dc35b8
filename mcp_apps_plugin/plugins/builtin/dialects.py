"""Dialects of hosts, off unless asked for by `AppsExtension(dialects=…)` or `MCP_APPS_DIALECTS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.protocol.dialects import in_dialects
from mcp_apps_plugin.settings import read_settings

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from mcp_apps_plugin.protocol.shapes import JsonObject


@hookimpl
def mcp_apps_customize_tool(server: FastMCP[Any], meta: JsonObject) -> JsonObject | None:
    """Write the link and the visibility in every dialect that is asked for."""
    extension = getattr(server, "_extensions", {}).get(EXTENSION_ID)
    wanted = getattr(extension, "dialects", None)
    dialects = read_settings().dialects if wanted is None else wanted
    return in_dialects(meta, dialects) if dialects else None
