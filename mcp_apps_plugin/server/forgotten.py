"""Declarations that lead to nothing: `@ui` without a tool, a page on a function that is a tool.

`@ui` on a resource or a prompt, or below a decorator that hides it from its tool, is known for
certain. A function that nothing has is said only where it cannot be meant: the function stands in
the file that holds the server, no server of this process has it, and no other line names it. What
another module imports, registers under a condition, or finds by its name, is left alone.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from fastmcp.decorators import get_fastmcp_meta
from fastmcp.prompts import Prompt
from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.tools import Tool
from fastmcp.tools.function_tool import ToolMeta

from mcp_apps_plugin.declarations.link import UiDeclaration, declaration_of
from mcp_apps_plugin.declarations.marks import (
    PAGE_MARK,
    UI_MARK,
    declaring_modules,
    find_mark,
    find_tool_mark,
)
from mcp_apps_plugin.declarations.page import AppResource
from mcp_apps_plugin.declarations.page_function import page_usage
from mcp_apps_plugin.plugins.manager import plugins
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.server.tree import local_components

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from types import ModuleType

    from fastmcp import FastMCP
    from fastmcp.utilities.components import FastMCPComponent

    Server = FastMCP[Any]


def forgotten(servers: Iterable[Server], listed: Iterable[Tool]) -> list[UiDeclaration]:
    """Find the declarations that no tool has, in the files of these servers.

    Args:
        servers: The servers that start.
        listed: Their tools, from whatever provider.
    """
    servers = list(servers)
    starting = {id(server) for server in servers}
    candidates = [
        (module, name, declaration)
        for module in filter(None, map(sys.modules.get, declaring_modules()))
        if any(id(value) in starting for value in list(vars(module).values()))
        for name, declaration in _declared_in(module)
    ]
    if candidates:
        known = {id(declaration) for _, declaration in _on_no_tool(servers)}
        candidates = [each for each in candidates if id(each[2]) not in known]
    if candidates:
        candidates = _without(candidates, listed)
    if candidates:
        everywhere = (local_components(server) for server in plugins().servers())
        candidates = _without(candidates, (each for part in everywhere for each in part))
    return [said for module, name, said in candidates if not _is_named(module, name)]


def hidden(servers: Iterable[Server], listed: Iterable[Tool]) -> Iterator[Finding]:
    """Find `@ui` where no tool can have it: on resources and prompts, and below a decorator.

    Args:
        servers: The servers that start.
        listed: Their tools, from whatever provider.
    """
    if not declaring_modules():
        return
    servers = list(servers)
    candidates = [*_on_no_tool(servers), *_wrapped(servers)]
    if not candidates:
        return
    everywhere = (local_components(server) for server in plugins().servers())
    tools = (*listed, *(each for part in everywhere for each in part))
    registered = {id(declaration_of(each)) for each in tools if isinstance(each, Tool)}
    for component, said in candidates:
        if id(said) in registered:
            continue  # one function may be both
        if isinstance(component, Tool):
            yield Finding(
                code=Code.UI_UNREGISTERED,
                subject=said.subject,
                problem=f"has `@ui`, and tool {component.name!r} is another function around it, "
                "which keeps nothing of it.",
                consequence="The tool is listed without its page.",
                remedy="Put `functools.wraps` on that function, or `@ui` above its decorator.",
                severity="warning",
                place=said.place,
            )
            continue
        kind = "prompt" if isinstance(component, Prompt) else "resource"
        yield Finding(
            code=Code.UI_USAGE,
            subject=said.subject,
            problem=f"has `@ui`, which is for tools, and is a {kind}.",
            consequence=f"Hosts show pages for tools only, so that the {kind} never has one.",
            remedy="Remove `@ui`, or put it on the tool that is to show the page. What a function "
            "returns is a page by `@app_resource`.",
            place=said.place,
        )


def _on_no_tool(servers: Iterable[Server]) -> Iterator[tuple[FastMCPComponent, UiDeclaration]]:
    for server in servers:
        for component in local_components(server):
            if isinstance(component, Resource | ResourceTemplate | Prompt):
                said = find_mark(vars(component).get("fn"), UI_MARK, UiDeclaration)
                if said is not None:
                    yield component, said


def _wrapped(servers: Iterable[Server]) -> Iterator[tuple[Tool, UiDeclaration]]:
    """Look for `@ui` on functions that a tool's own function keeps, as a wrapper does."""
    for server in servers:
        for tool in local_components(server):
            if isinstance(tool, Tool) and declaration_of(tool, server) is None:
                for said in _kept_by(vars(tool).get("fn"), _WRAPPERS):
                    yield tool, said


def _kept_by(function: object, depth: int) -> Iterator[UiDeclaration]:
    if not isinstance(function, FunctionType) or not depth:
        return
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # nothing is in it yet
            said = find_mark(cell.cell_contents, UI_MARK, UiDeclaration)
            if said is not None and isinstance(cell.cell_contents, FunctionType):
                yield said
            else:
                yield from _kept_by(cell.cell_contents, depth - 1)


_WRAPPERS = 4  # a few decorators, and FastMCP's own for a `Context`


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
