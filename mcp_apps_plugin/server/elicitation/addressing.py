"""The one place where the page of a question is named as the client sees it.

A question written on a mounted server names its page as that server knows it; what the client can
read is the page's address on the server it talks to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.providers import FastMCPProvider

from mcp_apps_plugin.server.trail import candidates, trail_of, written_name, written_uri
from mcp_apps_plugin.server.trail import seen_uri as trail_uri
from mcp_apps_plugin.server.tree import base_of, mounted, namespaces_of
from mcp_apps_plugin.server.versions import listed_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP
    from fastmcp.server.middleware import MiddlewareContext
    from fastmcp.server.providers import Provider
    from fastmcp.utilities.components import FastMCPComponent

    from mcp_apps_plugin.server.trail import Trail

    Server = FastMCP[Any]

_MAX_DEPTH = 32  # a server mounted on itself


async def seen_uri(uri: str, asking: Server, outer: Server) -> str | None:
    """Return what a page is called on the server that the client talks to.

    Args:
        uri: The address as the asking handler wrote it.
        asking: The server the handler stands on.
        outer: The server the client talks to.

    Returns:
        The address, or `None` where this caller cannot read the page.
    """
    from mcp_apps_plugin.server.attachment import attachment_of  # noqa: PLC0415  it owns this

    attachment = attachment_of(outer)
    if attachment is None:
        return None
    # A server mounted twice serves the page under both names; either is right.
    for trail in _trails(outer, asking, 0):
        for candidate in candidates(uri, trail):
            page = await attachment.addresses.page(candidate)
            if page is not None:
                return await listed_address(outer, candidate, page)
    return None


async def seen_uri_of_back_end(uri: str, outer: Server, connects: object) -> str | None:
    """Return what a back end's page is called on the server that the client talks to.

    Args:
        uri: The address as the back end wrote it.
        outer: The server the client talks to.
        connects: What its proxy connects with.

    Returns:
        The address, or `None` where this caller cannot read the page.
    """
    from mcp_apps_plugin.server.attachment import attachment_of  # noqa: PLC0415  it owns this

    attachment = attachment_of(outer)
    if attachment is None:
        return None
    for base, trail in _ways(outer, 0):
        if getattr(base, "client_factory", None) is connects:
            # All of the way: another page may stand under a part of it.
            seen = trail_uri(uri, trail)
            if await attachment.addresses.page(seen) is not None:
                return seen
    return None


async def seen_uri_of_result(uri: str, context: MiddlewareContext[Any]) -> str | None:
    """Return what a page is called here that came in a result: from behind a proxy, or by hand.

    Args:
        uri: The address as it came.
        context: The request, on the server that the client talks to.
    """
    from mcp_apps_plugin.server.attachment import attachment_of  # noqa: PLC0415  it owns this

    ctx = context.fastmcp_context
    attachment = None if ctx is None else attachment_of(ctx.fastmcp)
    if ctx is None or attachment is None:
        return None
    component: Any = await component_of(context)
    if component is None:
        return None
    if not trail_of(component):
        # FastMCP's namespaces leave no trail on prompts; their names tell it.
        trail = _trail_by_name(ctx.fastmcp, context)
        if trail:
            return trail_uri(uri, trail)
    return await attachment.addresses.resolve(uri, component)


async def component_of(context: MiddlewareContext[Any]) -> FastMCPComponent | None:
    """Look up what a request is for, as its server knows it.

    Args:
        context: The request.
    """
    assert context.fastmcp_context is not None  # noqa: S101  it is a request's
    server: Server = context.fastmcp_context.fastmcp
    message = context.message
    match context.method:
        case "tools/call":
            return await server.get_tool(message.name)
        case "prompts/get":
            return await server.get_prompt(message.name)
        case _:
            uri = str(message.uri)
            return await server.get_resource(uri) or await server.get_resource_template(uri)


def _trail_by_name(server: Server, context: MiddlewareContext[Any]) -> Trail:
    """Return the longest way down that a requested name, or URI, can have come up."""
    ways = [trail for _, trail in _ways(server, 0) if _fits(trail, context)]
    return max(ways, key=len, default=())


def _fits(trail: Trail, context: MiddlewareContext[Any]) -> bool:
    match context.method:
        case "prompts/get":
            return written_name(context.message.name, trail) is not None
        case "resources/read":
            return written_uri(str(context.message.uri), trail) is not None
        case _:
            return False


def _ways(server: Server, depth: int) -> Iterator[tuple[Provider, Trail]]:
    """Yield each provider with the namespaces on the way down to it, innermost first."""
    if depth > _MAX_DEPTH:
        return
    for provider in server.providers:
        passed = namespaces_of(provider)
        base = base_of(provider)
        yield base, passed
        if isinstance(base, FastMCPProvider):
            for below, trail in _ways(base.server, depth + 1):
                yield below, (*trail, *passed)


def _trails(outer: Server, asking: Server, depth: int) -> Iterator[Trail]:
    """Yield the namespaces between two servers, innermost first, for each way between them."""
    if outer is asking:
        yield ()
        return
    if depth > _MAX_DEPTH:
        return
    for provider, below in mounted(outer):
        for trail in _trails(below, asking, depth + 1):
            yield (*trail, *namespaces_of(provider))
