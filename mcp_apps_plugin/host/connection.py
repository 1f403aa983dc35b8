"""The server as the host half needs it: a `fastmcp.Client`, or the session behind one request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

import mcp_types

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.shared.dispatcher import ProgressFnT


class ServerConnection(Protocol):
    """What the host half asks of a connection. `fastmcp.Client` has it all.

    With a `fastmcp.Client` the multi-round-trip loop of the modern era (elicitation, sampling)
    runs inside `call_tool_mcp` and `read_resource_mcp`: only final results come back.
    """

    @property
    def server_capabilities(self) -> mcp_types.ServerCapabilities | None:
        """What the server declared, in either era."""
        ...

    async def list_tools(self) -> list[mcp_types.Tool]:
        """Return every page of the tool list."""
        ...

    async def list_tools_mcp(self, *, cursor: str | None = None) -> mcp_types.ListToolsResult:
        """Return one page of the tool list."""
        ...

    async def list_resources_mcp(
        self, *, cursor: str | None = None
    ) -> mcp_types.ListResourcesResult:
        """Return one page of the resource list."""
        ...

    async def list_resource_templates_mcp(
        self, *, cursor: str | None = None
    ) -> mcp_types.ListResourceTemplatesResult:
        """Return one page of the resource template list."""
        ...

    async def list_prompts_mcp(self, *, cursor: str | None = None) -> mcp_types.ListPromptsResult:
        """Return one page of the prompt list."""
        ...

    async def read_resource_mcp(
        self, uri: str, meta: dict[str, Any] | None = None
    ) -> mcp_types.ReadResourceResult:
        """Read a resource."""
        ...

    async def call_tool_mcp(
        self,
        name: str,
        arguments: dict[str, Any],
        progress_handler: ProgressFnT | None = None,
        *,
        meta: dict[str, Any] | None = None,
    ) -> mcp_types.CallToolResult:
        """Call a tool; cancelling the awaiting task cancels the call on the server too."""
        ...


class SessionConnection:
    """The connection an elicitation came from, made of nothing but its session.

    An elicitation handler is given a session, not a client, and one handler may serve several
    clients: what the page of an elicitation reads or calls goes back where the question came
    from, and nowhere else. A call that itself asks for input fails on a modern connection; on a
    legacy one the server asks the client, and that is another question.

    Args:
        session: The session of the elicitation's request context.
    """

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    @property
    def server_capabilities(self) -> mcp_types.ServerCapabilities | None:
        """What the server declared, in either era."""
        return self._session.server_capabilities

    async def list_tools(self) -> list[mcp_types.Tool]:
        """Return every page of the tool list."""
        page = await self.list_tools_mcp()
        tools, seen = [*page.tools], {page.next_cursor}
        while page.next_cursor is not None:
            page = await self.list_tools_mcp(cursor=page.next_cursor)
            tools.extend(page.tools)
            if page.next_cursor in seen:
                break  # a server that turns in circles
            seen.add(page.next_cursor)
        return tools

    async def list_tools_mcp(self, *, cursor: str | None = None) -> mcp_types.ListToolsResult:
        """Return one page of the tool list."""
        return await self._session.list_tools(params=_page(cursor))

    async def list_resources_mcp(
        self, *, cursor: str | None = None
    ) -> mcp_types.ListResourcesResult:
        """Return one page of the resource list."""
        return await self._session.list_resources(params=_page(cursor))

    async def list_resource_templates_mcp(
        self, *, cursor: str | None = None
    ) -> mcp_types.ListResourceTemplatesResult:
        """Return one page of the resource template list."""
        return await self._session.list_resource_templates(params=_page(cursor))

    async def list_prompts_mcp(self, *, cursor: str | None = None) -> mcp_types.ListPromptsResult:
        """Return one page of the prompt list."""
        return await self._session.list_prompts(params=_page(cursor))

    async def read_resource_mcp(
        self, uri: str, meta: dict[str, Any] | None = None
    ) -> mcp_types.ReadResourceResult:
        """Read a resource."""
        request_meta = cast("mcp_types.RequestParamsMeta | None", meta)
        return await self._session.read_resource(uri, meta=request_meta)

    async def call_tool_mcp(
        self,
        name: str,
        arguments: dict[str, Any],
        progress_handler: ProgressFnT | None = None,
        *,
        meta: dict[str, Any] | None = None,
    ) -> mcp_types.CallToolResult:
        """Call a tool; cancelling the awaiting task cancels the call on the server too."""
        return await self._session.call_tool(
            name,
            arguments,
            progress_callback=progress_handler,
            meta=cast("mcp_types.RequestParamsMeta | None", meta),
        )


def _page(cursor: str | None) -> mcp_types.PaginatedRequestParams | None:
    return mcp_types.PaginatedRequestParams(cursor=cursor) if cursor is not None else None
