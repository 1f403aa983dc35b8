"""The `ui://` addresses inside a tool's result, turned into those of the server it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcp_types import ResourceLink

from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.protocol.links import link_of, rewrite_links

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fastmcp.tools.base import ToolResult


# By their own word: to ask each block of each result for its class takes far longer.
_NAMING: Final = ("resource_link", "resource")


def has_addresses(result: ToolResult) -> bool:
    """Tell whether a result names any page; most do not."""
    for block in result.content:
        if getattr(block, "type", None) in _NAMING and _uri_of(block) is not None:
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
    if getattr(block, "type", None) not in _NAMING:
        return None
    uri = str(block.uri if block.type == "resource_link" else block.resource.uri)
    return uri if uri.startswith(URI_SCHEME) else None
