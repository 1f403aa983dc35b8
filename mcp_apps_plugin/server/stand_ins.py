"""What stands in for methods of FastMCP, while the package is active.

Each function takes the original and returns what is called in its place. The module is loaded when
the first of them is called, and with it what serves pages: an import alone stays cheap.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP

from mcp_apps_plugin.declarations.link import any_words
from mcp_apps_plugin.declarations.marks import UI_MARK
from mcp_apps_plugin.plugins.manager import forget_plugins, plugins
from mcp_apps_plugin.protocol.findings import AppsConfigurationError
from mcp_apps_plugin.server.attachment import (
    Attachment,
    attachment_of,
    remove_everywhere,
)
from mcp_apps_plugin.server.audit import check_start
from mcp_apps_plugin.server.content import page_result
from mcp_apps_plugin.server.emission import as_written, is_page, keeps_mime_type
from mcp_apps_plugin.server.off import is_off, switch_off, switch_on, warn_of_changes
from mcp_apps_plugin.server.older_servers import KEY
from mcp_apps_plugin.server.private import current_context, missing_parts
from mcp_apps_plugin.server.shaping import shape_result
from mcp_apps_plugin.server.switch import LOCK, is_active

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from fastmcp.tools import Tool

    Original = Callable[..., Any]

_SERVERS = "its servers"
_fit = False
"""Whether any server took our parts."""


def attach(server: FastMCP[Any]) -> None:
    """Give a server our parts, unless it has them."""
    global _fit  # noqa: PLW0603  one FastMCP per process
    with LOCK:
        off = not is_active() or is_off("servers", FastMCP.__name__)
        if off or vars(server).get(KEY) is not None:
            return
        vars(server)[KEY] = None
        for part, feature in missing_parts().items():
            switch_off(feature, part, "is gone.")
        warn_of_changes()
        try:
            Attachment(server)
        except Exception as error:  # noqa: BLE001  whatever a FastMCP of another shape raises
            vars(server)[KEY] = None
            problem = f"take no parts of ours ({type(error).__name__}: {error})."
            switch_off("server" if _fit else "servers", _SERVERS, problem)
            warn_of_changes()
            return
        _fit = True
        switch_on("servers", _SERVERS)
    plugins().server_attached(server)


def detach() -> None:
    """Leave servers as they were found, and forget the plugins that were told of them."""
    remove_everywhere()
    forget_plugins()


def new_server(original: Original) -> Original:
    """Attach each new server."""

    def __init__(self: FastMCP[Any], *args: Any, **kwargs: Any) -> None:  # noqa: N807
        vars(self)[KEY] = None
        original(self, *args, **kwargs)
        del vars(self)[KEY]
        attach(self)

    return __init__


def started(original: Original) -> Original:
    """Look a server over once all that starts with it has started, before its first request."""

    @asynccontextmanager
    async def _lifespan_manager(self: FastMCP[Any]) -> AsyncGenerator[None]:
        runs = getattr(self, "_lifespan_result_set", False)
        async with original(self):
            attachment = None if runs else attachment_of(self)
            if attachment is not None:
                attachment.resume_place()
                await check_start(self)
            yield

    return _lifespan_manager


def run(original: Original) -> Original:
    """Say what keeps a server from starting without fifty lines of FastMCP and asyncio before."""

    def run(self: FastMCP[Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        except AppsConfigurationError as error:
            # The way there is FastMCP's and asyncio's; what is wrong stands in the message.
            raise error.with_traceback(None) from None

    return run


def tool_result(original: Original) -> Original:
    """Put an author's words into a result."""

    def convert_result(self: Tool, raw_value: Any) -> Any:
        result = original(self, raw_value)
        as_it_is = result.content and not any_words()
        return result if as_it_is else shape_result(self, raw_value, result)

    return convert_result


def tool_run(original: Original) -> Original:
    """Put an author's words into the result of a tool that was made from another one."""

    def _run(self: Tool, arguments: dict[str, Any]) -> Awaitable[Any]:
        running: Awaitable[Any] = original(self, arguments)
        return _with_words(self, running) if UI_MARK in vars(self) else running

    return _run


async def _with_words(tool: Tool, running: Awaitable[Any]) -> Any:
    result = await running
    return shape_result(tool, result, result)


def page_content(original: Original) -> Original:
    """Make one item of whatever a page's handler returned."""

    def convert_result(self: Any, raw_value: Any) -> Any:
        if not is_page(self) or not keeps_mime_type(self):
            return original(self, raw_value)
        context = current_context.get()
        attachment = None if context is None else attachment_of(context.fastmcp)
        if context is None or attachment is None:
            return original(self, raw_value)
        result = page_result(context.fastmcp, self, raw_value)
        if result is None:
            return original(as_written(self), raw_value)
        return attachment.versions.served(self, result)

    return convert_result
