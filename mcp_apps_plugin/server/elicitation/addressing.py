"""The one place where the page of a question is named as the client sees it.

Whoever asks names the page as its own server knows it; what the client can read is the page's
address on the server it talks to. Between them is the path of the call, and each mount on it
renames the page. It is followed upwards, since a server may be mounted more than once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fastmcp.server.context import Context

from mcp_apps_plugin.server.elicitation.path import component_of, server_of
from mcp_apps_plugin.server.readable import page_for_caller, stands
from mcp_apps_plugin.server.trail import candidates, trail_of
from mcp_apps_plugin.server.trail import seen_uri as trail_uri
from mcp_apps_plugin.server.tree import (
    is_foreign,
    is_proxied,
    mount_of,
    mounted,
    namespaces_of,
    root_of,
)
from mcp_apps_plugin.server.versions import listed_address

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastmcp import FastMCP
    from fastmcp.resources import Resource, ResourceTemplate
    from fastmcp.server.middleware import MiddlewareContext
    from fastmcp.utilities.components import FastMCPComponent

    from mcp_apps_plugin.server.elicitation.path import Path
    from mcp_apps_plugin.server.trail import Trail

    Server = FastMCP[Any]

_MAX_DEPTH = 32  # a server mounted on itself


class _Page(NamedTuple):
    """A page on its way up.

    Attributes:
        uri: Its address on the server that was reached.
        known: Whether it is that server's page: below it nobody else's can be meant any more.
        found: What a read finds there; `None` where nobody looked.
    """

    uri: str
    known: bool = False
    found: Resource | ResourceTemplate | None = None


async def seen_uri(uri: str, path: Path, asking: Server) -> str | None:
    """Return what the page of a handler's question is called where the client looks.

    Args:
        uri: The address as the handler wrote it.
        path: The path of the call that the handler runs for.
        asking: The server the handler stands on.

    Returns:
        The address, or `None` where this caller cannot read the page.
    """
    at = next((i for i in reversed(range(len(path))) if server_of(path[i]) is asking), None)
    if at is None:  # asked with the context of a server that nobody called
        at, trail = len(path), namespaces_of(asking)
    else:
        trail = _renamed_here(await _component(path[at]))
    return await _seen_above(await _renamed(_Page(uri), asking, [trail]), path, at, asking)


async def seen_uri_from_elsewhere(uri: str, path: Path) -> str | None:
    """Return what a page is called where the client looks that no handler of ours asked with.

    Args:
        uri: The address as it came: from a back end, or in a result that was written by hand.
        path: The path of the call that was answered so.

    Returns:
        The address, or `None` where this caller cannot read the page.
    """
    here = server_of(path[-1])
    component = await _component(path[-1])
    if component is None or not is_proxied(component):
        return await seen_uri(uri, path, here)
    # All of its way: another page may stand under a part of it.
    page = _Page(trail_uri(uri, trail_of(component)), known=True)
    return await _seen_above(page, path, len(path) - 1, here)


async def _seen_above(page: _Page, path: Path, at: int, server: Server) -> str | None:
    """Follow a page from a server, which made the call of this number, to the client."""
    while at > 0:
        trails, at = await _way_up(path, at, server)
        if not trails:
            return None
        server = server_of(path[at])
        page = await _renamed(page, server, trails)
    if not page.known:
        return None
    found = page.found or await page_for_caller(server, page.uri)
    return None if found is None else await listed_address(server, page.uri, found)


async def _way_up(path: Path, at: int, server: Server) -> tuple[Sequence[Trail], int]:
    """Find the call that a server was reached by.

    Args:
        path: The path.
        at: The number of the server's own call.
        server: The server.

    Returns:
        The namespaces between the two servers, for each way that it can have been; and the number
        of that call.
    """
    component = await _component(path[at - 1])
    if component is not None and mount_of(component) is server:
        return [trail_of(component)], at - 1
    for above in reversed(range(at)):
        if server_of(path[above]) is server:  # a handler called what stands beside it
            return [()], above
    # A handler has the server at hand, whatever it is mounted on.
    for above in reversed(range(at)):
        ways = [*_trails(server_of(path[above]), server, 0)]
        if ways:
            return ways, above
    return [], 0


async def _renamed(page: _Page, server: Server, trails: Sequence[Trail]) -> _Page:
    """Name a page as a server does that is the next one above it."""
    if page.known:
        names = [trail_uri(page.uri, trail) for trail in trails]
        if len(names) == 1:
            return _Page(names[0], known=True)
    else:
        names = [name for trail in trails for name in candidates(page.uri, trail)]
    for name in names:
        found = await page_for_caller(server, name)
        if found is not None:
            return _Page(name, known=True, found=found)
    # One that is hidden from this caller is meant nevertheless, and not its neighbour.
    hidden = [name for name in names if page.known or stands(server, name)]
    return _Page(hidden[0], known=True) if hidden else page


def _renamed_here(component: FastMCPComponent | None) -> Trail:
    """Return the namespaces on its own server that a component passed, whoever asks in it."""
    if component is None:
        return ()
    trail = trail_of(component)
    # A middleware asks around what stands elsewhere, and a tool that was made from it asks itself.
    return trail[len(trail_of(root_of(component))) :] if is_foreign(component) else trail


async def _component(context: MiddlewareContext[Any]) -> FastMCPComponent | None:
    try:
        # What is hidden from a session is looked up on the server's own terms, as FastMCP does.
        async with Context(fastmcp=server_of(context)):
            return await component_of(context)
    except Exception:  # noqa: BLE001  whatever keeps a provider from looking, the question goes out
        return None


def _trails(outer: Server, asking: Server, depth: int) -> Iterator[Trail]:
    """Yield the namespaces between two servers, innermost first, for each way between them."""
    if outer is asking:
        yield ()
        return
    if depth > _MAX_DEPTH:
        return
    for provider, below in mounted(outer):
        for trail in _trails(below, asking, depth + 1):
            yield (*trail, *namespaces_of(provider), *namespaces_of(outer))
