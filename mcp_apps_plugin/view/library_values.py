"""Knows which expressions of a page's scripts are, for certain, the page library's own objects."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from .paths import LIBRARY_NAME
from .scopes import NAMES, Occurrence, occurrences
from .scripts import capture, parse, string_value, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

Kind = Literal["library", "class", "app"]
"""The library itself, its class `App`, or an object that is made with that."""

GLOBAL: Final = "McpApp"
_WINDOWS: Final = frozenset({"globalThis", "self", "window"})
_IMPORTED: Final = """
    (import_specifier name: (identifier) @local !alias)
    (import_specifier alias: (identifier) @local)
    (namespace_import (identifier) @local)
    (import_clause (identifier) @local)
"""
_PAGE: Final = -1

Home = tuple[int, int, str]
"""What a name belongs to: a scope of one script, or the whole page."""


class Code:
    """One script of a page, which is parsed when something in it matters."""

    def __init__(self, text: str, *, is_module: bool, root: Node | None = None) -> None:
        """Keep its text, and its syntax tree where there is one already."""
        self.text = text
        self.is_module = is_module
        self._bytes = text.encode()
        self._root = root

    @property
    def root(self) -> Node:
        """Its syntax tree."""
        if self._root is None:
            self._root = parse(self._bytes).root_node
        return self._root

    def has(self, name: str) -> bool:
        """Tell whether it has a name, or something that looks like it."""
        return _spelled(name).search(self._bytes) is not None

    def named(self, name: str) -> list[Node]:
        """Find every place where a name stands for a variable."""
        found: list[Node] = []
        for match in _spelled(name).finditer(self._bytes):
            node = self.root.descendant_for_byte_range(*match.span())
            if node is not None and node.type in NAMES and node.byte_range == match.span():
                found.append(node)
        return found


@cache
def _spelled(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])")


class Values:
    """The library's objects in one page.

    A name counts when everything that is ever put into it is of one kind: one other value, or a
    value that cannot be told, and it is nobody's.
    """

    def __init__(self, scripts: Sequence[Code]) -> None:
        """Look at the scripts of one page, which share the names of the classic ones."""
        self.scripts = scripts
        self._imported: dict[int, dict[str, Node]] = {}
        self._found: dict[tuple[int, str], list[Occurrence]] = {}
        self._of_home: dict[Home, Kind | None] = {}
        self._of_node: dict[tuple[int, int], Kind | None] = {}

    def imported(self, script: int) -> dict[str, Node]:
        """The names that a script imports, from anywhere, and where."""
        if script not in self._imported:
            code = self.scripts[script]
            imports = code.is_module and "import" in code.text
            found = capture(code.root, _IMPORTED).get("local", []) if imports else []
            self._imported[script] = {text_of(node): node for node in found}
        return self._imported[script]

    def named(self, script: int, name: str) -> list[Occurrence]:
        """Every place where a script has a name for a variable."""
        key = script, name
        if key not in self._found and not self.scripts[script].has(name):
            self._found[key] = []
        if key not in self._found:
            root = self.scripts[script].root
            found = occurrences(self.scripts[script].named(name))
            local = self.imported(script).get(name)
            if local is not None:
                found = [
                    each._replace(scope=root, declares=each.node == local)
                    if each.scope is None
                    else each
                    for each in found
                    if each.node == local or not _is_import(each.node.parent)
                ]
            self._found[key] = found
        return self._found[key]

    def kind(self, script: int, node: Node | None) -> Kind | None:
        """What an expression is; None for anything that is not certain."""
        node = bare(node)
        if node is None:
            return None
        key = script, node.id
        if key not in self._of_node:
            self._of_node[key] = None  # for what leads back to itself
            self._of_node[key] = self._kind(script, node)
        return self._of_node[key]

    def _kind(self, script: int, node: Node) -> Kind | None:
        if node.type == "identifier":
            for each in self.named(script, text_of(node)):
                if each.node == node:
                    return self._kind_of(self._home(script, each))
        elif node.type == "member_expression":
            property_ = node.child_by_field_name("property")
            name = "" if property_ is None else text_of(property_)
            object_ = node.child_by_field_name("object")
            if name == GLOBAL and object_ is not None and text_of(object_) in _WINDOWS:
                return self._kind_of((_PAGE, 0, GLOBAL))
            if name == "App" and self.kind(script, object_) == "library":
                return "class"
        elif node.type == "new_expression":
            made = node.child_by_field_name("constructor")
            return "app" if self.kind(script, made) == "class" else None
        elif node.type == "assignment_expression":
            return self.kind(script, node.child_by_field_name("right"))
        return None

    def _home(self, script: int, each: Occurrence) -> Home:
        name = text_of(each.node)
        shared = each.scope is None or (
            each.scope.type == "program" and not self.scripts[script].is_module
        )
        return (_PAGE, 0, name) if shared or each.scope is None else (script, each.scope.id, name)

    def _kind_of(self, home: Home) -> Kind | None:
        if home not in self._of_home:
            self._of_home[home] = None
            values: list[Kind | None] = [
                value for value in self._put_into(home) if value != "nothing"
            ]
            if home == (_PAGE, 0, GLOBAL):
                self._of_home[home] = None if values else "library"
            elif len(set(values)) == 1:
                self._of_home[home] = values[0]
        return self._of_home[home]

    def _put_into(self, home: Home) -> Iterator[Kind | Literal["nothing"] | None]:
        where, _, name = home
        for script in range(len(self.scripts)) if where == _PAGE else [where]:
            for each in self.named(script, name):
                if self._home(script, each) == home:
                    yield self._put(script, each)

    def _put(self, script: int, each: Occurrence) -> Kind | Literal["nothing"] | None:
        """What one occurrence of a name puts into it."""
        node, parent = each.node, each.node.parent
        if parent is None:
            return None
        if not each.declares:
            if parent.type == "assignment_expression" and _is(parent, "left", node):
                return self.kind(script, parent.child_by_field_name("right"))
            return None if _is_changed(node) else "nothing"
        if parent.type == "variable_declarator":
            value = parent.child_by_field_name("value")
            return "nothing" if value is None else self.kind(script, value)
        if parent.type == "import_specifier":
            exported = parent.child_by_field_name("name")
            is_app = exported is not None and text_of(exported) == "App"
            return "class" if is_app and _imports_library(parent) else None
        if parent.type == "namespace_import":
            return "library" if _imports_library(parent) else None
        return self._taken(script, node, parent)

    def _taken(self, script: int, node: Node, parent: Node) -> Kind | None:
        """What `const { App } = McpApp` or `const { App: Name } = McpApp` puts into a name."""
        key, pattern = node, parent
        if parent.type == "pair_pattern":
            key, pattern = parent.child_by_field_name("key") or node, parent.parent or parent
        declarator = pattern.parent
        if pattern.type != "object_pattern" or declarator is None or text_of(key) != "App":
            return None
        if declarator.type != "variable_declarator":
            return None
        of = self.kind(script, declarator.child_by_field_name("value"))
        return "class" if of == "library" else None


def bare(node: Node | None) -> Node | None:
    """An expression without the parentheses around it."""
    while node is not None and node.type == "parenthesized_expression":
        node = next((child for child in node.named_children if child.type != "comment"), None)
    return node


def _is(parent: Node, field: str, node: Node) -> bool:
    return parent.child_by_field_name(field) == node


def _is_changed(node: Node) -> bool:
    """Whether a name stands where it gets a value that is not written beside it."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type in {"augmented_assignment_expression", "for_in_statement"}:
        return _is(parent, "left", node)
    return parent.type in {
        "array_pattern",
        "assignment_pattern",
        "object_assignment_pattern",
        "object_pattern",
        "pair_pattern",
        "rest_pattern",
        "update_expression",
    }


def _is_import(node: Node | None) -> bool:
    return node is not None and node.type in {"import_clause", "import_specifier"}


def _imports_library(node: Node) -> bool:
    statement: Node | None = node
    while statement is not None and statement.type != "import_statement":
        statement = statement.parent
    source = None if statement is None else statement.child_by_field_name("source")
    return source is not None and _is_library(source)


def _is_library(source: Node) -> bool:
    name = string_value(source) or ""
    return "//" not in name and name.rpartition("/")[2] == LIBRARY_NAME
