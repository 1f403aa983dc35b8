"""The one place where the page of a question is named as the client sees it.

A question written on a mounted server names its page as that server knows it; what the client can
read is the page's address on the server it talks to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastmcp.server.middleware import MiddlewareContext


async def seen_uri(uri: str, context: MiddlewareContext[Any]) -> str:
    """Return what a page is called on the server that the client talks to.

    Args:
        uri: The address as the asking handler, or a back end, wrote it.
        context: The request, on the outermost server.
    """
    return uri
