"""The pages a server may ask with, and whether it and its client may use them for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.declarations.elicits import address_of_page, elicited_by
from mcp_apps_plugin.protocol.elicitation import DECLARED, asks_by_form, declares, negotiated
from mcp_apps_plugin.server.negotiation import client_capabilities, client_ui_settings
from mcp_apps_plugin.server.tree import local_components, mounted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import Context, FastMCP
    from fastmcp.utilities.components import FastMCPComponent

    from mcp_apps_plugin.declarations.page import AppResource
    from mcp_apps_plugin.protocol.shapes import JsonObject

    Server = FastMCP[Any]


def elicitations(server: Server) -> Iterator[tuple[FastMCPComponent, str | AppResource]]:
    """Yield the pages that a server's own handlers ask with, each with its handler."""
    for component in local_components(server):
        for page in elicited_by(component):
            yield component, page


def elicits_pages(server: Server) -> bool:
    """Tell whether a handler of a server, or of one mounted on it, asks with a page."""
    return next(_with_mounted(server, set()), None) is not None


def is_declared(server: Server, uri: str) -> bool:
    """Tell whether a page was known to be asked with before the first request."""
    return any(address_of_page(page) == uri for page in _with_mounted(server, set()))


def capability(server: Server) -> JsonObject:
    """Return what a server adds to its Apps settings."""
    return dict(DECLARED) if elicits_pages(server) else {}


def can_ask(ctx: Context) -> bool | None:
    """Tell whether this request's client asks its user by form; `None` when it did not say."""
    declared = _capabilities(ctx)
    return None if declared is None else asks_by_form(declared)


def takes_questions(ctx: Context) -> bool:
    """Tell whether this request's client takes questions at all, as forms or as addresses."""
    # Who declares nothing is a stateless call, which cannot carry a question.
    return "elicitation" in (_capabilities(ctx) or {})


def may_hint(ctx: Context, server: Server) -> bool:
    """Tell whether a question of this request may name a page: all four gates.

    Args:
        ctx: The request's context; in the modern era its capabilities are the request's own.
        server: The server that the client talks to.
    """
    from mcp_apps_plugin.server.wire import apps_settings  # noqa: PLC0415  it uses `capability`

    client = client_ui_settings(ctx)
    # The server's side last: it is the only one that takes time.
    return declares(client) and negotiated(_capabilities(ctx), client, apps_settings(server))


def _with_mounted(server: Server, seen: set[int]) -> Iterator[str | AppResource]:
    if id(server) in seen:
        return
    seen.add(id(server))
    for _, page in elicitations(server):
        yield page
    for _, below in mounted(server):
        yield from _with_mounted(below, seen)


def _capabilities(ctx: Context) -> JsonObject | None:
    capabilities = client_capabilities(ctx)
    if capabilities is None:
        return None
    return capabilities.model_dump(by_alias=True, mode="json", exclude_none=True)
