"""The page library, `mcp-app.js`, as text to put into pages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from .scripts import capture, parse, text_of


NAMESPACE: Final = "globalThis.McpApp"
"""What the library defines, as an expression; modules that import it read from there."""


@cache
def library(*, minify: bool = True) -> str:
    """The text of the library, minified once per process unless asked otherwise.

    Args:
        minify: Whether to remove comments and needless white space. The names stay, so stack
            traces can be read.
    """
    source = (files(__package__) / "mcp-app.js").read_text("utf-8").removeprefix("\ufeff")
    if not minify:
        return source
    from rjsmin import jsmin  # noqa: PLC0415 (only pages that use the library need it)

    return str(jsmin(source))


@cache
def library_names() -> frozenset[str]:
    """The names that `import { ... } from "./mcp-app.js"` can have: the members of its `api`."""
    root = parse(library(minify=False).encode()).root_node
    query = """(variable_declarator name: (identifier) @name value: (object [
        (pair key: (_) @member)
        (shorthand_property_identifier) @member
        (method_definition name: (_) @member)
    ])) (#eq? @name "api")"""
    return frozenset(text_of(node) for node in capture(root, query)["member"])
