"""Connections to back ends that are kept: one for clients that show pages, one for the others.

FastMCP keeps the process of a stdio back end, and its session, for all clients in front of a
proxy. A session declares itself once; shared by all, it would claim for one client what another
one declared. One for each declaration would let a client start processes, as it may declare
whatever it likes. So there are two at most, and neither tells anything of one client alone.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from mcp_apps_plugin.protocol.constants import MIME_TYPE

if TYPE_CHECKING:
    from collections.abc import Mapping

SHOWS_PAGES: Final[Mapping[str, Any]] = {"mimeTypes": [MIME_TYPE]}
"""What a kept connection declares for each client that shows pages, whatever else it said."""

_STDIO: Final = "fastmcp.client.transports.stdio"
_CONFIG: Final = "fastmcp.client.transports.config"

# The two stand in each other and not in a table, so that they end together.
_FOR_PAGES: Final = "_mcp_apps_for_pages"
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


def shared_connection(transport: Any, *, shows_pages: bool) -> Any:
    """Return the connection of a back end that all clients of one kind share.

    Clients that show no pages have the author's own: FastMCP opens it outside of requests too,
    where nobody is in front.

    Args:
        transport: Either of the two.
        shows_pages: Which of them.
    """
    authors = vars(transport).get(_AUTHORS, transport)
    if not shows_pages:
        return authors
    found = vars(authors).get(_FOR_PAGES)
    if found is None:
        found = vars(authors)[_FOR_PAGES] = _another(authors)
        vars(found)[_AUTHORS] = authors
    return found


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
