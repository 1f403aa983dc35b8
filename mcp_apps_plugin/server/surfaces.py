"""Surfaces that the model drives itself: tool search, code mode, resources as tools.

No host stands between them and the model. A tool with a page stays listed beside them, as a host
shows pages only for listed tools; and the HTML of a page never becomes a tool's text.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from fastmcp.server.transforms.catalog import CatalogTransform

from mcp_apps_plugin.protocol.constants import UI_KEY

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from fastmcp import FastMCP
    from fastmcp.tools import Tool

    Server = FastMCP[Any]

_MODULE = "fastmcp.server.transforms.resources_as_tools"
_reading_tool: ContextVar[bool] = ContextVar("mcp_apps_reading_tool", default=False)


async def pinned(server: Server, listed: Sequence[Tool]) -> list[Tool]:
    """Return the tools that a search or code-mode transform took off the list.

    Args:
        server: The server that lists.
        listed: What it lists.

    Returns:
        Those of them that are not listed; which of them have a page is not known yet.
    """
    transforms = server._transforms  # noqa: SLF001  its reader copies, at every list
    catalogs = [each for each in transforms if isinstance(each, CatalogTransform)]
    if not catalogs:
        return []
    with ExitStack() as stack:
        for catalog in catalogs:
            bypass = catalog._bypass  # noqa: SLF001  the switch that catalogs use themselves
            stack.callback(bypass.reset, bypass.set(True))
        tools = await server.list_tools(run_middleware=False)
    names = {tool.name for tool in listed}
    return [tool for tool in tools if tool.name not in names]


def keeps_page(tool: Tool) -> bool:
    """Tell whether a tool takes part in MCP Apps, and has to stay listed."""
    return UI_KEY in (tool.meta or {})


def reads_resources(server: Server, name: str) -> bool:
    """Tell whether a call goes to a tool of `ResourcesAsTools`."""
    module = sys.modules.get(_MODULE)
    if module is None or not name.endswith(("list_resources", "read_resource")):
        return False
    return any(isinstance(each, module.ResourcesAsTools) for each in server.transforms)


@contextmanager
def reading_tool() -> Generator[None]:
    """Mark a call of a tool that hands resources to the model."""
    token = _reading_tool.set(True)
    try:
        yield
    finally:
        _reading_tool.reset(token)


def for_the_model() -> bool:
    """Tell whether a resource request comes from such a tool."""
    return _reading_tool.get()
