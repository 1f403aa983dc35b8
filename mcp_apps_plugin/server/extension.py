"""`AppsExtension`: a server's own settings for MCP Apps, where the defaults do not do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fastmcp.server.extensions import ServerExtension
from pydantic_core import PydanticSerializationError, to_json

from mcp_apps_plugin.protocol.authored import authored
from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.protocol.dialects import DIALECTS
from mcp_apps_plugin.protocol.findings import (
    AppsTypeError,
    AppsValueError,
    Code,
    Finding,
    did_you_mean,
)
from mcp_apps_plugin.protocol.metadata import ResourceUi

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastmcp import FastMCP

    from mcp_apps_plugin.protocol.dialects import Dialect
    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.settings import AuditMode

_MODES = ("error", "warn", "off")


class AppsExtension(ServerExtension):
    """Settings of one server. No server needs one: everything works without.

    Register it with `server.add_extension(AppsExtension(…))`, before the server starts. What it
    sets wins over the environment.

    Where servers are mounted on one another, the one that a client talks to decides: its settings
    hold for all that it lists, and those of the servers behind it where they are talked to
    themselves. `defaults` alone stay with the server that declares the page.

    Args:
        defaults: Page options for this server's own pages that leave them open, per list: a
            `ResourceUi`, or a mapping with `csp`, `permissions`, `domain`, `prefers_border`. They
            hold wherever the server is mounted, and for no page of another one. Default: none.
        audit: What findings do at start-up, those of mounted servers too: `"error"` stops the
            server on errors, `"warn"` logs everything, `"off"` looks at nothing. Default:
            `MCP_APPS_AUDIT`, else `"error"`.
        settings: Further keys for `capabilities.extensions["io.modelcontextprotocol/ui"]`.
        bare_names: Whether a page may call a mounted server's tool by the name it was written
            with. Default `True`.
        dialects: Extra spellings that tools are listed with, mounted and proxied ones too, for
            hosts that read them: `"flat"` (`ui/resourceUri`) and `"openai"` (`openai/*`). What a
            server behind this one writes stays. Default: `MCP_APPS_DIALECTS`, else none.

    Raises:
        AppsTypeError: An option has another name, or a value another type
            (`extension-settings`).
        AppsValueError: `audit` is no such mode, a dialect is not known, or a default is not
            allowed.
    """

    identifier = EXTENSION_ID
    # A mounted server's settings are its own: they do not spread to the server it is mounted on.
    auto_register = False

    @authored(Code.EXTENSION_SETTINGS, "AppsExtension")
    def __init__(
        self,
        *,
        defaults: ResourceUi | Mapping[str, Any] | None = None,
        audit: AuditMode | None = None,
        settings: Mapping[str, Any] | None = None,
        bare_names: bool = True,
        dialects: Sequence[Dialect] | None = None,
    ) -> None:
        _refuse_unknown("audit", (audit,), (None, *_MODES))
        if isinstance(dialects, str):
            raise AppsTypeError(_wrong(f"`dialects={dialects!r}` is one text.", _LIST))
        _refuse_unknown("dialects", dialects or (), DIALECTS)
        if not isinstance(bare_names, bool):
            problem = f"`bare_names={bare_names!r}` is neither `True` nor `False`."
            raise AppsTypeError(_wrong(problem, "Write one of the two."))
        self.defaults = None if defaults is None else ResourceUi.coerce(defaults)
        self.audit = audit
        self.bare_names = bare_names
        self.dialects = None if dialects is None else tuple(dialects)
        if settings is not None and not isinstance(settings, Mapping):
            problem = f"`settings={settings!r}` is no mapping."
            raise AppsTypeError(_wrong(problem, 'Write `settings={"key": value}`.'))
        self._settings = dict(settings or {})
        try:
            to_json(self._settings)
        except PydanticSerializationError as error:
            problem = f"`settings=` is no JSON: {error}."
            remedy = "Use texts, numbers, lists and mappings."
            raise AppsTypeError(_wrong(problem, remedy)) from None

    def settings(self) -> JsonObject:
        """The author's own keys; the rest is merged in when a client asks."""
        return dict(self._settings)


def _refuse_unknown(option: str, given: Iterable[object], known: Sequence[object]) -> None:
    unknown = [value for value in given if value not in known]
    if unknown:
        names = [str(value) for value in known if value is not None]
        problem = f"`{option}=` has {unknown[0]!r}, which is not known."
        problem += did_you_mean(unknown[0], names)
        raise AppsValueError(_wrong(problem, f"Use {', '.join(map(repr, names))}."))


def _wrong(problem: str, remedy: str) -> Finding:
    return Finding(
        code=Code.EXTENSION_SETTINGS,
        subject="AppsExtension",
        problem=problem,
        consequence="The server would not do what its author asks for.",
        remedy=remedy,
    )


_LIST = f"Write a list: `dialects={list(DIALECTS)!r}`, or one of them in it."


def options_of(server: FastMCP[Any]) -> AppsExtension:
    """Return the settings of a server: its own, or the defaults."""
    extension = server._extensions.get(EXTENSION_ID)  # noqa: SLF001  FastMCP has no reader
    return extension if isinstance(extension, AppsExtension) else _DEFAULT


_DEFAULT = AppsExtension()
