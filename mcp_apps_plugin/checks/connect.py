"""Clients of every kind a server may meet: both eras, with MCP Apps or without."""

from __future__ import annotations

import inspect
import os
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeGuard
from urllib.parse import urlsplit

from fastmcp import Client, FastMCP
from fastmcp.client.transports import SSETransport, StreamableHttpTransport
from mcp.client.extension import advertise

from mcp_apps_plugin.host.capability import apps_client_extension
from mcp_apps_plugin.protocol.constants import EXTENSION_ID, MODERN_MCP_VERSION

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Mapping

    from mcp.client.extension import ClientExtension

    from mcp_apps_plugin.checks.snapshot import Apps, Era
    from mcp_apps_plugin.host.elicitation import ElicitationHandler

WRONG_MIME: Final = "text/html+skybridge"
"""The type that the client with the wrong type declares; ChatGPT's own older one."""

_AUDIT: Final = "MCP_APPS_AUDIT"


def apps_client(
    server: Any,
    *,
    era: Era = "modern",
    apps: Apps = "apps",
    elicitation: ElicitationHandler | None = None,
    pages_elicit: bool = False,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> Client[Any]:
    """Make a FastMCP client of one kind.

    Args:
        server: A server object, a URL, or anything else that `fastmcp.Client` takes.
        era: The protocol era. A server that only knows the legacy one is spoken to in that.
        apps: What it declares for MCP Apps: `"apps"`, `"none"` for nothing, or `"wrong-mime"`.
        elicitation: Answers the server's questions; without it the client declares no
            elicitation.
        pages_elicit: Whether it declares that pages may render questions.
        headers: What is sent with each request to a URL.
        options: Further options of `fastmcp.Client`.

    Returns:
        The client, not yet connected.
    """
    declared: list[ClientExtension] = []
    if apps == "apps":
        declared = [apps_client_extension(elicitation=pages_elicit)]
    elif apps == "wrong-mime":
        declared = [advertise(EXTENSION_ID, {"mimeTypes": [WRONG_MIME]})]
    return Client(
        _transport(server, headers),
        mode="legacy" if era == "legacy" else "auto",
        extensions=declared,
        elicitation_handler=elicitation,
        **options,
    )


def _transport(server: Any, headers: Mapping[str, str] | None) -> Any:
    """Read pages of any size over HTTP: whether one is too large is for a rule to say."""
    if not isinstance(server, str) or not server.startswith(("http://", "https://")):
        return server
    given = dict(headers or {})
    if urlsplit(server).path.rstrip("/").endswith("/sse"):
        return SSETransport(server, headers=given)  # the older one, told by its address
    # Older FastMCP has no limit, and no such option.
    limited = "max_sse_event_size" in inspect.signature(StreamableHttpTransport).parameters
    unlimited: dict[str, Any] = {"max_sse_event_size": None} if limited else {}
    return StreamableHttpTransport(server, headers=given, **unlimited)


def is_client(value: object) -> TypeGuard[Client[Any]]:
    """Tell whether something is a FastMCP client."""
    return isinstance(value, Client)


def is_server(value: object) -> TypeGuard[FastMCP[Any]]:
    """Tell whether something is a FastMCP server."""
    return isinstance(value, FastMCP)


def era_of(client: Client[Any]) -> Era:
    """Return the era that a connected client speaks."""
    version = client.session.protocol_version
    return "modern" if version is not None and version >= MODERN_MCP_VERSION else "legacy"


@asynccontextmanager
async def connected(client: Client[Any]) -> AsyncGenerator[Client[Any]]:
    """Connect a client, if it is not yet, without the server's own audit.

    A server with errors would refuse to start; here they are to be listed together with the rest.
    """
    if client.is_connected():
        yield client
        return
    with _no_audit():
        entered = AsyncExitStack()
        await entered.enter_async_context(client)
    async with entered:
        yield client


@contextmanager
def _no_audit() -> Generator[None]:
    before = os.environ.get(_AUDIT)
    os.environ[_AUDIT] = "off"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_AUDIT, None)
        else:
            os.environ[_AUDIT] = before
