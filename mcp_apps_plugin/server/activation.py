"""Switching the package on and off. Every touch on FastMCP's insides stands here.

Importing the package activates it, as it has to be imported for its decorators anyway. FastMCP
finds no plugins by itself, and has no door for the three things below.
"""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from fastmcp.resources import Resource, ResourceResult, ResourceTemplate
from fastmcp.server.transforms import Namespace
from fastmcp.tools import Tool

from mcp_apps_plugin.declarations.marks import UI_MARK
from mcp_apps_plugin.plugins.manager import forget_plugins, plugins
from mcp_apps_plugin.protocol.findings import AppsConfigurationError
from mcp_apps_plugin.server import trail
from mcp_apps_plugin.server.attachment import Attachment, attachment_of
from mcp_apps_plugin.server.audit import check_start
from mcp_apps_plugin.server.content import page_result
from mcp_apps_plugin.server.emission import (
    declared_page,
    is_page,
    keeps_mime_type,
    page_ui,
    subject_of,
)
from mcp_apps_plugin.server.off import forget_changes, switch_off, switch_on, warn_of_changes
from mcp_apps_plugin.server.patches import Method, Patch
from mcp_apps_plugin.server.private import current_context, missing_parts
from mcp_apps_plugin.server.shaping import shape_result
from mcp_apps_plugin.settings import read_settings, warn_of_unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_lock = threading.RLock()
_active = False
_fit = False
"""Whether any server took our parts."""


def activate() -> bool:
    """Make every FastMCP server of this process able to show pages: those there are, and new ones.

    Runs when the package is imported. Calling it again changes nothing.

    Returns:
        Whether the package is active; `False` with `MCP_APPS_DISABLE=1`.

    Raises:
        AppsValueError: An `MCP_APPS_*` variable has a value that is not allowed.
    """
    global _active  # noqa: PLW0603  one FastMCP per process
    with _lock:
        if _active or read_settings().disable:
            return _active
        warn_of_unknown()
        _active = True
        for patch in PATCHES:
            patch.apply()
        for part, feature in missing_parts().items():
            switch_off(feature, part, "is gone.")
        warn_of_changes()
        for server in _existing_servers():
            _attach(server)
        return True


def deactivate() -> None:
    """Leave FastMCP, and every server, as they were found."""
    global _active  # noqa: PLW0603  one FastMCP per process
    with _lock:
        if not _active:
            return
        _active = False
        for patch in reversed(PATCHES):
            patch.undo()
        for server in _existing_servers():
            attachment = attachment_of(server)
            if attachment is not None:
                attachment.remove()
        forget_plugins()
        forget_changes()


def is_active() -> bool:
    """Tell whether the package is active."""
    return _active


def _attach(server: FastMCP[Any]) -> None:
    global _fit  # noqa: PLW0603  one FastMCP per process
    with _lock:  # one thread may activate while another makes a server
        if not _active or attachment_of(server) is not None:
            return
        try:
            Attachment(server, on_start=check_start)
        except Exception as error:  # noqa: BLE001  whatever a FastMCP of another shape raises
            problem = f"take no parts of ours ({type(error).__name__}: {error})."
            switch_off("server" if _fit else "servers", _SERVERS, problem)
            warn_of_changes()
            return
        _fit = True
        switch_on("servers", _SERVERS)
    plugins().server_attached(server)


_SERVERS = "its servers"


def _existing_servers() -> list[FastMCP[Any]]:
    """Find the servers of this process. FastMCP keeps no list of them."""
    # By type, not `isinstance`: proxies may raise, or lie, when asked for their class.
    classes = set(_with_subclasses(FastMCP))
    found = [each for each in gc.get_referrers(*classes) if type(each) in classes]
    return [server for server in found if _is_whole(server)]


def _with_subclasses(owner: type[Any]) -> Iterator[type[Any]]:
    yield owner
    subclasses: list[type[Any]] = owner.__subclasses__()
    for subclass in subclasses:
        yield from _with_subclasses(subclass)


def _is_whole(server: FastMCP[Any]) -> bool:
    return "_mcp_server" in vars(server) and "_extensions" in vars(server)


