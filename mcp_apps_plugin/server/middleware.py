"""The FastMCP middleware of one server: the outermost, for clients and for mounting servers."""

from __future__ import annotations

from contextlib import contextmanager
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
    from collections.abc import Generator

    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools import Tool

    from mcp_apps_plugin.server.attachment import Attachment

_listing: ContextVar[bool] = ContextVar("mcp_apps_listing", default=False)
_calling: ContextVar[bool] = ContextVar("mcp_apps_calling", default=False)
_reading: ContextVar[bool] = ContextVar("mcp_apps_reading", default=False)


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
        with _outermost(_listing) as outermost:
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
        with _outermost(_calling) as outermost:
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
        with _outermost(_reading) as outermost:
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


@contextmanager
def client_request() -> Generator[None]:
    """Mark that a message comes over the wire, whatever called for it in this process.

    A back end that runs in the same process as its proxy inherits the proxy's context.
    """
    tokens = _listing.set(False), _calling.set(False), _reading.set(False)
    try:
        yield
    finally:
        for level, token in zip((_listing, _calling, _reading), tokens, strict=True):
            level.reset(token)


@contextmanager
def _outermost(level: ContextVar[bool]) -> Generator[bool]:
    """Tell whether a message comes from a client, not from a server this one is mounted on."""
    inside = level.get()
    token = level.set(True)
    try:
        yield not inside
    finally:
        level.reset(token)
