"""A page's document in its parts: the scripts that run, as syntax trees, and its styles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.view.data import NAMES_ID
from mcp_apps_plugin.view.markup import tokens
from mcp_apps_plugin.view.page_scripts import kind_of
from mcp_apps_plugin.view.scripts import capture, first_error, parse, string_value, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

    from mcp_apps_plugin.view.markup import Token

LIBRARY_MARK: Final = "globalThis.McpApp ="
"""How this package's page library begins its one definition; see `view/mcp-app.js`."""

_LIBRARY_MINIFIED: Final = "globalThis.McpApp="
_IMPORTS: Final = """
    (import_statement source: (string) @from)
    (export_statement source: (string) @from)
    (call_expression function: (import) arguments: (arguments . (string) @from))
"""
_STRINGS: Final = "[(string) (template_string)] @text"


@dataclass(slots=True)
class Script:
    """One inline script that runs.

    Attributes:
        code: Its text.
        line: The line of the document it starts in, from 1.
        is_module: Whether it is a module.
        is_library: Whether it is this package's page library, whose calls are no page's own.
    """

    code: str
    line: int
    is_module: bool
    is_library: bool
    _tree: Tree | None = None

    @property
    def root(self) -> Node:
        """The syntax tree, parsed once."""
        if self._tree is None:
            self._tree = parse(self.code.encode())
        return self._tree.root_node

    def line_of(self, node: Node) -> int:
        """The line of the document that a node stands in."""
        return self.line + node.start_point.row

    def captures(self, query: str) -> dict[str, list[Node]]:
        """Run a tree-sitter query."""
        return capture(self.root, query)

    @property
    def broken(self) -> Node | None:
        """The first place that is no JavaScript."""
        return first_error(self.root)


@dataclass(slots=True)
class Style:
    """One style sheet of the document, or the `style` attribute of one element.

    Attributes:
        css: Its text.
        line: The line of the document it starts in.
        element: For an attribute: the name of its element.
    """

    css: str
    line: int
    element: str | None = None


class PageSource:
    """A document in its parts.

    Args:
        html: The document.
    """

    def __init__(self, html: str) -> None:
        self.html = html
        self.scripts: list[Script] = []
        self.styles: list[Style] = []
        self.tags: list[tuple[Token, int]] = []
        self.external_scripts: list[str] = []
        self.has_doctype = False
        self.has_names = False
        self.has_base = False
        self.has_import_map = False
        templates = 0
        for token, line in _with_lines(html):
            if token.name == "template" and token.kind in ("start", "end"):
                templates = max(0, templates + (1 if token.kind == "start" else -1))
            if token.kind == "doctype":
                self.has_doctype = True
            elif token.kind == "start" and not templates:
                self._start(token, line)

    def _start(self, token: Token, line: int) -> None:
        self.tags.append((token, line))
        self.has_base |= token.name == "base" and "href" in token.attributes
        content = self.html[token.end : token.content_end] if token.content_end >= 0 else ""
        content_line = line + self.html.count("\n", token.start, token.end)
        if token.name == "style":
            self.styles.append(Style(content, content_line))
        elif token.name == "script":
            self._script(token, content, content_line)
        if attribute := token.get("style"):
            self.styles.append(Style(attribute, line, token.name))

    def _script(self, token: Token, content: str, line: int) -> None:
        self.has_names |= token.get("id") == NAMES_ID
        kind = kind_of(token)
        self.has_import_map |= kind == "importmap"
        if kind not in ("classic", "module") or "nomodule" in token.attributes:
            return
        if src := token.get("src"):
            self.external_scripts.append(src)
            return
        own = LIBRARY_MARK in content or _LIBRARY_MINIFIED in content
        self.scripts.append(Script(content, line, kind == "module", own))

    @property
    def own_scripts(self) -> list[Script]:
        """The scripts that are not this package's page library."""
        return [script for script in self.scripts if not script.is_library]

    @property
    def uses_library(self) -> bool:
        """Whether this package's page library is in the page."""
        return any(script.is_library for script in self.scripts)

    def mentions(self, text: str) -> bool:
        """Tell whether the text occurs anywhere in a script: a cheap first look."""
        return any(text in script.code for script in self.scripts)

    @cached_property
    def imports(self) -> tuple[tuple[Script, Node], ...]:
        """What the page's own scripts import, as the strings that name it."""
        return tuple(
            (script, node)
            for script in self.own_scripts
            if "import" in script.code or (script.is_module and "export" in script.code)
            for node in script.captures(_IMPORTS).get("from", [])
        )

    @property
    def loads_elsewhere(self) -> bool:
        """Whether scripts from elsewhere run in it, which cannot be seen from here."""
        if self.external_scripts or self.has_import_map:
            return True
        return any("//" in (string_value(node) or "") for _, node in self.imports)

    @cached_property
    def strings(self) -> frozenset[str]:
        """The values of the strings with a `/` in the page's own scripts: method names, URLs."""
        found: set[str] = set()
        for script in self.own_scripts:
            if "ui/" not in script.code:
                continue
            for node in script.captures(_STRINGS).get("text", []):
                value = string_value(node) if b"/" in (node.text or b"") else None
                if value is not None:
                    found.add(value)
        return frozenset(found)

    def first(self, query: str, name: str) -> Iterator[tuple[Script, Node]]:
        """Yield what a query captures under a name in the page's own scripts, in order."""
        for script in self.own_scripts:
            for node in script.captures(query).get(name, []):
                yield script, node


def _with_lines(html: str) -> Iterator[tuple[Token, int]]:
    line, at = 1, 0
    for token in tokens(html):
        line += html.count("\n", at, token.start)
        at = token.start
        yield token, line


def named(node: Node | None) -> str:
    """A node's text, or nothing."""
    return "" if node is None else text_of(node)
