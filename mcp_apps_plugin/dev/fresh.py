"""Pages that change under a running server: built anew, and every client told where they moved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ToolsListChanged,
)
from mcp_types import SubscriptionsListenRequestParams
from starlette.requests import Request
from starlette.responses import JSONResponse

from mcp_apps_plugin.dev.order import FRESH_PATH, Concern
from mcp_apps_plugin.server.refresh import files_of_pages, refresh_pages

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from mcp.server.context import CallNext, ServerRequestContext
    from mcp.server.session import ServerSession
    from starlette.types import ASGIApp, Receive, Scope, Send

    from mcp_apps_plugin.dev.reads import Reads


class Freshness:
    """Hears of changed files, and tells clients of both eras.

    In the modern era they hear what they listen for (`subscriptions/listen`), which FastMCP does
    not serve by itself; in the older one every session is told.

    Args:
        server: The server. Its clients can listen from now on.
        app: Its endpoint.
        reads: What its process has read.
    """

    def __init__(self, server: FastMCP[Any], app: ASGIApp, reads: Reads) -> None:
        self._server = server
        self._app = app
        self._reads = reads
        self._bus = InMemorySubscriptionBus()
        self._sessions: list[ServerSession] = []
        low_level = server._mcp_server  # noqa: SLF001  the SDK's own server
        low_level.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, ListenHandler(self._bus)
        )
        low_level.middleware.append(self._remember)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the dev host, and leave everything else to the server."""
        if scope["type"] != "http" or scope["path"] != FRESH_PATH:
            await self._app(scope, receive, send)
            return
        changed: list[str] = json.loads(await Request(scope, receive).body())
        concern = await self._refresh({*map(Path, changed)})
        await JSONResponse({"concern": concern})(scope, receive, send)

    async def _refresh(self, changed: set[Path]) -> Concern:
        changed = {path.resolve() for path in changed}
        pages = files_of_pages(self._server)
        if self._reads.among(changed - pages):
            return "server"  # its own code has read that, and may have kept it
        if not changed & pages:
            return "nothing"
        moved = await refresh_pages(self._server)
        if moved:
            await self._tell()
        return "server" if moved is None else "pages"

    async def _remember(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> Any:
        if ctx.method == "initialize":
            self._sessions.append(ctx.session)
        return await call_next(ctx)

    async def _tell(self) -> None:
        await self._bus.publish(ResourcesListChanged())
        await self._bus.publish(ToolsListChanged())
        for session in tuple(self._sessions):
            try:
                await session.send_resource_list_changed()
                await session.send_tool_list_changed()
            except Exception:  # noqa: BLE001  it is gone, however that shows
                self._sessions.remove(session)
