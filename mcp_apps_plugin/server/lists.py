"""The lists of one server: every tool and page leaves with its complete `_meta`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.middleware import Middleware

from mcp_apps_plugin.server.emission import Emitted, emit_page, emit_tool, is_page
from mcp_apps_plugin.server.tree import is_foreign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools import Tool

    from mcp_apps_plugin.server.attachment import Attachment


class ListMiddleware(Middleware):
    """FastMCP middleware that completes lists, for clients and for the server mounted on."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment

    async def __call__(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Complete the three lists; every other message costs one comparison."""
        result = await call_next(context)
        match context.method:
            case "tools/list":
                return self.tools(result)
            case "resources/list" | "resources/templates/list":
                return self.pages(result)
            case _:
                return result

    def tools(self, tools: Sequence[Tool]) -> list[Tool]:
        """Write the `_meta` of each tool that takes part."""
        server = self._attachment.server
        links = self._attachment.links
        listed: list[Tool] = []
        for tool in tools:
            meta = tool.meta
            if not (isinstance(meta, Emitted) and server in meta.servers):
                if links:
                    links.mark(tool)
                tool = emit_tool(server, tool)  # noqa: PLW2901  the same tool, completed
            listed.append(tool)
        return listed

    def pages(self, resources: Sequence[Any]) -> list[Any]:
        """Write the `_meta` and the MIME type of each page."""
        server = self._attachment.server
        return [
            emit_page(server, resource)
            if is_page(resource) and not is_foreign(resource)
            else resource
            for resource in resources
        ]
