"""Switching the package on and off. Every method of FastMCP that is wrapped stands here.

What is put into a single server, or into one of its proxies, stands in `attachment`, `folders` and
`proxies`; private parts that are only read stand in `private`, and beside the line that reads them.

Importing the package activates it, as it has to be imported for its decorators anyway. FastMCP
finds no plugins by itself, and has no door for the things below. What stands in for its methods
is loaded when the first of them is called.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.transforms import Namespace
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import TransformedTool

from mcp_apps_plugin.server import trail
from mcp_apps_plugin.server.older_servers import KEY, meet, meet_running
from mcp_apps_plugin.server.patches import Attribute, Method, Patch
from mcp_apps_plugin.server.switch import LOCK, is_active, set_active

if TYPE_CHECKING:
    from collections.abc import Callable

    Original = Callable[..., Any]

__all__ = ["PATCHES", "activate", "deactivate", "is_active"]


def activate() -> bool:
    """Make every FastMCP server of this process able to show pages: those there are, and new ones.

    Runs when the package is imported. Calling it again changes nothing. A server that is there
    already gets what it needs when it is next used, before that use.

    Returns:
        Whether the package is active; `False` with `MCP_APPS_DISABLE=1`.

    Raises:
        AppsValueError: An `MCP_APPS_*` variable has a value that is not allowed.
    """
    with LOCK:
        if is_active() or _disabled():
            return is_active()
        set_active(True)
        for patch in PATCHES:
            patch.apply()
        _warn_of_changes()
        meet_running()
        return True


def deactivate() -> None:
    """Leave FastMCP, and every server, as they were found."""
    from mcp_apps_plugin.server import off, stand_ins  # noqa: PLC0415  heavy, and rarely needed

    with LOCK:
        if not is_active():
            return
        set_active(False)
        for patch in reversed(PATCHES):
            patch.undo()
        stand_ins.detach()
        off.forget_changes()


def _disabled() -> bool:
    """Read the environment, if it speaks of this package at all."""
    if not any(variable.upper().startswith("MCP_APPS_") for variable in os.environ):
        return False
    from mcp_apps_plugin.settings import read_settings, warn_of_unknown  # noqa: PLC0415  heavy

    if read_settings().disable:
        return True
    warn_of_unknown()
    return False


def _warn_of_changes() -> None:
    """Say what this FastMCP does not allow, if there is anything to say."""
    refused = [patch for patch in PATCHES if patch.refused]
    if not refused:
        return
    from mcp_apps_plugin.server import off  # noqa: PLC0415  heavy, and rarely needed

    for patch in refused:
        off.switch_off(patch.feature, patch.owner.__name__, patch.refused)
    off.warn_of_changes()


def _stand_in(name: str) -> Callable[[Original], Original]:
    def wrap(original: Original) -> Original:
        from mcp_apps_plugin.server import stand_ins  # noqa: PLC0415  see there

        found: Original = getattr(stand_ins, name)(original)
        return found

    return wrap


_WATCHED = ("_local_provider", "middleware", "providers")

PATCHES = (
    Patch(
        FastMCP,
        {
            "__init__": Method(_stand_in("new_server"), ("self",)),
            "run": Method(_stand_in("run"), ("self",), optional=True),
            **{name: Attribute(meet, unless=KEY) for name in _WATCHED},
        },
        feature="servers",
        why="FastMCP has no hook for new servers, keeps no list of those there are, and discovers "
        "no plugins; and it shows fifty lines of its own and of asyncio before what keeps a "
        "server from starting.",
        upstream="PrefectHQ/fastmcp#2695",
    ),
    Patch(
        FastMCP,
        {"_lifespan_manager": Method(_stand_in("started"), ("self",))},
        feature="starts",
        why="A finding has to stop a start after every provider's lifespan was entered, and before "
        "the first request; a provider's own lifespan is entered while later ones are not ready.",
        upstream="PrefectHQ/fastmcp#2695",
    ),
    Patch(
        Tool,
        {"convert_result": Method(_stand_in("tool_result"), ("self", "raw_value"))},
        feature="words",
        why="Only `convert_result` still knows what the handler returned, and background tasks "
        "pass it too.",
        upstream="PrefectHQ/fastmcp#2210",
    ),
    Patch(
        TransformedTool,
        {"_run": Method(_stand_in("tool_run"), ("self", "arguments"))},
        feature="words",
        why="A tool that was made from another one hands its result on, without converting it.",
        upstream="PrefectHQ/fastmcp#2210",
    ),
    Patch(
        Resource,
        {"convert_result": Method(_stand_in("page_content"), ("self", "raw_value"))},
        feature="pages",
        why="FastMCP drops MIME type and `_meta` of several return types on the way.",
        upstream="PrefectHQ/fastmcp#3735",
    ),
    Patch(
        ResourceTemplate,
        {"convert_result": Method(_stand_in("page_content"), ("self", "raw_value"))},
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
            "get_prompt": Method(trail.lookup, ("self", "name", "call_next")),
        },
        feature="namespaces",
        why="FastMCP renames the pages below a namespace, and neither the links to them nor the "
        "addresses in results; and nothing else knows which of two equal mounts a tool is of.",
        upstream="PrefectHQ/fastmcp#3056, PrefectHQ/fastmcp#4154",
    ),
)
