"""MCP Apps for FastMCP: interactive pages for tools, by two decorators and no configuration.

Importing this package activates it for every FastMCP server of the process; `MCP_APPS_DISABLE=1`
keeps it off, `deactivate()` takes it back.
"""

from fastmcp.server.elicitation import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
)

from mcp_apps_plugin.declarations.elicits import elicits
from mcp_apps_plugin.declarations.link import ui
from mcp_apps_plugin.declarations.page import AppResource, app_resource
from mcp_apps_plugin.declarations.page_file import Page
from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.dialects import claude_domain
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
from mcp_apps_plugin.server.elicitation.elicit import elicit
from mcp_apps_plugin.server.elicitation.errors import ElicitationError
from mcp_apps_plugin.server.elicitation.steps import once
from mcp_apps_plugin.server.extension import AppsExtension
from mcp_apps_plugin.server.negotiation import (
    Support,
    call_id,
    client_ui_settings,
    supports_apps,
)

__all__ = [
    "AcceptedElicitation",
    "AppResource",
    "AppsConfigurationError",
    "AppsExtension",
    "AppsTypeError",
    "AppsValueError",
    "AuditReport",
    "CancelledElicitation",
    "Code",
    "Csp",
    "DeclinedElicitation",
    "ElicitationError",
    "Finding",
    "MCPAppsCompatibilityWarning",
    "MCPAppsError",
    "MCPAppsPluginWarning",
    "MCPAppsWarning",
    "Page",
    "PageError",
    "Permissions",
    "ResourceUi",
    "Support",
    "activate",
    "app_resource",
    "attach_ui",
    "audit",
    "call_id",
    "claude_domain",
    "client_ui_settings",
    "deactivate",
    "elicit",
    "elicits",
    "hookimpl",
    "is_active",
    "once",
    "supports_apps",
    "ui",
]

activate()
