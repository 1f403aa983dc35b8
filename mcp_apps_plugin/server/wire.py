"""Repairs at the edge of the server, where nothing of FastMCP or the SDK comes after.

The SDK shapes every result for the negotiated version before it leaves. For handshake-era
versions it drops `capabilities.extensions`, so the entry is put in here, for both eras alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from mcp_apps_plugin.plugins.manager import plugins
from mcp_apps_plugin.protocol.capabilities import merge_settings, ui_settings
from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object
from mcp_apps_plugin.server.elicitation.declared import capability
from mcp_apps_plugin.server.elicitation.hints import with_hints
from mcp_apps_plugin.server.elicitation.leg import CARRIERS, Leg, current_leg
from mcp_apps_plugin.server.requests import ClientRequest, is_inside_request
from mcp_apps_plugin.server.tasks import GET, get_task

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from mcp.server.context import CallNext, ServerRequestContext

    from mcp_apps_plugin.server.attachment import Attachment

    Server = FastMCP[Any]

_NEGOTIATION = frozenset({"initialize", "server/discover"})
_COMPLETED = _NEGOTIATION | {GET}


class WireMiddleware:
    """The outermost middleware of the low-level server: it sees results as they go out."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment

    # Not `async` itself: most requests need nothing here, and a coroutine more is entered at each
    # of their steps.
    def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> Any:
        """Pass a request on, and complete what the server says of itself."""
        if ctx.method in CARRIERS:
            return self._carry(ctx, call_next)
        if ctx.method in _COMPLETED or is_inside_request():
            return self._complete(ctx, call_next)
        return call_next(ctx)

    async def _carry(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> Any:
        """Pass on a request that may ask its user."""
        leg = Leg(self._attachment.server, ctx.method)
        token = current_leg.set(leg)
        try:
            result = await call_next(ctx)
        finally:
            current_leg.reset(token)
        return with_hints(result, leg.hints)

    async def _complete(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> Any:
        with ClientRequest():
            if ctx.method == GET:
                return await get_task(self._attachment, ctx, call_next)
            result = await call_next(ctx)
        if ctx.method in _NEGOTIATION:
            return with_capability(self._attachment.server, result)
        return result


def with_capability(server: Server, result: Any) -> Any:
    """Merge the Apps entry, and what plugins add, into a negotiation result."""
    if isinstance(result, BaseModel):
        result = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    answer = as_object(result)
    capabilities = as_object((answer or {}).get("capabilities"))
    if answer is None or capabilities is None:
        return result
    present = as_object(capabilities.get("extensions")) or {}
    merged: JsonObject = plugins().customize_capabilities(server, capabilities)
    merged = merge_settings(merged, {EXTENSION_ID: capability(server)})
    # The author's come last, so that no plugin changes what an author has set.
    merged = merge_settings(merge_settings(merged, authored(server)), present)
    return {**answer, "capabilities": {**capabilities, "extensions": merged}}


def apps_settings(server: Server) -> JsonObject:
    """Return what a server declares for MCP Apps, as its negotiation results say it."""
    said = with_capability(server, {"capabilities": {}})
    return ui_settings(said["capabilities"]["extensions"]) or {}


def authored(server: Server) -> JsonObject:
    """Return what the author registered for MCP Apps; the SDK drops it in the older era."""
    extension = server._extensions.get(EXTENSION_ID)  # noqa: SLF001  FastMCP has no reader
    return {} if extension is None else {EXTENSION_ID: extension.settings()}
