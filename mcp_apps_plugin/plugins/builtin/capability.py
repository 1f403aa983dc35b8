"""The capability: every server says that it knows MCP Apps, whether it has a page or not.

A server cannot know at that moment which pages it will have, and a host that does not find the
entry may show none at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.constants import EXTENSION_ID, MIME_TYPE

if TYPE_CHECKING:
    from mcp_apps_plugin.protocol.shapes import JsonObject


@hookimpl
def mcp_apps_customize_capabilities() -> dict[str, JsonObject]:
    """Declare the page MIME type."""
    return {EXTENSION_ID: {"mimeTypes": [MIME_TYPE]}}
