"""The FastMCP middleware of one server: the outermost, for clients and for mounting servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import NotFoundError, ResourceError, ToolError
from fastmcp.resources import ResourceResult
from fastmcp.server.middleware import Middleware
from fastmcp.tools.base import ToolResult

from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.server import surfaces
from mcp_apps_plugin.server.bare_names import ambiguous, is_unknown, written_with
from mcp_apps_plugin.server.content import PageError
from mcp_apps_plugin.server.elicitation.answers import answer_of
from mcp_apps_plugin.server.elicitation.leg import CARRIERS, Leg
from mcp_apps_plugin.server.emission import declared_page, is_page
from mcp_apps_plugin.server.extension import options_of
from mcp_apps_plugin.server.inherited_auth import may_read
from mcp_apps_plugin.server.page_names import in_page
from mcp_apps_plugin.server.proxies import forward_declarations
from mcp_apps_plugin.server.requests import Request, request_of
from mcp_apps_plugin.server.results import has_addresses, readdress

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fastmcp import FastMCP
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from fastmcp.tools import Tool

    from mcp_apps_plugin.server.attachment import Attachment


class AppsMiddleware(Middleware):
    """Completes lists, calls and reads; every other message costs one look."""

    def __init__(self, attachment: Attachment) -> None:
        self._attachment = attachment
        self._complete: dict[str | None, Callable[..., Any]] = {
            "initialize": self._initialize,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            "resources/list": self._list_pages,
            "resources/templates/list": self._list_pages,
            "resources/read": self._read,
            "prompts/get": self._get_prompt,
        }

    # Not `async` itself: a coroutine more is entered at every step of every request.
    def __call__(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Any:
        """Pass a message on, and complete what comes back."""
        complete = self._complete.get(context.method)
        # FastMCP shows what was refused before its handler as it came over the wire: a `dict`.
        refused = type(context.message) is dict and context.method in CARRIERS
        if complete is None or refused:
            return call_next(context)
        return complete(context, call_next)

    async def _initialize(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        # A proxy that keeps its connections makes them here, and declares itself only then.
        forward_declarations(self._attachment.server)
        return await call_next(context)

    async def _list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> list[Tool]:
        server = self._attachment.server
        forward_declarations(server)
        with Request("tools/list") as request:
            listed = list(await call_next(context))
            hidden = await surfaces.pinned(server, listed)
        await self._attachment.versions.prepare()
        tools, unsettled = self._attachment.lists.tools(listed)
        if hidden:
            kept = list(filter(surfaces.keeps_page, self._attachment.lists.tools(hidden)[0]))
            unsettled += range(len(tools), len(tools) + len(kept))
            tools += kept
        return await self._attachment.addresses.address(
            tools, unsettled, outermost=request.outermost
        )

    async def _call_tool(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        server = self._attachment.server
        forward_declarations(server)
        result: Any = None
        with request_of("tools/call") as request:
            try:
                result = await _run(server, request, context, call_next)
            except Exception as error:
                if not (request.outermost and is_unknown(error, context.message.name)):
                    raise
                context = await self._renamed(context, error)
                result = await _run(server, request, context, call_next)
        if isinstance(request, Leg) and request.asks_client(result):
            result = await answer_of(request, result)
        if isinstance(result, ToolResult) and has_addresses(result):
            tool = await server.get_tool(context.message.name)
            if tool is not None:
                addresses = self._attachment.addresses
                return await readdress(result, lambda uri: addresses.resolve(uri, tool))
        return result

    async def _renamed(
        self, context: MiddlewareContext[Any], error: Exception
    ) -> MiddlewareContext[Any]:
        """Call by its listed name what was called by the one that a page was written with."""
        server, name = self._attachment.server, context.message.name
        found = await written_with(server, name) if options_of(server).bare_names else []
        if not found:
            raise error
        if len(found) > 1:
            raise ToolError(str(ambiguous(server, name, found))) from None
        return context.copy(message=context.message.model_copy(update={"name": found[0]}))

    async def _get_prompt(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        forward_declarations(self._attachment.server)
        result: Any = None
        with request_of("prompts/get") as request:
            result = await request.run(context, call_next)
        if isinstance(request, Leg) and request.asks_client(result):
            return await answer_of(request, result)
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
        is_ui = uri.startswith(URI_SCHEME)
        if is_ui:
            await self._admit(uri)
        result: Any = None
        try:
            with request_of("resources/read") as request:
                result = await request.run(context, call_next)
        except PageError as error:
            # FastMCP masks no `ResourceError`, and has it in its log by now.
            if not getattr(server, "_mask_error_details", False):
                raise
            message = f"Error reading resource {uri!r} [{error.finding.code}]"
            raise ResourceError(message) from error
        if isinstance(request, Leg) and request.asks_client(result):
            return await answer_of(request, result)
        if not is_ui or not request.outermost:
            return result
        return await self._with_names(uri, result)

    async def _admit(self, uri: str) -> None:
        """Refuse a page to a caller for whom it is not."""
        server = self._attachment.server
        if surfaces.for_the_model():
            message = f"{uri} is a page for the host to show, not a text for the model to read."
            raise NotFoundError(message)
        await self._attachment.versions.prepare()
        if self._attachment.pages.inherits():
            page = await server.get_resource(uri)
            if page is not None and not await self._readable([page]):
                message = f"Unknown resource: {uri!r}"
                raise NotFoundError(message)

    async def _with_names(self, uri: str, result: Any) -> Any:
        """Tell a page what the tools it was written with are called here."""
        if not isinstance(result, ResourceResult) or len(result.contents) != 1:
            return result
        html = result.contents[0].content
        if not isinstance(html, str) or "html" not in (result.contents[0].mime_type or ""):
            return result
        told = await in_page(self._attachment.server, uri, html)
        if told is html:
            return result
        item = result.contents[0].model_copy(update={"content": told})
        return result.model_copy(update={"contents": [item]})


def _run(
    server: FastMCP[Any],
    request: Leg | Request,
    context: MiddlewareContext[Any],
    call_next: CallNext[Any, Any],
) -> Awaitable[Any]:
    """Run a tool; one that hands resources to the model is marked as such."""
    if surfaces.reads_resources(server, context.message.name):
        return _reading(request, context, call_next)
    return request.run(context, call_next)


async def _reading(
    request: Leg | Request, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
) -> Any:
    with surfaces.reading_tool():
        return await request.run(context, call_next)
