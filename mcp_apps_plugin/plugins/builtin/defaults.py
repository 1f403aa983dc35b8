"""Defaults for pages: per list, and only where the author's own list is empty.

The order is: what the page declares, then `AppsExtension(defaults=…)` of its server, then the
`MCP_APPS_CSP_*` environment. Its server is the one it is declared on, wherever that is mounted: no
server in front allows a page more than its author did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.metadata import Csp, ResourceUi
from mcp_apps_plugin.settings import read_settings

if TYPE_CHECKING:
    from fastmcp import FastMCP

    from mcp_apps_plugin.plugins.registry import Registry
    from mcp_apps_plugin.protocol.shapes import JsonObject


@hookimpl
def mcp_apps_customize_page(server: FastMCP[Any], ui: JsonObject) -> JsonObject:
    """Fill what the page leaves open."""
    declared = ResourceUi(**ui)
    for default in (_of_server(server), _of_environment()):
        if default is not None:
            declared = declared.filled(default)
    return declared.to_wire()


@hookimpl
def mcp_apps_audit(server: FastMCP[Any], registry: Registry) -> list[Finding]:
    """Find defaults that hold for no page, as all of them are those of mounted servers."""
    pages = registry.pages
    if _of_server(server) is None or not pages or any(p.server == server.name for p in pages):
        return []
    others = sorted({repr(page.server) for page in pages})
    return [
        Finding(
            code=Code.EXTENSION_SETTINGS,
            subject=f"AppsExtension of server {server.name!r}",
            problem="has `defaults=`, which hold for the pages of that server, and it has none: "
            f"all are those of {', '.join(others)}.",
            consequence="They do nothing.",
            remedy="Give them to the server that declares the pages, or to all servers with "
            "`MCP_APPS_CSP_*`.",
            severity="warning",
        )
    ]


def _of_server(server: FastMCP[Any]) -> ResourceUi | None:
    extension = getattr(server, "_extensions", {}).get(EXTENSION_ID)
    defaults = getattr(extension, "defaults", None)
    return defaults if isinstance(defaults, ResourceUi) else None


def _of_environment() -> ResourceUi | None:
    settings = read_settings()
    csp = {name: getattr(settings, f"csp_{name}") for name in Csp.model_fields}
    return ResourceUi(csp=csp) if any(csp.values()) else None
