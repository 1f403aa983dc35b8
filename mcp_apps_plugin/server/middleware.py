"""The FastMCP middleware of one server: the outermost, for clients and for mounting servers."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from fastmcp.exceptions import NotFoundError
from fastmcp.resources import ResourceResult
from fastmcp.server.middleware import Middleware
from fastmcp.tools.base import ToolResult

from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.server import surfaces
from mcp_apps_plugin.server.elicitation.leg import CARRIERS, current_leg
from mcp_apps_plugin.server.emission import declared_page, is_page
from mcp_apps_plugin.server.extension import options_of
from mcp_apps_plugin.server.inherited_auth import may_read
from mcp_apps_plugin.server.proxies import forward_declarations
from mcp_apps_plugin.server.results import has_addresses, readdress

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import CoroutineType

    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools import Tool

    from mcp_apps_plugin.server.attachment import Attachment
    from mcp_apps_plugin.server.elicitation.leg import Leg

_around: ContextVar[tuple[Leg | None, frozenset[str]]] = ContextVar(
    "mcp_apps_around", default=(None, frozenset())
)
"""The leg that this code runs in, and the kinds of request around it there."""


class AppsMiddleware(Middleware):
    """Completes lists, calls and reads; every other message costs one comparison."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment
        self._complete: dict[str, Callable[..., Awaitable[Any]]] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_pages,
            "resources/templates/list": self._list_pages,
            "resources/read": self._read,
        }

    # Not `async` itself: a coroutine more is entered at every step of every request.
    def __call__(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> CoroutineType[Any, Any, Any]:
        """Pass a message on, and complete what comes back."""
        complete = self._complete.get(context.method or "")
        # FastMCP shows what was refused before its handler as it came over the wire: a `dict`.
        refused = context.method in CARRIERS and isinstance(context.message, dict)
        running = (
            call_next(context) if complete is None or refused else complete(context, call_next)
        )
        return cast("CoroutineType[Any, Any, Any]", running)

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

    A back end that runs in the same process as its proxy inherits the proxy's context. A request
    that has a leg needs none.
    """

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _around.set((current_leg(), frozenset()))

    def __exit__(self, *_: object) -> None:
        _around.reset(self._token)


class _Request:
    """A `with` block that tells whether a request of one kind comes from a client.

    The others come from a server that this one is mounted on. A class, as every call enters it;
    where a leg tells, no context variable is set.
    """

    __slots__ = ("_method", "_token")

    def __init__(self, method: str) -> None:
        self._method = method

    def __enter__(self) -> bool:
        leg = current_leg()
        if leg is not None and leg.method == self._method and not leg.entered:
            self._token = None
            return True
        of, around = _around.get()
        if of is not leg:
            around = frozenset[str]() if leg is None else frozenset((leg.method,))
        self._token = _around.set((leg, around | {self._method}))
        return self._method not in around

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _around.reset(self._token)
