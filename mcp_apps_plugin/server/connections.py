"""Connections to back ends that are kept: one for each kind of client in front.

FastMCP keeps the process of a stdio back end, and its session, for all clients in front of a
proxy. A session declares itself once; shared by all, it would claim for one client what another
one declared. One for each declaration would let a client start processes, as it may declare
whatever it likes. So there are kinds of clients, and no connection tells anything of one client
alone.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from mcp_apps_plugin.protocol.capabilities import renders_pages
from mcp_apps_plugin.protocol.constants import MIME_TYPE
from mcp_apps_plugin.protocol.elicitation import DECLARED, declares

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_apps_plugin.protocol.shapes import JsonObject

_STDIO: Final = "fastmcp.client.transports.stdio"
_CONFIG: Final = "fastmcp.client.transports.config"

# They stand in each other and not in a table, so that they end together.
_OTHERS: Final = "_mcp_apps_others"
_AUTHORS: Final = "_mcp_apps_authors"


def is_kept(transport: object) -> bool:
    """Tell whether a connection outlives the request it was opened for, and serves others.

    Args:
        transport: What a proxy's client connects with.
    """
    inner: Any = transport
    if _is_config(transport):
        # Of one server. Several are connected anew for each request, and end with it.
        inner = vars(transport).get("transport")
    stdio = sys.modules.get(_STDIO)
    return stdio is not None and isinstance(inner, stdio.StdioTransport) and bool(inner.keep_alive)


def shared_settings(settings: Mapping[str, Any] | None, *, asks: bool) -> JsonObject | None:
    """Return what a kept connection declares of MCP Apps, for all clients of one kind.

    Args:
        settings: What the client in front declared.
        asks: Whether it takes questions. Pages may render them only then.

    Returns:
        One of three settings objects, or `None` for clients that show no pages.
    """
    if not renders_pages(settings):
        return None
    return {"mimeTypes": [MIME_TYPE], **(DECLARED if asks and declares(settings) else {})}


def shared_connection(transport: Any, settings: Mapping[str, Any] | None, *, asks: bool) -> Any:
    """Return the connection of a back end that all clients of one kind share.

    Clients that show no pages have the author's own: FastMCP opens it outside of requests too,
    where nobody is in front.

    Args:
        transport: Any of them.
        settings: What it declares, as `shared_settings` made it.
        asks: Whether it declares that questions are taken.
    """
    authors: Any = getattr(transport, _AUTHORS, transport)
    if settings is None:
        return authors
    others: dict[tuple[bool, bool], Any] = getattr(authors, _OTHERS, {})
    setattr(authors, _OTHERS, others)
    kind = asks, declares(settings)
    if kind not in others:
        others[kind] = _another(authors)
        setattr(others[kind], _AUTHORS, authors)
    return others[kind]


def _another(transport: Any) -> Any:
    if _is_config(transport):
        return type(transport)(transport.config, transport.name_as_prefix)
    return sys.modules[_STDIO].StdioTransport(
        transport.command,
        transport.args,
        env=transport.env,
        cwd=transport.cwd,
        keep_alive=True,
        log_file=transport.log_file,
    )


def _is_config(transport: object) -> bool:
    config = sys.modules.get(_CONFIG)
    return config is not None and isinstance(transport, config.MCPConfigTransport)
