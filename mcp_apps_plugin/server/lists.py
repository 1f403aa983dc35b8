"""The lists of one server: every tool and page leaves with its complete `_meta`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.server.providers.fastmcp_provider import FastMCPProviderTool

from mcp_apps_plugin.declarations.marks import UI_MARK
from mcp_apps_plugin.protocol.constants import FLAT_LINK_KEY, OPENAI_LINK_KEY, UI_KEY
from mcp_apps_plugin.server.emission import Emitted, emit_page, emit_tool, is_page
from mcp_apps_plugin.server.trail import TRAIL
from mcp_apps_plugin.server.tree import is_foreign, mount_of, name_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastmcp.tools import Tool

    from mcp_apps_plugin.server.attachment import Attachment

_LINK_KEYS = (UI_KEY, FLAT_LINK_KEY, OPENAI_LINK_KEY)


class Lists:
    """Completes what one server lists.

    Args:
        attachment: Our parts on the server.
    """

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment

    def tools(self, tools: Sequence[Tool]) -> tuple[list[Tool], list[int]]:
        """Write the `_meta` of each tool that takes part.

        Returns:
            The tools, and the positions of those whose links are to be looked up: the others lead
            where they did at the last list.
        """
        server = self._attachment.server
        links = self._attachment.links
        listed_as = self._attachment.versions.links
        by_mount = not links
        settled = self._attachment.addresses.token
        listed: list[Tool] = []
        unsettled: list[int] = []
        bare: list[int] = []
        for tool in tools:
            fields = tool.__dict__
            meta = fields.get("meta")
            if type(meta) is Emitted and meta.settled is settled:
                if TRAIL in fields or "parent_tool" in fields:  # another tool, which shares it
                    unsettled.append(len(listed))
                listed.append(tool)
                continue
            unsettled.append(len(listed))
            if by_mount and type(tool) is FastMCPProviderTool and UI_MARK not in fields:
                listed.append(tool)  # its own server wrote it, for this very list
                continue
            if not (isinstance(meta, Emitted) and meta.is_for(server)):
                if links:
                    links.mark(server, tool)
                tool = emit_tool(server, tool, listed_as)  # noqa: PLW2901  the same tool, completed
                if "parent_tool" in vars(tool) and UI_KEY not in (tool.meta or ()):
                    bare.append(len(listed))
            listed.append(tool)
        if bare:
            _complete(listed, bare)
        return listed, unsettled

    def pages(self, resources: Sequence[Any]) -> list[Any]:
        """Write the `_meta` and the MIME type of each page."""
        server = self._attachment.server
        return [
            emit_page(server, resource)
            if is_page(resource) and not is_foreign(resource)
            else resource
            for resource in resources
        ]


def _complete(listed: list[Tool], bare: Iterable[int]) -> None:
    """Give tools that were made from mounted ones what those have: they were made before a list."""
    mounted = {_source(tool): tool.meta or {} for tool in listed if "parent_tool" not in vars(tool)}
    for at in bare:
        tool = listed[at]
        source = _source(tool)
        known = {} if source is None else mounted.get(source, {})
        if UI_KEY in known:
            kept = {key: known[key] for key in _LINK_KEYS if key in known}
            listed[at] = tool.model_copy(update={"meta": {**(tool.meta or {}), **kept}})


def _source(tool: Tool) -> tuple[int, str] | None:
    """Return which tool of which mounted server a tool is, or was made from."""
    mount = mount_of(tool)
    return None if mount is None else (id(mount), name_below(tool))
