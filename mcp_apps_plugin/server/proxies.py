"""Proxies: what this request's client declared about MCP Apps goes on to the back end.

Nothing is claimed that the client did not declare, and nothing is kept between requests.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.server.negotiation import client_ui_settings, is_modern
from mcp_apps_plugin.server.tree import base_of, is_remote, mounted

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp import FastMCP
    from fastmcp.client import Client

    Server = FastMCP[Any]


class _Forwarding:
    """A client factory whose clients declare what the client in front declared."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory

    def __call__(self) -> Any:
        client = self.factory()
        return _declared_later(client) if inspect.isawaitable(client) else _declared(client)


def forward_declarations(server: Server) -> None:
    """Let every proxy on a server, and on those mounted on it, forward declarations.

    Mounted ones too, as a component is looked up there before that server's middleware runs, and
    keeps the factory it was made with. Those that forward already are left alone.
    """
    for _, below in mounted(server):
        forward_declarations(below)
    for provider in server.providers:
        if is_remote(provider):
            base: Any = base_of(provider)
            if not isinstance(base.client_factory, _Forwarding):
                base.client_factory = _Forwarding(base.client_factory)


def stop_forwarding(server: Server) -> None:
    """Give every proxy its own factory back."""
    for provider in server.providers:
        base: Any = base_of(provider)
        if is_remote(provider) and isinstance(base.client_factory, _Forwarding):
            base.client_factory = base.client_factory.factory


async def _declared_later(client: Any) -> Any:
    return _declared(await client)


def _declared(client: Client[Any]) -> Client[Any]:
    # A client that is connected has declared itself already, and outside a request there is
    # nobody in front of it.
    if is_modern() is None or client.is_connected():
        return client
    session: dict[str, Any] = client._session_kwargs  # type: ignore[assignment]  # noqa: SLF001
    extensions = dict(session.get("extensions") or {})
    settings = client_ui_settings()
    if settings is None:
        extensions.pop(EXTENSION_ID, None)
    else:
        extensions[EXTENSION_ID] = settings
    session["extensions"] = extensions or None
    return client
