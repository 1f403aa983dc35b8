"""The FastMCP middleware of one server: the outermost, for clients and for mounting servers."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import NotFoundError
from fastmcp.resources import ResourceResult
from fastmcp.server.middleware import Middleware
from fastmcp.tools.base import ToolResult

from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.server import surfaces
from mcp_apps_plugin.server.emission import declared_page, is_page
from mcp_apps_plugin.server.extension import options_of
from mcp_apps_plugin.server.inherited_auth import may_read
from mcp_apps_plugin.server.proxies import forward_declarations
from mcp_apps_plugin.server.results import has_addresses, readdress

if TYPE_CHECKING:
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools import Tool

    from mcp_apps_plugin.server.attachment import Attachment

_around: ContextVar[frozenset[str]] = ContextVar("mcp_apps_around", default=frozenset())
"""The kinds of request that this code runs in."""


class AppsMiddleware(Middleware):
    """Completes lists, calls and reads; every other message costs one comparison."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment

    async def __call__(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Pass a message on, and complete what comes back."""
        match context.method:
            case "tools/list":
                return await self._list_tools(context, call_next)
            case "resources/list" | "resources/templates/list":
                return await self._list_pages(context, call_next)
            case "tools/call" | "resources/read" if isinstance(context.message, dict):
                # FastMCP shows what was refused before its handler as it came over the wire.
                return await call_next(context)
            case "tools/call":
                return await self._call_tool(context, call_next)
            case "resources/read":
                return await self._read(context, call_next)
            case _:
                return await call_next(context)

    async def _list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> list[Tool]:
        server = self._attachment.server
        forward_declarations(server)
        with _Request("tools/list") as outermost:
            listed = list(await call_next(context))
            hidden = await surfaces.pinned(server, listed)
        await self._attachment.versions.prepare()
        tools = self._attachment.lists.tools(listed)
        if hidden:
            tools += [t for t in self._attachment.lists.tools(hidden) if surfaces.keeps_page(t)]
        return await self._attachment.addresses.address(tools, outermost=outermost)

    async def _call_tool(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        server = self._attachment.server
        forward_declarations(server)
        with _Request("tools/call") as outermost:
            if outermost and options_of(server).bare_names:
                name = await self._attachment.names.full_name(server, context.message.name)
                if name != context.message.name:
                    message = context.message.model_copy(update={"name": name})
                    context = context.copy(message=message)
            name = context.message.name
            if surfaces.reads_resources(server, name):
                with surfaces.reading_tool():
                    result = await call_next(context)
            else:
                result = await call_next(context)
        if isinstance(result, ToolResult) and has_addresses(result):
            tool = await server.get_tool(name)
            if tool is not None:
                addresses = self._attachment.addresses
                return await readdress(result, lambda uri: addresses.resolve(uri, tool))
        return result

    async def _list_pages(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        forward_declarations(self._attachment.server)
        versions = self._attachment.versions
        await versions.prepare()
        resources = self._attachment.lists.pages(await call_next(context))
        if context.method == "resources/templates/list":
            resources += await versions.templates()
        else:
            resources = versions.listed(resources)
        if self._attachment.pages.inherits():
            resources = await self._readable(resources)
        if surfaces.for_the_model():
            return [each for each in resources if not is_page(each)]
        return resources

    async def _readable(self, resources: list[Any]) -> list[Any]:
        """Leave out the pages whose tools this caller may not use."""
        server = self._attachment.server
        return [
            each
            for each in resources
            if (page := declared_page(each)) is None or await may_read(server, page)
        ]

    async def _read(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        server = self._attachment.server
        forward_declarations(server)
        uri = str(context.message.uri)
        if not uri.startswith(URI_SCHEME):
            return await call_next(context)
        if surfaces.for_the_model():
            message = f"{uri} is a page for the host to show, not a text for the model to read."
            raise NotFoundError(message)
        await self._attachment.versions.prepare()
        if self._attachment.pages.inherits():
            page = await server.get_resource(uri)
            if page is not None and not await self._readable([page]):
                message = f"Unknown resource: {uri!r}"
                raise NotFoundError(message)
        with _Request("resources/read") as outermost:
            result = await call_next(context)
        if not outermost or not isinstance(result, ResourceResult) or len(result.contents) != 1:
            return result
        html = result.contents[0].content
        if not isinstance(html, str):
            return result
        told = await self._attachment.names.in_page(server, uri, html)
        if told is html:
            return result
        item = result.contents[0].model_copy(update={"content": told})
        return result.model_copy(update={"contents": [item]})


class ClientRequest:
    """A `with` block for a message that comes over the wire, whatever called for it here.

    A back end that runs in the same process as its proxy inherits the proxy's context.
    """

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _around.set(frozenset())

    def __exit__(self, *_: object) -> None:
        _around.reset(self._token)


class _Request:
    """A `with` block that tells whether a request of one kind comes from a client.

    The others come from a server that this one is mounted on. A class, as every call enters it.
    """

    __slots__ = ("_method", "_token")

    def __init__(self, method: str) -> None:
        self._method = method

    def __enter__(self) -> bool:
        around = _around.get()
        self._token = _around.set(around | {self._method})
        return self._method not in around

    def __exit__(self, *_: object) -> None:
        _around.reset(self._token)
