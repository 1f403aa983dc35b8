"""The words of a result: `text=` and `fallback=`, and never nothing for a tool with a page."""

from __future__ import annotations

import logging
import weakref
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from fastmcp.tools.base import InputRequiredToolResult
from mcp_types import ContentBlock, TextContent
from pydantic_core import to_json

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.declarations.text import render_text
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.links import link_of
from mcp_apps_plugin.protocol.shapes import as_list, as_object
from mcp_apps_plugin.server.negotiation import Support, supports_apps
from mcp_apps_plugin.server.tree import written_below

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from fastmcp.tools import Tool
    from fastmcp.tools.base import ToolResult

    from mcp_apps_plugin.declarations.link import UiDeclaration

_logger = logging.getLogger("mcp_apps_plugin")
_told: weakref.WeakValueDictionary[int, UiDeclaration] = weakref.WeakValueDictionary()
listeners: Final[list[Callable[[Finding], None]]] = []
"""Who is told of each text that could not be made; the log is told once for each declaration."""

_noticing: ContextVar[list[Tool] | None] = ContextVar("mcp_apps_noticing", default=None)


@contextmanager
def noticed() -> Generator[list[Tool]]:
    """Collect the tools whose results get their words inside."""
    tools: list[Tool] = []
    token = _noticing.set(tools)
    try:
        yield tools
    finally:
        _noticing.reset(token)


def shape_result(tool: Tool, returned: Any, result: ToolResult) -> ToolResult:
    """Give a result the words its declaration asks for.

    Args:
        tool: The tool that ran.
        returned: What its handler returned.
        result: The result FastMCP made of it.

    Returns:
        The result; `structuredContent` and everything but `content` is as it was. Errors and
        requests for input are never touched.
    """
    noticing = _noticing.get()
    if noticing is not None:
        noticing.append(tool)
    declaration = declaration_of(tool)
    if declaration is None:
        tool = written_below(tool)
        declaration = declaration_of(tool)
    if result.content and (declaration is None or not declaration.has_words()):
        return result
    if result.is_error or isinstance(result, InputRequiredToolResult):
        return result
    if declaration is None and link_of(tool.meta) is None:
        return result
    blocks = None if declaration is None else _words(tool, declaration, returned, result)
    if blocks is None and not result.content and result.structured_content is not None:
        blocks = _blocks(to_json(result.structured_content, fallback=str).decode())
    return result if blocks is None else result.model_copy(update={"content": blocks})


def _words(
    tool: Tool, declaration: UiDeclaration, returned: Any, result: ToolResult
) -> list[ContentBlock] | None:
    text = declaration.text
    if declaration.fallback is not None and supports_apps() is Support.NO:
        text = declaration.fallback
    if text is None:
        return None
    try:
        made = render_text(text, returned, as_object(result.structured_content))
        return None if made is None else _blocks(made)
    except Exception as error:  # noqa: BLE001  an author's format or function; the result stands
        finding = Finding(
            code=Code.TEXT_INVALID,
            subject=f"tool {tool.name!r} of {declaration.subject}",
            problem=f"its text could not be made ({type(error).__name__}: {error}).",
            consequence="The client reads FastMCP's own content instead.",
            remedy="Make `text=` fit every result.",
            severity="warning",
            place=declaration.place,
        )
        for listener in listeners:
            listener(finding)
        if id(declaration) not in _told:  # what fails once will fail at many calls
            _told[id(declaration)] = declaration
            _logger.warning("%s", finding)
        return None


def _blocks(content: Any) -> list[ContentBlock]:
    """Check what became of a text, as it would fail deep in the SDK otherwise."""
    if isinstance(content, str):
        return [TextContent(type="text", text=content)]
    listed = as_list(content)
    blocks = [content] if listed is None else listed
    for block in blocks:
        if not isinstance(block, ContentBlock):
            message = f"it returned {type(block).__name__}, neither a string nor content blocks"
            raise TypeError(message)
    return blocks
