"""The page library, `mcp-app.js`, as text to put into pages."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, Final

from .paths import LIBRARY_NAME
from .scripts import capture, parse, text_of

NAMESPACE: Final = "globalThis.McpApp"
"""What the library defines, as an expression; modules that import it read from there."""

TYPES_NAME: Final = "mcp-app.d.ts"
_DECLARED_MEMBER: Final = re.compile(r"^  (?:(?:readonly|get|set) )?(\w+)[?(<:]", re.MULTILINE)


@cache
def library(*, minify: bool = True) -> str:
    """The text of the library, minified once per process unless asked otherwise.

    Args:
        minify: Whether to remove comments and white space, and to shorten local names where the
            platform allows it.
    """
    source = (
        (files(__name__.rpartition(".")[0]) / LIBRARY_NAME)
        .read_text("utf-8")
        .removeprefix("\ufeff")
    )
    if not minify:
        return source
    return _minified(source)


def _minified(source: str) -> str:
    """Minify with what is installed. Only pages that use the library need it."""
    try:
        # Shortens local names as well, and has no wheel for some platforms.
        shortening: Any = import_module("minify")
        # It leaves out the last semicolon, which whatever follows may rely on.
        return f"{shortening.string('text/javascript', source)};"
    except (ImportError, OSError):
        stripping: Any = import_module("rjsmin")
        return str(stripping.jsmin(source))


@cache
def library_names() -> frozenset[str]:
    """The names that `import { ... } from "./mcp-app.js"` can have.

    They are the members of the object that the library's outermost function returns.
    """
    root = parse(library(minify=False).encode()).root_node
    outermost = """
        (program (expression_statement (assignment_expression
            right: (call_expression function: (parenthesized_expression
                (arrow_function body: (statement_block (return_statement) @returned)))))))
    """
    node = capture(root, outermost)["returned"][-1]
    while node.type != "object":
        node = next(child for child in node.named_children if child.type != "comment")
    fields = (
        member.child_by_field_name("key") or member.child_by_field_name("name") or member
        for member in node.named_children
        if member.type != "comment"
    )
    return frozenset(text_of(field) for field in fields)


@cache
def app_members() -> frozenset[str]:
    """The names that an object made with `new App(...)` has, as the types promise them."""
    return frozenset(_DECLARED_MEMBER.findall(_declared("export class App {")))


@cache
def event_names() -> frozenset[str]:
    """The events that `app.addEventListener(...)` can be told of."""
    return frozenset(_DECLARED_MEMBER.findall(_declared("export interface AppEventMap {")))


def _declared(opening: str) -> str:
    """The body of one declaration in `mcp-app.d.ts`."""
    types = (files(__name__.rpartition(".")[0]) / TYPES_NAME).read_text("utf-8")
    return types.partition(f"\n{opening}\n")[2].partition("\n}")[0]
