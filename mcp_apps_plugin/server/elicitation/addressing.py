"""The one place where the page of a question is named as the client sees it.

A question written on a mounted server names its page as that server knows it; what the client can
read is the page's address on the server it talks to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.transforms import Namespace

from mcp_apps_plugin.server.trail import candidates
from mcp_apps_plugin.server.tree import layers_of, mounted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP
    from fastmcp.server.middleware import MiddlewareContext
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


def _trails(outer: Server, asking: Server, depth: int) -> Iterator[Trail]:
    """Yield the namespaces between two servers, innermost first, for each way between them."""
    if outer is asking:
        yield ()
        return
    if depth > _MAX_DEPTH:
        return
    for provider, below in mounted(outer):
        passed = tuple(
            transform
            for layer in layers_of(provider)
            for transform in layer.transforms
            if isinstance(transform, Namespace)
        )
        for trail in _trails(below, asking, depth + 1):
            yield (*trail, *passed)
