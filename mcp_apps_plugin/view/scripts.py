"""Reads JavaScript, and writes it so that HTML cannot end it early.

tree-sitter does the reading. It is loaded only for scripts in which it matters: those that import,
and those with text that HTML would take for markup.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Final

from .problems import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Language, Node, Tree

_DANGER: Final = re.compile(rb"<!--|</script", re.IGNORECASE)
_ESCAPE: Final = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL
)
_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}

Edit = tuple[int, int, str]
"""Bytes from, bytes to, and the text to put there."""


@cache
def language() -> Language:
    """The JavaScript grammar, loaded once."""
    import tree_sitter_javascript  # noqa: PLC0415 (see the module's docstring)
    from tree_sitter import Language  # noqa: PLC0415

    return Language(tree_sitter_javascript.language())


def parse(code: bytes) -> Tree:
    """Parse JavaScript; every reader gets its own parser, as parsers are not to be shared."""
    from tree_sitter import Parser  # noqa: PLC0415 (see the module's docstring)

    return Parser(language()).parse(code)


def capture(root: Node, query: str) -> dict[str, list[Node]]:
    """Run a tree-sitter query over a tree."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 (see the module's docstring)

    return QueryCursor(_query(query)).captures(root)


@cache
def _query(query: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
    from tree_sitter import Query  # noqa: PLC0415 (see the module's docstring)

    return Query(language(), query)


def first_error(node: Node) -> Node | None:
    """The first place that is not JavaScript."""
    while node.has_error and not (node.is_error or node.is_missing):
        node = next(child for child in node.children if child.has_error)
    return node if node.is_error or node.is_missing else None


def string_value(node: Node | None) -> str | None:
    """The value of a string, or of a template without substitutions; None for anything else."""
    if node is None or node.type not in {"string", "template_string"}:
        return None
    if any(child.type == "template_substitution" for child in node.children):
        return None
    return _ESCAPE.sub(_unescaped, text_of(node)[1:-1])


def _unescaped(found: re.Match[str]) -> str:
    point, unit, byte, character = found.groups()
    if character is None:
        return chr(int(point or unit or byte, 16))
    return "" if character in "\r\n\u2028\u2029" else _SIMPLE.get(character, character)


def text_of(node: Node) -> str:
    """A node's text."""
    return (node.text or b"").decode()


def apply(code: bytes, edits: list[Edit], start: int = 0, end: int | None = None) -> bytes:
    """Make edits to a part of the code; of two at one place the first one given comes first."""
    parts: list[bytes] = []
    at = start
    stop = len(code) if end is None else end
    for first, last, replacement in sorted(edits, key=lambda edit: edit[:2]):
        parts += code[at:first], replacement.encode()
        at = last
    return b"".join(parts) + code[at:stop]


def string_literal(text: str) -> str:
    """A string as JavaScript source that is safe inside a script element."""
    return json.dumps(text, ensure_ascii=False).replace("<", "\\x3c")


def script_safe(code: str, *, module: bool = False) -> str:
    """Write a script so that HTML does not see its end in it; it does the same as before.

    Raises:
        RefusedError: When such text stands where no other way of writing it is known.
    """
    data = code.encode()
    if not _DANGER.search(data):
        return code
    root = parse(data).root_node
    edits = [_safe(root, data, found.start(), module) for found in _DANGER.finditer(data)]
    return apply(data, edits).decode()


def _safe(root: Node, code: bytes, at: int, module: bool) -> Edit:  # noqa: FBT001
    """How to write the `<` at `at`; which of the ways is right depends on what it is part of."""
    node = root.descendant_for_byte_range(at, at + 1)
    kinds = {ancestor.type: ancestor for ancestor in _ancestors(node)}
    if "regex" in kinds:
        if code[at - 2 : at] == b"(?" and not _in_class(code, kinds["regex"].start_byte, at):
            return at + 2, at + 3, "\\x2d"  # `(?<!--x)`: the `<` is syntax, the `-` is text
        return at, at + 1, "\\x3c"
    if node is not None and node.type == "comment":
        return at, at + 1, "< "
    if node is not None and node.type == "html_comment":
        return (at, at + 4, "< !--") if module else (at, at + 4, "// --")
    if "string" in kinds:
        return at, at + 1, "\\x3c"
    if node is not None and "template_string" in kinds and node.type != "<":
        tag = kinds["template_string"].parent
        function = tag.child_by_field_name("function") if tag and tag.type != "arguments" else None
        is_raw = function is not None and text_of(function).endswith(".raw")
        return (at, at + 1, '${"<"}') if is_raw else (at, at + 1, "\\x3c")
    if node is not None and node.type in {"<", "<!--"}:
        return at, at + 1, "< "
    shown = code[at : at + 9].decode(errors="replace")
    raise RefusedError(code="page-script-unsafe", what=f"The script has {shown!r} at byte {at}.")


def _ancestors(node: Node | None) -> Iterator[Node]:
    """A node and what it is part of, up to the nearest expression that can hold code."""
    while node is not None and node.type != "template_substitution":
        yield node
        node = node.parent


def _in_class(code: bytes, start: int, at: int) -> bool:
    """Whether a place in a regular expression is inside `[...]`."""
    inside = False
    here = start + 1
    while here < at:
        if code[here : here + 1] == b"\\":
            here += 1
        elif code[here : here + 1] in {b"[", b"]"}:
            inside = code[here : here + 1] == b"["
        here += 1
    return inside
