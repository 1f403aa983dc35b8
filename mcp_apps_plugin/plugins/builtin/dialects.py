"""Dialects of hosts, off unless asked for by `AppsExtension(dialects=…)` or `MCP_APPS_DIALECTS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.protocol.dialects import in_dialects
from mcp_apps_plugin.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastmcp import FastMCP

    from mcp_apps_plugin.protocol.shapes import JsonObject


@hookimpl
def mcp_apps_customize_tool(server: FastMCP[Any], meta: JsonObject) -> JsonObject | None:
    """Write the link and the visibility in every dialect that is asked for."""
    dialects = dialects_of(server)
    return in_dialects(meta, dialects) if dialects else None


def dialects_of(server: FastMCP[Any]) -> Sequence[str]:
    """Return the dialects that a server lists its tools in: its own, or the environment's."""
    extension = getattr(server, "_extensions", {}).get(EXTENSION_ID)
    wanted: Sequence[str] | None = getattr(extension, "dialects", None)
    return read_settings().dialects if wanted is None else wanted
