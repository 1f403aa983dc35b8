"""`AppsExtension`: a server's own settings for MCP Apps, where the defaults do not do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.extensions import ServerExtension

from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.protocol.findings import AppsValueError, Code, Finding
from mcp_apps_plugin.protocol.metadata import ResourceUi

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastmcp import FastMCP

    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.settings import AuditMode

_MODES = ("error", "warn", "off")


class AppsExtension(ServerExtension):
    """Settings of one server. No server needs one: everything works without.

    Register it with `server.add_extension(AppsExtension(…))`, before the server starts. What it
    sets wins over the environment.

    Args:
        defaults: Page options for pages that leave them open, per list: a `ResourceUi`, or a
            mapping with `csp`, `permissions`, `domain`, `prefers_border`. Default: none.
        audit: What findings do at start-up: `"error"` stops the server on errors, `"warn"` logs
            everything, `"off"` looks at nothing. Default: `MCP_APPS_AUDIT`, else `"error"`.
        settings: Further keys for `capabilities.extensions["io.modelcontextprotocol/ui"]`.
        bare_names: Whether a page may call a mounted server's tool by the name it was written
            with. Default `True`.

    Raises:
        AppsValueError: `audit` is no such mode, or a default is not allowed.
    """

    identifier = EXTENSION_ID
    # A mounted server's settings are its own: they do not spread to the server it is mounted on.
    auto_register = False

    def __init__(
        self,
        *,
        defaults: ResourceUi | Mapping[str, Any] | None = None,
        audit: AuditMode | None = None,
        settings: Mapping[str, Any] | None = None,
        bare_names: bool = True,
    ) -> None:
        if audit is not None and audit not in _MODES:
            raise AppsValueError(
                Finding(
                    code=Code.EXTENSION_SETTINGS,
                    subject="AppsExtension",
                    problem=f"`audit={audit!r}` is no such mode.",
                    consequence="Nothing would look at the server before it starts.",
                    remedy=f"Use one of {', '.join(_MODES)}.",
                )
            )
        self.defaults = None if defaults is None else ResourceUi.coerce(defaults)
        self.audit = audit
        self.bare_names = bare_names
        self._settings = dict(settings or {})

    def settings(self) -> JsonObject:
        """The author's own keys; the rest is merged in when a client asks."""
        return dict(self._settings)


def options_of(server: FastMCP[Any]) -> AppsExtension:
    """Return the settings of a server: its own, or the defaults."""
    extension = server._extensions.get(EXTENSION_ID)  # noqa: SLF001  FastMCP has no reader
    return extension if isinstance(extension, AppsExtension) else _DEFAULT


_DEFAULT = AppsExtension()
