"""The lists of one server: every tool and page leaves with its complete `_meta`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.providers.fastmcp_provider import FastMCPProviderTool

from mcp_apps_plugin.declarations.marks import UI_MARK
from mcp_apps_plugin.server.emission import Emitted, emit_page, emit_tool, is_page
from mcp_apps_plugin.server.tree import is_foreign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastmcp.tools import Tool

    from mcp_apps_plugin.server.attachment import Attachment


class Lists:
    """Completes what one server lists.

    Args:
        attachment: Our parts on the server.
    """

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment

    def tools(self, tools: Sequence[Tool]) -> list[Tool]:
        """Write the `_meta` of each tool that takes part."""
        server = self._attachment.server
        links = self._attachment.links
        listed_as = self._attachment.versions.links
        by_mount = not links
        listed: list[Tool] = []
        for tool in tools:
            if by_mount and type(tool) is FastMCPProviderTool and UI_MARK not in vars(tool):
                listed.append(tool)  # its own server wrote it, for this very list
                continue
            meta = tool.meta
            if not (isinstance(meta, Emitted) and server in meta.servers):
                if links:
                    links.mark(server, tool)
                tool = emit_tool(server, tool, listed_as)  # noqa: PLW2901  the same tool, completed
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
