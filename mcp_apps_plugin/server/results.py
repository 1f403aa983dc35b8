"""The `ui://` addresses inside a tool's result, turned into those of the server it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_types import ResourceLink

from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.protocol.links import link_of, rewrite_links

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fastmcp.tools.base import ToolResult


def has_addresses(result: ToolResult) -> bool:
    """Tell whether a result names any page; most do not."""
    for block in result.content:
        if _uri_of(block) is not None:
            return True
    return result.meta is not None and link_of(result.meta) is not None


async def readdress(result: ToolResult, seen: Callable[[str], Awaitable[str]]) -> ToolResult:
    """Rewrite links, embedded resources and `_meta.ui.resourceUri` of a result.

    Args:
        result: The result of the tool.
        seen: Returns what an address is called on this server.
    """
    content = [await _readdressed(block, seen) for block in result.content]
    meta = result.meta
    link = link_of(meta)
    if meta is not None and link is not None:
        new = await seen(link)
        meta = rewrite_links(meta, lambda uri: new if uri == link else uri)
    return result.model_copy(update={"content": content, "meta": meta})


async def _readdressed(block: Any, seen: Callable[[str], Awaitable[str]]) -> Any:
    uri = _uri_of(block)
    if uri is None:
        return block
    new = await seen(uri)
    if isinstance(block, ResourceLink):
        return block.model_copy(update={"uri": new})
    resource = block.resource.model_copy(update={"uri": new})
    return block.model_copy(update={"resource": resource})


def _uri_of(block: Any) -> str | None:
    # By its own word: to ask each block of each result for its class takes far longer.
    kind = getattr(block, "type", None)
    if kind == "resource_link":
        uri = str(block.uri)
    elif kind == "resource":
        uri = str(block.resource.uri)
    else:
        return None
    return uri if uri.startswith(URI_SCHEME) else None
