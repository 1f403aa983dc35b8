"""MCP Apps for FastMCP: interactive pages for tools, by two decorators and no configuration.

Importing this package activates it for every FastMCP server of the process; `MCP_APPS_DISABLE=1`
keeps it off, `deactivate()` takes it back.
"""

from typing import TYPE_CHECKING

from mcp_apps_plugin.server.activation import activate, deactivate, is_active

if TYPE_CHECKING:
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

_HOMES = {
    "fastmcp.server.elicitation": (
        "AcceptedElicitation",
        "CancelledElicitation",
        "DeclinedElicitation",
    ),
    "mcp_apps_plugin.declarations.elicits": ("elicits",),
    "mcp_apps_plugin.declarations.link": ("ui",),
    "mcp_apps_plugin.declarations.page": ("AppResource", "app_resource"),
    "mcp_apps_plugin.declarations.page_file": ("Page",),
    "mcp_apps_plugin.plugins.hookspecs": ("hookimpl",),
    "mcp_apps_plugin.protocol.dialects": ("claude_domain",),
    "mcp_apps_plugin.protocol.findings": (
        "AppsConfigurationError",
        "AppsTypeError",
        "AppsValueError",
        "Code",
        "Finding",
        "MCPAppsCompatibilityWarning",
        "MCPAppsError",
        "MCPAppsPluginWarning",
        "MCPAppsWarning",
    ),
    "mcp_apps_plugin.protocol.metadata": ("Csp", "Permissions", "ResourceUi"),
    "mcp_apps_plugin.server.attachment": ("attach_ui",),
    "mcp_apps_plugin.server.audit": ("AuditReport", "audit"),
    "mcp_apps_plugin.server.content": ("PageError",),
    "mcp_apps_plugin.server.elicitation.elicit": ("elicit",),
    "mcp_apps_plugin.server.elicitation.errors": ("ElicitationError",),
    "mcp_apps_plugin.server.elicitation.steps": ("once",),
    "mcp_apps_plugin.server.extension": ("AppsExtension",),
    "mcp_apps_plugin.server.negotiation": (
        "Support",
        "call_id",
        "client_ui_settings",
        "supports_apps",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # checkers know every name by the imports above, and no other one

    def __getattr__(name: str) -> object:
        """Load a name when it is first used: a process need not pay for what it does not use."""
        if name not in _HOME_OF:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        from importlib import import_module  # noqa: PLC0415

        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """List the public names."""
        return sorted({*globals(), *__all__})


activate()
