"""The fixed names of the MCP Apps specification (SEP-1865, stable 2026-01-26)."""

from __future__ import annotations

from typing import Final

EXTENSION_ID: Final = "io.modelcontextprotocol/ui"
"""The key of MCP Apps in `capabilities.extensions`, on clients and servers."""

MIME_TYPE: Final = "text/html;profile=mcp-app"
"""The MIME type of a page. Hosts compare it as an exact string: no space, no other case."""

URI_SCHEME: Final = "ui://"
"""The URI scheme of pages, reserved for MCP Apps."""

UI_KEY: Final = "ui"
"""The key in `_meta` that carries a tool's link or a page's options."""

FLAT_LINK_KEY: Final = "ui/resourceUri"
"""The deprecated flat spelling of a tool's link, directly in `_meta`."""

OPENAI_LINK_KEY: Final = "openai/outputTemplate"
"""The spelling of a tool's link that ChatGPT's own format uses, directly in `_meta`."""

VIEW_PROTOCOL_VERSION: Final = "2026-01-26"
"""The version of the dialect between host and view. Unrelated to the MCP version."""

MODERN_MCP_VERSION: Final = "2026-07-28"
"""The first MCP version without a handshake: the *modern* era starts here."""
