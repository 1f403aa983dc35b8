"""What one client is told by a server, recorded once and looked at often."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import mcp_types
from mcp import MCPError

from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.protocol.jsonrpc import INTERNAL_ERROR
from mcp_apps_plugin.protocol.links import link_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_apps_plugin.host.connection import ServerConnection

Era = Literal["legacy", "modern"]
Apps = Literal["none", "apps", "wrong-mime"]

_AT_ONCE: Final = 16
_MAX_PAGES: Final = 1000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one client was told.

    Attributes:
        era: The era it spoke.
        apps: What it declared for MCP Apps.
        capabilities: What the server declared.
        tools: The tools, in order.
        resources: The listed resources by URI.
        reads: Every page that was read, by URI: what came, or the error.
    """

    era: Era
    apps: Apps
    capabilities: mcp_types.ServerCapabilities
    tools: tuple[mcp_types.Tool, ...]
    resources: dict[str, mcp_types.Resource] = field(default_factory=dict[str, mcp_types.Resource])
    reads: dict[str, mcp_types.ReadResourceResult | MCPError] = field(
        default_factory=dict[str, mcp_types.ReadResourceResult | MCPError]
    )

    @property
    def seen_by(self) -> str:
        """Who was told this, in words."""
        declared = {
            "apps": "with MCP Apps",
            "none": "without MCP Apps",
            "wrong-mime": "with another MIME type",
        }
        return f"{self.era} client {declared[self.apps]}"

    def links(self) -> dict[str, list[str]]:
        """Return the tools that link to each page, by URI."""
        linked: dict[str, list[str]] = {}
        for tool in self.tools:
            uri = link_of(tool.meta)
            if uri is not None:
                linked.setdefault(uri, []).append(tool.name)
        return linked

    def page_uris(self) -> list[str]:
        """Return the pages: linked, or listed as such."""
        listed = (
            uri
            for uri, resource in self.resources.items()
            if uri.startswith(URI_SCHEME) and (resource.mime_type or "").startswith("text/html")
        )
        return list(dict.fromkeys([*self.links(), *listed]))


async def take_snapshot(
    client: ServerConnection, era: Era, apps: Apps, *, max_reads: int | None = None
) -> Snapshot:
    """Ask a server for everything that the rules look at.

    Args:
        client: A connected client.
        era: The era it speaks.
        apps: What it declared.
        max_reads: How many pages to read, taken evenly; `None` reads all. With 0 resources are
            not listed either.

    Raises:
        mcp.MCPError: The server could not list its tools.
    """
    capabilities = client.server_capabilities or mcp_types.ServerCapabilities()
    tools = tuple(await client.list_tools()) if capabilities.tools is not None else ()
    # Where no page is read, only the links count.
    lists_pages = capabilities.resources is not None and max_reads != 0
    resources = await _resources(client) if lists_pages else {}
    snapshot = Snapshot(era, apps, capabilities, tools, resources)
    uris = snapshot.page_uris()
    if max_reads == 0:
        return snapshot
    if max_reads is not None and len(uris) > max_reads:
        uris = uris[:: -(-len(uris) // max_reads)]
    snapshot.reads.update(await _read_all(client, uris))
    return snapshot


async def _resources(client: ServerConnection) -> dict[str, mcp_types.Resource]:
    found: dict[str, mcp_types.Resource] = {}
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        try:
            page = await client.list_resources_mcp(cursor=cursor)
        except MCPError:
            return found  # a server need not list what only hosts read
        for resource in page.resources:
            found.setdefault(str(resource.uri), resource)
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


async def _read_all(
    client: ServerConnection, uris: Iterable[str]
) -> dict[str, mcp_types.ReadResourceResult | MCPError]:
    at_once = asyncio.Semaphore(_AT_ONCE)

    async def read(uri: str) -> mcp_types.ReadResourceResult | MCPError:
        async with at_once:
            try:
                return await client.read_resource_mcp(uri)
            except MCPError as error:
                return error
            except (ValueError, RuntimeError) as error:
                # The answer was no answer: as bad for a host as an error.
                return MCPError(INTERNAL_ERROR, str(error).partition("\n")[0])

    wanted = list(uris)
    return dict(zip(wanted, await asyncio.gather(*map(read, wanted)), strict=True))


class Recorded:
    """A snapshot in the place of a connection, for what resolves pages.

    Args:
        snapshot: What was recorded.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @property
    def server_capabilities(self) -> mcp_types.ServerCapabilities:
        """What the server declared."""
        return self._snapshot.capabilities

    async def list_tools(self) -> list[mcp_types.Tool]:
        """Return the tools."""
        return list(self._snapshot.tools)

    async def list_tools_mcp(self, *, cursor: str | None = None) -> mcp_types.ListToolsResult:
        """Return the tools."""
        del cursor
        return mcp_types.ListToolsResult(tools=list(self._snapshot.tools))

    async def list_resources_mcp(
        self, *, cursor: str | None = None
    ) -> mcp_types.ListResourcesResult:
        """Return the resources."""
        del cursor
        return mcp_types.ListResourcesResult(resources=list(self._snapshot.resources.values()))

    async def list_resource_templates_mcp(
        self, *, cursor: str | None = None
    ) -> mcp_types.ListResourceTemplatesResult:
        """Return none."""
        del cursor
        return mcp_types.ListResourceTemplatesResult(resource_templates=[])

    async def list_prompts_mcp(self, *, cursor: str | None = None) -> mcp_types.ListPromptsResult:
        """Return none."""
        del cursor
        return mcp_types.ListPromptsResult(prompts=[])

    async def read_resource_mcp(
        self, uri: str, meta: dict[str, Any] | None = None
    ) -> mcp_types.ReadResourceResult:
        """Return what was read before, or raise what was raised."""
        del meta
        answer = self._snapshot.reads[uri]
        if isinstance(answer, MCPError):
            raise answer
        return answer

    async def call_tool_mcp(
        self,
        name: str,
        arguments: dict[str, Any],
        progress_handler: Any = None,
        *,
        meta: Any = None,
    ) -> mcp_types.CallToolResult:
        """Nothing was called."""
        del arguments, progress_handler, meta
        raise MCPError(-32601, f"{name} was not called")
