"""Messages that a script writes out: `{method: "ui/...", ...}` and `send("ui/...", {...})`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.protocol.messages import Method
from mcp_apps_plugin.view.scripts import string_value, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from mcp_apps_plugin.checks.page_source import PageSource, Script

_METHODS: Final = frozenset(method.value for method in Method)
_OBJECTS: Final = """
    ((object (pair key: (_) @key value: [(string) (template_string)])) @message
        (#any-of? @key "method" "\\"method\\"" "'method'"))
"""
_CALLS: Final = """
    (call_expression function: (_) arguments: (arguments . [(string) (template_string)])) @call
"""
_AS_REQUEST: Final = frozenset({"request", "sendrequest", "rpc"})
_AS_NOTIFICATION: Final = frozenset({"notify", "notification", "sendnotification"})


@dataclass(frozen=True, slots=True)
class Literal:
    """One message, as far as it is written out.

    Attributes:
        method: Its method, one of the dialect's.
        line: Where it stands in the document.
        has_id: Whether it has an id; `None` when that cannot be seen.
        params: The parameters by name, as syntax.
        params_known: Whether these are all there are.
    """

    method: str
    line: int
    has_id: bool | None
    params: dict[str, Node] = field(default_factory=dict[str, "Node"])
    params_known: bool = False


def literals(source: PageSource) -> Iterator[Literal]:
    """Find the messages of the dialect in a page's own scripts."""
    for script in source.own_scripts:
        if not any(method in script.code for method in _METHODS):
            continue
        for node in script.captures(_OBJECTS).get("message", []):
            yield from _message(script, node)
        for node in script.captures(_CALLS).get("call", []):
            yield from _call(script, node)


def _message(script: Script, node: Node) -> Iterator[Literal]:
    members, complete = _members(node)
    method = string_value(members.get("method"))
    if method not in _METHODS:
        return
    is_envelope = "jsonrpc" in members and complete
    params, known = _params(members.get("params"))
    if "params" not in members:
        known = complete and is_envelope
    has_id = "id" in members if is_envelope else None
    yield Literal(method, script.line_of(node), has_id, params, known)


def _call(script: Script, node: Node) -> Iterator[Literal]:
    given = node.child_by_field_name("arguments")
    called = node.child_by_field_name("function")
    arguments = given.named_children if given is not None else []
    method = string_value(arguments[0]) if arguments else None
    if method not in _METHODS or called is None:
        return
    name = text_of(called).rpartition(".")[2].lower()
    has_id = True if name in _AS_REQUEST else False if name in _AS_NOTIFICATION else None
    params, known = _params(arguments[1] if len(arguments) > 1 else None)
    yield Literal(method, script.line_of(node), has_id, params, known)


def _params(node: Node | None) -> tuple[dict[str, Node], bool]:
    if node is None or node.type != "object":
        return {}, False
    return _members(node)


def _members(node: Node) -> tuple[dict[str, Node], bool]:
    """The members of an object by name, and whether all of them can be seen."""
    members: dict[str, Node] = {}
    complete = True
    for child in node.named_children:
        key = child.child_by_field_name("key")
        if child.type == "pair" and key is not None:
            value = child.child_by_field_name("value")
            name = string_value(key) if key.type == "string" else text_of(key)
            if name is not None and value is not None and key.type != "computed_property_name":
                members[name] = value
            else:
                complete = False
        elif child.type == "shorthand_property_identifier":
            members[text_of(child)] = child
        elif child.type != "comment":
            complete = False  # a spread, a method, a getter
    return members, complete
