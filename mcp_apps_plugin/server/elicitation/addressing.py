"""The one place where the page of a question is named as the client sees it.

A question written on a mounted server names its page as that server knows it; what the client can
read is the page's address on the server it talks to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.providers import FastMCPProvider
from fastmcp.server.transforms import Namespace

from mcp_apps_plugin.server.trail import candidates, trail_of, written_name
from mcp_apps_plugin.server.trail import seen_uri as trail_uri
from mcp_apps_plugin.server.tree import base_of, layers_of, mounted

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
            if await attachment.addresses.page(candidate) is not None:
                return candidate
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
    component: Any = await _component(ctx.fastmcp, context)
    if component is None:
        return None
    if not trail_of(component):
        # FastMCP's namespaces leave no trail on prompts and templates; their names tell it.
        trail = _trail_by_name(ctx.fastmcp, context)
        if trail:
            return trail_uri(uri, trail)
    return await attachment.addresses.resolve(uri, component)


async def _component(server: Server, context: MiddlewareContext[Any]) -> FastMCPComponent | None:
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
    ways = [trail for trail in _ways(server, 0) if _fits(trail, context)]
    return max(ways, key=len, default=())


def _fits(trail: Trail, context: MiddlewareContext[Any]) -> bool:
    if context.method == "prompts/get":
        return written_name(context.message.name, trail) is not None
    uri: str | None = str(context.message.uri) if context.method == "resources/read" else None
    for namespace in reversed(trail):
        uri = None if uri is None else namespace._reverse_uri(uri)  # noqa: SLF001  as FastMCP does
    return uri is not None


def _ways(server: Server, depth: int) -> Iterator[Trail]:
    """Yield the namespaces on the way down to each provider, innermost first."""
    if depth > _MAX_DEPTH:
        return
    for provider in server.providers:
        passed = _namespaces_of(provider)
        yield passed
        base = base_of(provider)
        if isinstance(base, FastMCPProvider):
            for trail in _ways(base.server, depth + 1):
                yield (*trail, *passed)


def _trails(outer: Server, asking: Server, depth: int) -> Iterator[Trail]:
    """Yield the namespaces between two servers, innermost first, for each way between them."""
    if outer is asking:
        yield ()
        return
    if depth > _MAX_DEPTH:
        return
    for provider, below in mounted(outer):
        for trail in _trails(below, asking, depth + 1):
            yield (*trail, *_namespaces_of(provider))


def _namespaces_of(provider: Provider) -> Trail:
    return tuple(
        transform
        for layer in layers_of(provider)
        for transform in layer.transforms
        if isinstance(transform, Namespace)
    )
