"""Follows the page library's objects through the scripts of a page, to what is done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from .library import library_names
from .library_values import GLOBAL, Values
from .paths import LIBRARY_NAME
from .scripts import capture, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from .library_values import Code, Kind

ASKS: Final = frozenset({"binary_expression", "unary_expression"})
CONDITIONS: Final = frozenset(
    {"do_statement", "for_statement", "if_statement", "ternary_expression", "while_statement"}
)
_KEEPS: Final = (
    ASKS
    | CONDITIONS
    | {"await_expression", "class_heritage", "expression_statement", "subscript_expression"}
)


class Use(NamedTuple):
    """One place that has a member of one of the library's objects."""

    script: int
    node: Node
    """The member, or its part of a pattern."""
    name: Node
    kind: Kind
    """What the object is."""


class Uses:
    """What a page does with the library's objects."""

    def __init__(self, scripts: Sequence[Code]) -> None:
        """Read the scripts of one page."""
        self.members: list[Use] = []
        self.made: list[tuple[int, Node]] = []
        """Where `new App(...)` stands."""
        self.called: list[tuple[int, Node]] = []
        """Where `App(...)` stands, which is a mistake."""
        self.is_replaced = False
        """Whether the page may have put something else into the library."""
        self.escapes = False
        """Whether an app is handed to code that is not followed."""
        self._scripts = scripts
        self._values = Values(scripts)
        self._names = {GLOBAL}
        self._seen: set[tuple[int, int]] = set()
        self._read()

    def _read(self) -> None:
        """Follow every name that one of the library's objects may have."""
        for number, script in enumerate(self._scripts):
            if LIBRARY_NAME in script.text:
                self._names |= self._values.imported(number).keys()
        done: set[str] = set()
        while waiting := self._names - done:
            done |= waiting
            for number in range(len(self._scripts)):
                for name in waiting:
                    for each in self._values.named(number, name):
                        if not each.declares:
                            self._follow(number, each.node)
                for node in self._through_window(number) if GLOBAL in waiting else ():
                    self._follow(number, node)

    def _through_window(self, number: int) -> Iterator[Node]:
        if f".{GLOBAL}" not in self._scripts[number].text:
            return
        query = "(member_expression property: (property_identifier) @name) @member"
        for name in capture(self._scripts[number].root, query).get("name", []):
            if text_of(name) == GLOBAL and name.parent is not None:
                self.is_replaced |= is_target(name.parent)
                yield name.parent

    def _follow(self, number: int, node: Node) -> None:
        kind = self._values.kind(number, node)
        if kind is None or (number, node.id) in self._seen:
            return
        self._seen.add((number, node.id))
        inner, parent = around(node)
        if parent is None:
            return
        if parent.type == "member_expression" and field(parent, "object") == inner:
            self._member(number, parent, kind)
        elif parent.type == "new_expression" and kind == "class":
            self.made.append((number, parent))
            self._follow(number, parent)
        elif parent.type == "call_expression" and kind == "class":
            self.called.append((number, parent))
        elif parent.type == "variable_declarator":
            self._named(number, field(parent, "name"), kind)
        elif parent.type == "assignment_expression":
            self._assigned(number, parent, inner, kind)
        elif parent.type == "arguments" and self._is_ours(number, parent):
            pass
        elif parent.type not in _KEEPS or _is_open(parent, inner):
            self._hand_out(kind)

    def _hand_out(self, kind: Kind) -> None:
        if kind == "app":
            self.escapes = True
        else:
            self.is_replaced = True

    def _assigned(self, number: int, assignment: Node, value: Node, kind: Kind) -> None:
        left = field(assignment, "left")
        if left is None or left == value:
            return  # the name itself, which gets its value
        if left.type == "identifier":
            self._names.add(text_of(left))
        else:
            self._hand_out(kind)
        self._follow(number, assignment)

    def _is_ours(self, number: int, arguments: Node) -> bool:
        """Whether a call is one of the library's, which adds nothing to an app."""
        function = field(arguments.parent, "function")
        if function is None or function.type != "member_expression":
            return function is not None and text_of(function) in library_names()
        return self._values.kind(number, field(function, "object")) == "library"

    def _named(self, number: int, pattern: Node | None, kind: Kind) -> None:
        if pattern is None or pattern.type not in {"identifier", "object_pattern"}:
            self._hand_out(kind)
            return
        if pattern.type == "identifier":
            self._names.add(text_of(pattern))
            return
        for part in pattern.named_children:
            if part.type == "shorthand_property_identifier_pattern":
                key = local = part
            elif part.type == "pair_pattern":
                key, local = field(part, "key") or part, field(part, "value") or part
            else:
                continue  # with a default, or the rest
            self._names.add(text_of(local))
            if key.type in {"property_identifier", "shorthand_property_identifier_pattern"}:
                self.members.append(Use(number, part, key, kind))

    def _member(self, number: int, member: Node, kind: Kind) -> None:
        name = field(member, "property")
        if name is None or name.type != "property_identifier":
            return
        if self._values.kind(number, member) is not None:
            self.is_replaced |= is_target(member)
            self._follow(number, member)
        elif kind == "class":
            self.escapes = True  # by its prototype
        else:
            self.members.append(Use(number, member, name, kind))


def field(node: Node | None, name: str) -> Node | None:
    """A part of a node."""
    return None if node is None else node.child_by_field_name(name)


def around(node: Node) -> tuple[Node, Node | None]:
    """A node with the parentheses around it, and what that is part of."""
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        node, parent = parent, parent.parent
    return node, parent


def is_target(member: Node) -> bool:
    """Whether something is put there, or taken away."""
    parent = member.parent
    if parent is None:
        return False
    if parent.type in {"assignment_expression", "augmented_assignment_expression"}:
        return field(parent, "left") == member
    if parent.type == "unary_expression":
        return parent.children[0].type == "delete"
    return parent.type == "update_expression" or parent.type.endswith("pattern")


def _is_open(parent: Node, inner: Node) -> bool:
    """Whether an object is handed on after all: as a value, or to be given any name."""
    if parent.type == "binary_expression":
        operator = field(parent, "operator")
        return operator is not None and operator.type in {"||", "&&", "??", ","}
    if parent.type in CONDITIONS:
        # What stands in parentheses is the condition.
        return parent.type == "ternary_expression" and field(parent, "condition") != inner
    return parent.type == "subscript_expression" and is_target(parent)
