"""The rules, one subject per module: each takes a surface and yields findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.checks.rules import (
    handshake,
    hosts,
    library,
    local,
    pages,
    sandbox,
    styles,
    tools,
)

if TYPE_CHECKING:
    from mcp_apps_plugin.checks.surface import Surface
    from mcp_apps_plugin.protocol.findings import Finding

_MODULES = (tools, pages, local, handshake, library, styles, sandbox, hosts)


def judge(surface: Surface) -> list[Finding]:
    """Apply every rule to one surface."""
    return [finding for module in _MODULES for rule in module.RULES for finding in rule(surface)]
