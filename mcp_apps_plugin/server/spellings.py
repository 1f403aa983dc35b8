"""The dialects of the server that a client talks to, on what mounts and back ends completed.

A server's own tools have them from the start. The others are listed as their own endpoints
completed them, which may speak to other hosts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.protocol.constants import FLAT_LINK_KEY, OPENAI_LINK_KEY, UI_KEY
from mcp_apps_plugin.protocol.dialects import in_dialects
from mcp_apps_plugin.server.emission import takes_part
from mcp_apps_plugin.server.trail import with_meta
from mcp_apps_plugin.server.tree import is_foreign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastmcp.tools import Tool

    from mcp_apps_plugin.protocol.shapes import JsonObject

_LIMIT = 8192  # tools whose keys are remembered


class Spellings:
    """Writes one server's dialects into the tools that other servers completed.

    Args:
        dialects: What the server that lists them writes.
    """

    def __init__(self, dialects: Sequence[str]) -> None:
        self._dialects = dialects
        # What a `ui` object comes to. A mounted server shows one of a tool on each list.
        self._added: dict[int, tuple[object, JsonObject]] = {}

    def write(self, tools: list[Tool]) -> None:
        """Add the keys, with the links that the tools have here.

        Args:
            tools: The tools as they go to the client; those that get keys are exchanged.
        """
        if len(self._added) > _LIMIT:
            self._added.clear()
        for at, tool in enumerate(tools):
            meta = tool.meta
            if meta and UI_KEY in meta and is_foreign(tool):
                added = self._keys(meta)
                if added:
                    tools[at] = with_meta(tool, {**added, **meta})

    def _keys(self, meta: JsonObject) -> JsonObject:
        ui = meta[UI_KEY]
        if FLAT_LINK_KEY in meta or OPENAI_LINK_KEY in meta:
            return self._made(meta)  # the link may stand under that key alone
        known = self._added.get(id(ui))
        if known is None:
            known = self._added[id(ui)] = ui, self._made(meta)
        return known[1]

    def _made(self, meta: JsonObject) -> JsonObject:
        spelled = in_dialects(meta, self._dialects) if takes_part(meta) else meta
        return {key: value for key, value in spelled.items() if key not in meta}
