"""One company's rules for the pages of all its servers, without a line in any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin import Finding, hookimpl

if TYPE_CHECKING:
    from mcp_apps_plugin.plugins.registry import Registry

CDN = "https://cdn.company.example"
EXTENSION = "example.company/support"


@hookimpl
def mcp_apps_customize_capabilities() -> dict[str, dict[str, Any]]:
    """Tell the company's hosts where to send a user whose page fails."""
    return {EXTENSION: {"contact": "pages@company.example"}}


@hookimpl
def mcp_apps_customize_page(ui: dict[str, Any]) -> dict[str, Any]:
    """Let every page load fonts and scripts from the company's CDN, and draw no border."""
    csp = ui.get("csp") or {}
    resources = dict.fromkeys([*csp.get("resourceDomains", ()), CDN])
    ui = {**ui, "csp": {**csp, "resourceDomains": list(resources)}}
    ui.setdefault("prefersBorder", False)
    return ui


@hookimpl
def mcp_apps_audit(registry: Registry) -> list[Finding]:
    """Find pages that ask for a camera: no server of this company has a reason to."""
    return [
        Finding(
            code="company-camera",
            subject=f"page {page.uri}",
            problem="asks for the camera.",
            consequence="The company's hosts refuse it.",
            remedy="Leave `camera` out of its `permissions=`.",
            severity="warning",
        )
        for page in registry.pages
        if "camera" in (page.ui.get("permissions") or {})
    ]
