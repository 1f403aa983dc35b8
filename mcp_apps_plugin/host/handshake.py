"""What the host tells a view in the handshake: who it is and what it can do."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

import mcp_types

from mcp_apps_plugin.protocol.constants import VIEW_PROTOCOL_VERSION
from mcp_apps_plugin.protocol.elicitation import DECLARED

if TYPE_CHECKING:
    from mcp_apps_plugin.host.callbacks import Callbacks
    from mcp_apps_plugin.host.resolve import ResolvedPage
    from mcp_apps_plugin.protocol.shapes import JsonObject


def default_host_info() -> mcp_types.Implementation:
    """Name this package as the host, for embedders that do not name themselves."""
    try:
        version = metadata.version("mcp-apps-plugin")
    except metadata.PackageNotFoundError:
        version = "0"  # run from a source tree
    return mcp_types.Implementation(name="mcp-apps-plugin", version=version)


def host_capabilities(
    callbacks: Callbacks,
    server: mcp_types.ServerCapabilities | None,
    page: ResolvedPage | None,
    *,
    hears_changes: bool,
    elicitation: bool,
) -> JsonObject:
    """Build `hostCapabilities`: what is wired, and nothing else.

    Args:
        callbacks: The embedder's side.
        server: What the server declared. Tools and resources are offered when it has them.
        page: What the sandbox was built for, told as `sandbox`; or `None`.
        hears_changes: Whether the host passes on the server's list changes.
        elicitation: Whether this view is to answer an elicitation (draft convention).
    """
    wired = {
        "openLinks": callbacks.on_open_link,
        "downloadFile": callbacks.on_download,
        "logging": callbacks.on_log,
        "sampling": callbacks.on_sampling,
    }
    capabilities: JsonObject = {name: {} for name, callback in wired.items() if callback}
    if callbacks.on_message is not None:
        capabilities["message"] = {name: {} for name in callbacks.message_modalities}
    if callbacks.on_model_context is not None:
        capabilities["updateModelContext"] = {name: {} for name in callbacks.context_modalities}
    changes = {"listChanged": True} if hears_changes else {}
    if server is None or server.tools is not None:
        capabilities["serverTools"] = changes
    if server is None or server.resources is not None:
        capabilities["serverResources"] = changes
    if page is not None:
        granted: JsonObject = {}
        if page.csp is not None:
            granted["csp"] = page.csp.to_wire()
        if permissions := page.permissions.to_wire():
            granted["permissions"] = permissions
        capabilities["sandbox"] = granted
    if elicitation:
        capabilities |= DECLARED
    return capabilities


def initialize_result(
    info: mcp_types.Implementation, capabilities: JsonObject, context: JsonObject
) -> JsonObject:
    """Build the answer to `ui/initialize`. All four fields are required by real views."""
    return {
        "protocolVersion": VIEW_PROTOCOL_VERSION,
        "hostInfo": info.model_dump(mode="json", by_alias=True, exclude_none=True),
        "hostCapabilities": capabilities,
        "hostContext": context,
    }


def tool_info(tool: mcp_types.Tool | None) -> JsonObject:
    """Build the part of the host context that names the tool; empty when there is none to name."""
    # A view refuses the whole handshake for a tool whose input is no object.
    if tool is None or tool.input_schema.get("type") != "object":
        return {}
    return {"toolInfo": {"tool": tool.model_dump(mode="json", by_alias=True, exclude_none=True)}}
