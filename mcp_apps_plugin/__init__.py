"""MCP Apps for FastMCP: interactive pages for tools, by two decorators and no configuration.

Importing this package activates it for every FastMCP server of the process; `MCP_APPS_DISABLE=1`
keeps it off, `deactivate()` takes it back.
"""

from mcp_apps_plugin.declarations.link import ui
from mcp_apps_plugin.declarations.page import AppResource, app_resource
from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.findings import (
    AppsConfigurationError,
    AppsTypeError,
    AppsValueError,
    Code,
    Finding,
    MCPAppsCompatibilityWarning,
    MCPAppsError,
    MCPAppsPluginWarning,
    MCPAppsWarning,
)
from mcp_apps_plugin.protocol.metadata import Csp, Permissions, ResourceUi
from mcp_apps_plugin.server.activation import activate, deactivate, is_active
from mcp_apps_plugin.server.attachment import attach_ui
from mcp_apps_plugin.server.audit import AuditReport, audit
from mcp_apps_plugin.server.content import PageError
from mcp_apps_plugin.server.extension import AppsExtension
from mcp_apps_plugin.server.negotiation import (
    Support,
    call_id,
    client_ui_settings,
    supports_apps,
)

__all__ = [
    "AppResource",
    "AppsConfigurationError",
    "AppsExtension",
    "AppsTypeError",
    "AppsValueError",
    "AuditReport",
    "Code",
    "Csp",
    "Finding",
    "MCPAppsCompatibilityWarning",
    "MCPAppsError",
    "MCPAppsPluginWarning",
    "MCPAppsWarning",
    "PageError",
    "Permissions",
    "ResourceUi",
    "Support",
    "activate",
    "app_resource",
    "attach_ui",
    "audit",
    "call_id",
    "client_ui_settings",
    "deactivate",
    "hookimpl",
    "is_active",
    "supports_apps",
    "ui",
]

activate()