def _new_server(original: Callable[..., Any]) -> Callable[..., Any]:
    def __init__(self: FastMCP[Any], *args: Any, **kwargs: Any) -> None:  # noqa: N807
        original(self, *args, **kwargs)
        _attach(self)

    return __init__


def _tool_result(original: Callable[..., Any]) -> Callable[..., Any]:
    def convert_result(self: Tool, raw_value: Any) -> Any:
        return shape_result(self, raw_value, original(self, raw_value))

    return convert_result


def _tool_run(original: Callable[..., Any]) -> Callable[..., Any]:
    async def _run(self: Tool, arguments: dict[str, Any]) -> Any:
        result = await original(self, arguments)
        # A tool made from another one passes its result through, without converting it.
        if UI_MARK in vars(self) and "parent_tool" in vars(self):
            result = shape_result(self, result, result)
        return result

    return _run


def _page_content(original: Callable[..., Any]) -> Callable[..., Any]:
    def convert_result(self: Any, raw_value: Any) -> Any:
        if not is_page(self) or not keeps_mime_type(self):
            return original(self, raw_value)
        context = current_context.get()
        attachment = None if context is None else attachment_of(context.fastmcp)
        if context is None or attachment is None:
            return original(self, raw_value)
        ui = page_ui(context.fastmcp, self)
        result = page_result(
            raw_value, subject=subject_of(self), ui=ui, declared=declared_page(self)
        )
        if not isinstance(result, ResourceResult):
            return original(self, result)
        return attachment.versions.served(self, result)

    return convert_result


def _short(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: FastMCP[Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        except AppsConfigurationError as error:
            # The way there is FastMCP's and asyncio's; what is wrong stands in the message.
            raise error.with_traceback(None) from None

    return run


PATCHES = (
    Patch(
        FastMCP,
        {"__init__": Method(_new_server, ("self",))},
        feature="servers",
        why="FastMCP has no hook for new servers, and discovers no plugins.",
        upstream="PrefectHQ/fastmcp#2695",
    ),
    Patch(
        next((owner for owner in FastMCP.__mro__ if "run" in vars(owner)), FastMCP),
        {"run": Method(_short, ("self",))},
        feature="",
        why="FastMCP has no hook for a start that fails, and shows fifty lines of its own and of "
        "asyncio before the message.",
        upstream="none: it is no fault of FastMCP's",
    ),
    Patch(
        Tool,
        {
            "convert_result": Method(_tool_result, ("self", "raw_value")),
            "_run": Method(_tool_run, ("self", "arguments")),
        },
        feature="words",
        why="Only `convert_result` still knows what the handler returned, and background tasks "
        "pass it too; a tool made from another one passes `_run` alone.",
        upstream="PrefectHQ/fastmcp#2210",
    ),
    Patch(
        Resource,
        {"convert_result": Method(_page_content, ("self", "raw_value"))},
        feature="pages",
        why="FastMCP drops MIME type and `_meta` of several return types on the way.",
        upstream="PrefectHQ/fastmcp#3735",
    ),
    Patch(
        ResourceTemplate,
        {"convert_result": Method(_page_content, ("self", "raw_value"))},
        feature="templates",
        why="As for resources, from which templates do not inherit it.",
        upstream="PrefectHQ/fastmcp#3735",
    ),
    Patch(
        Namespace,
        {
            "list_tools": Method(trail.listing, ("self", "tools")),
            "get_tool": Method(trail.lookup, ("self", "name", "call_next")),
            "list_resources": Method(trail.listing, ("self", "resources")),
            "get_resource": Method(trail.lookup, ("self", "uri", "call_next")),
            "get_resource_template": Method(trail.lookup, ("self", "uri", "call_next")),
        },
        feature="namespaces",
        why="FastMCP renames the pages below a namespace, and neither the links to them nor the "
        "addresses in results; and nothing else knows which of two equal mounts a tool is of.",
        upstream="PrefectHQ/fastmcp#3056, PrefectHQ/fastmcp#4154",
    ),
)
