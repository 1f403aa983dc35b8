"""Finds where a module's code refers to names it imported, and not to something of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from .scripts import capture, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from tree_sitter import Node

    from .scripts import Edit


class Occurrence(NamedTuple):
    """One place where a name stands for a variable."""

    node: Node
    scope: Node | None
    """What declares it; None for what the script does not declare."""
    declares: bool
    """Whether this very place does."""


NAMES: Final = (
    "identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
)
"""What stands for a variable."""

_NAMES: Final = " ".join(f"({kind}) @name" for kind in NAMES)
_FUNCTIONS: Final = frozenset(
    {
        "arrow_function",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
_BLOCKS: Final = _FUNCTIONS | {
    "class_static_block",
    "for_in_statement",
    "for_statement",
    "program",
    "statement_block",
    "switch_body",
}
_STATEMENT_LISTS: Final = frozenset(
    {"class_static_block", "program", "statement_block", "switch_case", "switch_default"}
)
_PATTERNS: Final = frozenset({"array_pattern", "object_pattern", "rest_pattern"})
_LEFT_OF_DEFAULT: Final = frozenset({"assignment_pattern", "object_assignment_pattern"})
_LINKAGE: Final = frozenset({"export_clause", "import_statement"})


def reference_edits(root: Node, names: AbstractSet[str], spell: Callable[[str], str]) -> list[Edit]:
    """The edits that replace every reference to one of `names` by what `spell` says."""
    if not names:
        return []
    found = [node for node in capture(root, _NAMES).get("name", []) if text_of(node) in names]
    return [
        _edit(each.node, spell(text_of(each.node)))
        for each in occurrences(found)
        if each.scope is None and not _is_linkage(each.node)
    ]


def occurrences(nodes: Iterable[Node]) -> list[Occurrence]:
    """Tell what declares each of some names; of a name, all places have to be given."""
    declared: dict[tuple[int, str], Node] = {}
    waiting: list[tuple[Node, list[Node]]] = []
    for node in nodes:
        scopes = list(_declaring_scopes(node))
        declared.update({(scope.id, text_of(node)): scope for scope in scopes})
        waiting.append((node, scopes))
    found: list[Occurrence] = []
    for node, scopes in waiting:
        name = text_of(node)
        known = scopes[-1:] or [s for s in _parents(node) if (s.id, name) in declared][:1]
        found.append(Occurrence(node, known[0] if known else None, bool(scopes)))
    return found


def _parents(node: Node) -> Iterator[Node]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _is_linkage(node: Node) -> bool:
    """Whether the name stands in an import or export list, which is handled apart."""
    return any(parent.type in _LINKAGE for parent in _parents(node))


def _declaring_scopes(node: Node) -> Iterator[Node]:
    """The scopes in which this very occurrence declares its name; none for a reference."""
    pattern, parent = _outermost_pattern(node)
    if parent is None:
        return
    field = _field(parent, pattern)
    kind = parent.type
    if kind == "variable_declarator" and field == "name":
        declaration = parent.parent
        is_var = declaration is not None and declaration.type == "variable_declaration"
        yield from _var_scope(parent) if is_var else _block(parent)
    elif kind == "formal_parameters":
        if parent.parent is not None:
            yield parent.parent
    elif (kind == "arrow_function" and field == "parameter") or (
        kind == "catch_clause" and field == "parameter"
    ):
        yield parent
    elif kind == "for_in_statement" and field == "left":
        word = parent.child_by_field_name("kind")
        if word is not None:
            yield from _var_scope(parent) if word.type == "var" else iter([parent])
    elif field == "name" and kind in {"function_declaration", "generator_function_declaration"}:
        yield from _block(parent)
    elif field == "name" and kind in {"function_expression", "generator_function", "class"}:
        yield parent
    elif field == "name" and kind == "class_declaration":
        yield parent
        yield from _block(parent)


def _outermost_pattern(node: Node) -> tuple[Node, Node | None]:
    """Climb from a name out of the destructuring pattern it may be the target of."""
    parent = node.parent
    while parent is not None and (
        parent.type in _PATTERNS
        or (parent.type == "pair_pattern" and _field(parent, node) == "value")
        or (parent.type in _LEFT_OF_DEFAULT and _field(parent, node) == "left")
    ):
        node, parent = parent, parent.parent
    return node, parent


def _field(parent: Node, child: Node) -> str | None:
    for index, candidate in enumerate(parent.children):
        if candidate == child:
            return parent.field_name_for_child(index)
    return None


def _block(node: Node) -> Iterator[Node]:
    """The innermost block around a node."""
    for parent in _parents(node):
        if parent.type in _BLOCKS:
            yield parent
            return


def _var_scope(node: Node) -> Iterator[Node]:
    """What a `var` belongs to: a function's body, so that parameter defaults do not see it."""
    child = node
    for parent in _parents(node):
        if parent.type in {"program", "class_static_block"}:
            yield parent
            return
        if parent.type in _FUNCTIONS:
            yield child
            return
        child = parent


def _edit(node: Node, spelled: str) -> Edit:
    name = text_of(node)
    if node.type != "identifier":  # `{name}` in an object or a destructuring assignment
        return node.start_byte, node.end_byte, f"{name}: {spelled}"
    outer = node
    while outer.parent is not None and outer.parent.type == "parenthesized_expression":
        outer = outer.parent
    parent = outer.parent
    if parent is None or parent.type != "call_expression" or _field(parent, outer) != "function":
        return node.start_byte, node.end_byte, spelled
    # A call must not get the namespace as its `this`. What starts a statement needs a semicolon
    # before the parenthesis, lest it becomes a call of the line above.
    semicolon = ";" if _starts_statement(node) else ""
    return node.start_byte, node.end_byte, f"{semicolon}(0, {spelled})"


def _starts_statement(node: Node) -> bool:
    for parent in _parents(node):
        if parent.start_byte != node.start_byte:
            return False
        if parent.type == "expression_statement":
            return parent.parent is not None and parent.parent.type in _STATEMENT_LISTS
    return False
