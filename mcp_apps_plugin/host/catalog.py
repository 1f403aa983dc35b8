"""Which tools a page may call: the server's own list, looked at often enough and not too often."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.protocol.links import visibility_of
from mcp_apps_plugin.protocol.shapes import as_object

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types

    from mcp_apps_plugin.host.connection import ServerConnection

MAX_AGE_SECONDS: Final = 30.0
"""How long a list counts when the server says nothing. A modern server need not tell of changes."""

UNKNOWN_AGE_SECONDS: Final = 5.0
"""How old a list must be to be fetched again for a name that is not on it: a page that asks for
names at random costs the server one list in this time, not one for each."""

_ALIAS = re.compile(r"__([0-9a-f]{12})_.+")


class ToolCatalog:
    """The tools of one server, for one bridge.

    Args:
        server: The connection.
        clock: Seconds that only grow.
    """

    def __init__(
        self, server: ServerConnection, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._server = server
        self._clock = clock
        self._tools: dict[str, mcp_types.Tool] = {}
        self._listed: float | None = None
        self._fetching = asyncio.Lock()

    def forget(self) -> None:
        """The server's tools changed: list them again before the next decision."""
        self._listed = None

    async def callable_tool(self, name: str) -> mcp_types.Tool | None:
        """Return the tool that a page may call by `name`, or `None`.

        That is a tool on the server's list whose visibility includes `"app"`. Everything else,
        unlisted tools included, is refused: nobody has opened it to pages.

        Raises:
            mcp.MCPError: The server could not list its tools.
        """
        await self._fetch(MAX_AGE_SECONDS)
        tool = self._find(name)
        if tool is None:
            await self._fetch(UNKNOWN_AGE_SECONDS)
            tool = self._find(name)
        return tool if tool is not None and "app" in visibility_of(tool.meta) else None

    async def _fetch(self, max_age: float) -> None:
        async with self._fetching:
            if self._listed is not None and self._clock() - self._listed <= max_age:
                return
            asked = self._clock()
            tools = await self._server.list_tools()
            self._tools = {tool.name: tool for tool in tools}
            self._listed = asked

    def _find(self, name: str) -> mcp_types.Tool | None:
        tool = self._tools.get(name)
        alias = _ALIAS.fullmatch(name)
        if tool is not None or alias is None:
            return tool
        # FastMCP's apps call their tools by an alias, `__<hash>_<name>`, and publish the hash in
        # the listed tool's metadata: the alias is as visible as the tool it stands for.
        return next((t for t in self._tools.values() if _identity(t) == alias[1]), None)


def _identity(tool: mcp_types.Tool) -> str | None:
    own = as_object((tool.meta or {}).get("fastmcp")) or {}
    identity = own.get("tool_hash")
    return identity if isinstance(identity, str) else None
