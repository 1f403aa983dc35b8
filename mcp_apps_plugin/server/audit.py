"""Saying early, and all at once, what is wrong with a server."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.plugins.manager import plugins
from mcp_apps_plugin.protocol.findings import AppsConfigurationError, Finding, grouped
from mcp_apps_plugin.server.attachment import attachment_of
from mcp_apps_plugin.server.extension import options_of
from mcp_apps_plugin.server.off import used_though_off
from mcp_apps_plugin.server.private import lifespan_root_active
from mcp_apps_plugin.settings import read_settings

if TYPE_CHECKING:
    from fastmcp import FastMCP

    Server = FastMCP[Any]

_logger = logging.getLogger("mcp_apps_plugin")


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What the audit found.

    Attributes:
        server: The server's name.
        findings: Everything, errors first.
    """

    server: str
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What stops a start."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What is logged."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    def __str__(self) -> str:
        if not self.findings:
            return f"MCP Apps: server {self.server!r}: nothing to say."
        lines = "".join(
            f"\n  {f.severity}: {f}" + (f"\n    {same}" if same else "")
            for f, same in grouped(self.findings)
        )
        return f"MCP Apps: server {self.server!r}:{lines}"


async def audit(server: Server) -> AuditReport:
    """Look a server over, with everything mounted on it; no back end is contacted.

    The same happens when the server starts, except that a server without any page or link does not
    ask its author's own providers then. With `MCP_APPS_STRICT` every warning is an error.

    Args:
        server: The server.

    Returns:
        The report.
    """
    return await _audit(server, at_start=False)


async def _audit(server: Server, *, at_start: bool) -> AuditReport:
    from mcp_apps_plugin.server.survey import survey  # noqa: PLC0415  for a start only

    registry = await survey(server, at_start=at_start)
    found = [
        *registry.findings,
        *plugins().audit(server, registry),
        *used_though_off(registry),
    ]
    if read_settings().strict:
        found = [replace(finding, severity="error") for finding in found]
    unique = dict.fromkeys(found)
    ordered = sorted(unique, key=lambda finding: finding.severity != "error")
    return AuditReport(server.name, tuple(ordered))


async def check_start(server: Server) -> None:
    """Audit a server that starts, once for a whole tree.

    Raises:
        AppsConfigurationError: There are errors, and the mode is `"error"`.
    """
    mode = options_of(server).audit or read_settings().audit
    if mode == "off" or lifespan_root_active.get():
        return
    report = await _audit(server, at_start=True)
    if report.errors and mode == "error":
        raise AppsConfigurationError(server.name, report.errors)
    for finding in report.findings:
        _logger.warning("%s", finding)
    attachment = attachment_of(server)
    if attachment is not None:
        attachment.addresses.late.started(report.findings)
