"""Connections to back ends that are kept: each speaks for one declaration only.

FastMCP keeps the process of a stdio back end, and its session, for all clients in front of a
proxy. A session declares itself once; shared, it would claim for one client what another one
declared. So a client with another declaration gets a process of its own. How many there are has
a limit, as a client may declare whatever it likes.
"""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from mcp_apps_plugin.protocol.constants import EXTENSION_ID

if TYPE_CHECKING:
    from fastmcp.client import Client

MAX_KEPT: Final = 8
"""Further connections for each back end; the one unused for longest ends for a new one."""

_MODULE = "fastmcp.client.transports.stdio"


@dataclass(slots=True)
class _Kept:
    """The connections of one back end.

    Attributes:
        first: What the author's own connection declares.
        others: The connections for other declarations. One that is dropped here ends by itself,
            as soon as no request uses it.
    """

    first: str
    others: OrderedDict[str, Any] = field(default_factory=OrderedDict[str, Any])


_kept: WeakKeyDictionary[Any, _Kept] = WeakKeyDictionary()


def connect_as_declared(client: Client[Any]) -> None:
    """Give a client that is about to connect the connection that declares the same.

    Args:
        client: A proxy's client, with what it is going to declare.
    """
    transport: Any = client.transport
    stdio = sys.modules.get(_MODULE)
    if stdio is None or not isinstance(transport, stdio.StdioTransport):
        return
    if not transport.keep_alive:
        return
    declaration = _declaration(client)
    kept = _kept.get(transport)
    if kept is None:
        connected = getattr(transport, "_connect_task", None) is not None
        kept = _kept[transport] = _Kept("" if connected else declaration)
    if kept.first == declaration:
        return
    other = kept.others.pop(declaration, None)
    if other is None:
        other = stdio.StdioTransport(
            transport.command,
            transport.args,
            env=transport.env,
            cwd=transport.cwd,
            keep_alive=True,
            log_file=transport.log_file,
        )
    kept.others[declaration] = other
    if len(kept.others) > MAX_KEPT:
        kept.others.popitem(last=False)
    client.transport = other


def _declaration(client: Client[Any]) -> str:
    """Return what a client declares of MCP Apps, comparable; empty where it declares nothing."""
    session: dict[str, Any] = client._session_kwargs  # type: ignore[assignment]  # noqa: SLF001
    extensions: dict[str, Any] = session.get("extensions") or {}
    settings = extensions.get(EXTENSION_ID)
    if settings is None:
        return ""
    # Whether it asks its user is declared beside it, and is the other half of what pages may do.
    return json.dumps([settings, "elicitation_callback" in session], sort_keys=True)
