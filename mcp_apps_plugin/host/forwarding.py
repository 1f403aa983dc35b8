"""What a page asks of its own server, as far as the host lets it through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcp_apps_plugin.host.catalog import ToolCatalog
from mcp_apps_plugin.host.refusals import Reason, RefusedError
from mcp_apps_plugin.host.tools import app_tools
from mcp_apps_plugin.protocol import jsonrpc
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcp.shared.dispatcher import ProgressFnT
    from pydantic import BaseModel

    from mcp_apps_plugin.host.callbacks import Callbacks
    from mcp_apps_plugin.host.connection import ServerConnection
    from mcp_apps_plugin.host.outbox import Outbox
    from mcp_apps_plugin.protocol.messages import CallToolParams, ListParams, ReadResourceParams
    from mcp_apps_plugin.protocol.shapes import JsonObject

READ_SCHEMES: Final = ("ui",)
"""The schemes of resources a page may read by default: pages, and nothing of the server's data."""

_RESERVED_LABELS: Final = frozenset({"modelcontextprotocol", "mcp"})
"""A `_meta` key whose prefix has one of these labels is MCP's own."""

_RESERVED_NAMES: Final = frozenset(
    {
        "progressToken",  # mapped: the two hops have their own tokens
        "traceparent",
        "tracestate",
        "baggage",
        # FastMCP's own: selects the version of a tool, and an old one may not be for pages.
        "fastmcp",
    }
)


class Forwarder:
    """The way from one page to its server.

    Args:
        server: The connection that the page's tool came from.
        outbox: The way back to the view, for progress.
        callbacks: For `approve_tool_call`.
        read_schemes: The schemes of resources the page may read.
    """

    def __init__(
        self,
        server: ServerConnection,
        outbox: Outbox,
        callbacks: Callbacks,
        read_schemes: Collection[str],
    ) -> None:
        self._server = server
        self._outbox = outbox
        self._approve = callbacks.approve_tool_call
        self._read_schemes = read_schemes
        self.catalog = ToolCatalog(server)

    async def call_tool(self, params: CallToolParams) -> JsonObject:
        """`tools/call`: only what the server opened to its pages.

        Raises:
            RefusedError: The tool is not for pages, or the user did not agree.
            mcp.MCPError: The server refused.
        """
        tool = await self.catalog.callable_tool(params.name)
        if tool is None:
            # The same words for a tool that is not there and one that is not for pages.
            message = f"Tool {params.name[:100]!r} is not available to this page."
            raise RefusedError(Reason.TOOL_NOT_VISIBLE, message)
        if self._approve is not None and not await self._approve(tool, dict(params.arguments)):
            raise RefusedError(Reason.DECLINED, "The call was not agreed to.")
        progress = self._progress_to(params.meta.get("progressToken"))
        try:
            called = await self._server.call_tool_mcp(
                params.name, params.arguments, progress.report, meta=forwarded_meta(params.meta)
            )
        finally:
            # A token is dead with its request; a late report must not name it again.
            progress.open = False
        return relayed(called)

    async def read_resource(self, params: ReadResourceParams) -> JsonObject:
        """`resources/read`: only schemes that were allowed.

        Raises:
            RefusedError: The URI has another scheme.
            mcp.MCPError: The server refused.
        """
        if not self._readable(params.uri):
            allowed = ", ".join(f"{scheme}://" for scheme in self._read_schemes)
            message = f"Pages may read {allowed} only, not {params.uri[:100]!r}."
            raise RefusedError(Reason.NOT_READABLE, message)
        meta = forwarded_meta(params.meta)
        return relayed(await self._server.read_resource_mcp(params.uri, meta=meta))

    async def list_tools(self, params: ListParams) -> JsonObject:
        """`tools/list`: what the page may call."""
        listed = await self._server.list_tools_mcp(cursor=params.cursor)
        return relayed(listed.model_copy(update={"tools": app_tools(listed.tools)}))

    async def list_resources(self, params: ListParams) -> JsonObject:
        """`resources/list`: what the page may read."""
        listed = await self._server.list_resources_mcp(cursor=params.cursor)
        kept = [item for item in listed.resources if self._readable(str(item.uri))]
        return relayed(listed.model_copy(update={"resources": kept}))

    async def list_resource_templates(self, params: ListParams) -> JsonObject:
        """`resources/templates/list`: what the page may read."""
        listed = await self._server.list_resource_templates_mcp(cursor=params.cursor)
        kept = [item for item in listed.resource_templates if self._readable(item.uri_template)]
        return relayed(listed.model_copy(update={"resource_templates": kept}))

    async def list_prompts(self, params: ListParams) -> JsonObject:
        """`prompts/list`."""
        return relayed(await self._server.list_prompts_mcp(cursor=params.cursor))

    def _readable(self, uri: str) -> bool:
        # To the letter: a client may normalise what follows, but never gets another scheme.
        return any(uri.startswith(f"{scheme}://") for scheme in self._read_schemes)

    def _progress_to(self, token: object) -> _Progress:
        return _Progress(self._outbox, token if jsonrpc.is_id(token) else None)


class _Progress:
    """Progress of one call, told to the view under the token that the view chose."""

    def __init__(self, outbox: Outbox, token: object) -> None:
        self._outbox = outbox
        self._token = token
        self.open = True

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        if not self.open:
            return
        params: JsonObject = {"progressToken": self._token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        await self._outbox.offer(jsonrpc.notification(Method.PROGRESS, params))

    @property
    def report(self) -> ProgressFnT | None:
        return None if self._token is None else self


def forwarded_meta(meta: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the `_meta` of a page's request as far as a server may see it.

    Dropped are the keys that MCP reserves (a page must not raise the host's capabilities or
    speak for it), the progress token and FastMCP's own key. `None` when nothing is left.
    """
    kept = {
        key: value
        for key, value in meta.items()
        if key not in _RESERVED_NAMES and not _is_reserved(key)
    }
    return kept or None


def _is_reserved(key: str) -> bool:
    prefix, slash, _ = key.partition("/")
    return bool(slash) and not _RESERVED_LABELS.isdisjoint(prefix.lower().split("."))


def relayed(answer: BaseModel) -> JsonObject:
    """Return a server's final result as a view takes it: without nulls and `resultType`."""
    wire: JsonObject = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    wire.pop("resultType", None)
    return wire
