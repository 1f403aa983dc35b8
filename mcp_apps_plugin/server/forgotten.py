"""Declarations that lead to nothing: `@ui` without a tool, a page on a function that is a tool.

The first is said only where it cannot be meant: the function stands in the file that holds the
server, no server of this process has it, and no other line names it. What another module imports,
registers under a condition, or finds by its name, is left alone.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from fastmcp.decorators import get_fastmcp_meta
from fastmcp.tools import Tool
from fastmcp.tools.function_tool import ToolMeta

from mcp_apps_plugin.declarations.link import UiDeclaration, declaration_of
from mcp_apps_plugin.declarations.marks import (
    PAGE_MARK,
    UI_MARK,
    declaring_modules,
    find_tool_mark,
)
from mcp_apps_plugin.declarations.page import AppResource
from mcp_apps_plugin.declarations.page_function import page_usage
from mcp_apps_plugin.plugins.manager import plugins
from mcp_apps_plugin.server.tree import local_components

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from types import ModuleType

    from fastmcp import FastMCP

    from mcp_apps_plugin.protocol.findings import Finding

    Server = FastMCP[Any]


def forgotten(servers: Iterable[Server], listed: Iterable[Tool]) -> list[UiDeclaration]:
    """Find the declarations that no tool has, in the files of these servers.

    Args:
        servers: The servers that start.
        listed: Their tools, from whatever provider.
    """
    starting = {id(server) for server in servers}
    candidates = [
        (module, name, declaration)
        for module in filter(None, map(sys.modules.get, declaring_modules()))
        if any(id(value) in starting for value in list(vars(module).values()))
        for name, declaration in _declared_in(module)
    ]
    if candidates:
        candidates = _without(candidates, listed)
    if candidates:
        everywhere = (local_components(server) for server in plugins().servers())
        candidates = _without(candidates, (each for part in everywhere for each in part))
    return [said for module, name, said in candidates if not _is_named(module, name)]


def misplaced(tools: Iterable[Tool], served: Collection[str]) -> Iterator[Finding]:
    """Find `@app_resource` on functions that are tools, where nothing serves their page.

    Args:
        tools: The tools of a server.
        served: The addresses it serves.
    """
    for tool in tools:
        page = find_tool_mark(tool, PAGE_MARK, AppResource)
        if page is not None and page.handler is not None and page.uri not in served:
            yield replace(
                page_usage(
                    f"tool {tool.name!r} of {page.subject}",
                    "has `@app_resource`, which is for the function that makes a page.",
                    "Give the tool its page with `@ui`.",
                ),
                place=page.place,
            )


def _without(
    candidates: list[tuple[ModuleType, str, UiDeclaration]], components: Iterable[object]
) -> list[tuple[ModuleType, str, UiDeclaration]]:
    registered = {id(declaration_of(each)) for each in components if isinstance(each, Tool)}
    return [each for each in candidates if id(each[2]) not in registered]


def _declared_in(module: ModuleType) -> Iterator[tuple[str, UiDeclaration]]:
    for name, value in list(vars(module).items()):
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            declaration = vars(value).get(UI_MARK)
            # FastMCP's stand-alone `@tool` waits for `add_tool`, or for a folder's discovery.
            waits = isinstance(get_fastmcp_meta(value), ToolMeta)
            if isinstance(declaration, UiDeclaration) and not waits:
                yield name, declaration


def _is_named(module: ModuleType, name: str) -> bool:
    """Tell whether anything but its definition names a function."""
    others = [each for each in list(sys.modules.values()) if each is not module]
    function = vars(module)[name]
    if any(getattr(each, "__dict__", {}).get(name) is function for each in others):
        return True
    import ast  # noqa: PLC0415  for a fault only

    try:
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    except (AttributeError, OSError, SyntaxError, ValueError):
        return True  # without its source nobody can tell
    return any(
        (isinstance(node, ast.Name) and node.id == name)
        or (isinstance(node, ast.Attribute) and node.attr == name)
        or (isinstance(node, ast.Constant) and node.value == name)
        for node in ast.walk(tree)
    )
