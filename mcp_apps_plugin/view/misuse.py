"""Finds names that a page uses of the page library and that the library does not have.

Only what is certain is found: the object is the library's own for certain, and nothing in the page
could have given it that name, or asks first whether it is there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

from .library import app_members, event_names, library_names
from .library_uses import ASKS, CONDITIONS, Uses, around, field, is_target
from .library_values import bare
from .markup import tokens
from .scripts import capture, string_value, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from .library_uses import Use
    from .library_values import Code

    Mentions = defaultdict[str, list[tuple[int, Node]]]

_MENTIONS: Final = """
    (property_identifier) @name (shorthand_property_identifier) @name
    (shorthand_property_identifier_pattern) @name (string) @name (template_string) @name
"""
_COMPUTED: Final = "(subscript_expression index: (_) @index)"
_ANY_NAME: Final = re.compile(
    r"\bObject\s*\.\s*(?:assign|definePropert|setPrototypeOf)|\bReflect\b|\bProxy\b|__proto__"
)
_OF_EVERY_OBJECT: Final = frozenset(
    {
        *("__proto__", "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
        *("toLocaleString", "toString", "valueOf"),
    }
)
_LISTENS: Final = frozenset({"addEventListener", "removeEventListener"})
_NO_OBJECTS: Final = frozenset(
    {
        *("array", "arrow_function", "false", "null", "number", "string", "template_string"),
        *("true", "undefined"),
    }
)
_INFO: Final = ("name", "version")
_SHORT: Final = 24


class Misuse(NamedTuple):
    """One place where a page uses what the library does not have."""

    script: int
    """Which of the scripts it stands in."""
    node: Node
    code: str
    """A code of a page's problems."""
    what: str


def misuses(scripts: Sequence[Code], html: str, *, loads_elsewhere: bool = False) -> list[Misuse]:
    """Find what the scripts of one page use that the page library does not have.

    Args:
        scripts: The scripts that run in the page, without the library's own.
        html: The document, for what its attributes do.
        loads_elsewhere: Whether other scripts run in it as well, from elsewhere.
    """
    uses = Uses(scripts)
    if uses.is_replaced:
        return []
    members = [use for use in uses.members if _is_unknown(use)]
    if members and uses.escapes and (loads_elsewhere or any(map(_gives_any_name, scripts))):
        members = [use for use in members if use.kind != "app"]
    found = [*_constructed(uses), *_events(uses), *_members(scripts, members, html)]
    in_order = sorted(found, key=lambda each: (each.script, each.node.start_byte))
    first: dict[tuple[str, str], Misuse] = {}
    for each in in_order:
        first.setdefault((each.code, each.what), each)
    return list(first.values())


def _constructed(uses: Uses) -> Iterator[Misuse]:
    for number, made in uses.made:
        given = field(made, "arguments")
        written = (n for n in (given.named_children if given else ()) if n.type != "comment")
        lacks = _lacking(bare(next(written, None)))
        if lacks:
            shown = _short(field(made, "constructor") or made)
            what = f"`new {shown}(…)` lacks the page's {lacks}."
            yield Misuse(number, made, "page-initialize", what)
    for number, called in uses.called:
        what = f"`{_short(field(called, 'function') or called)}` is called without `new`."
        yield Misuse(number, called, "page-library-name", what)


def _lacking(info: Node | None) -> str:
    """What of a page's name and version a first argument lacks, for certain."""
    if info is None or info.type in _NO_OBJECTS:
        return " and ".join(_INFO)
    if info.type != "object":
        return ""
    given: set[str] = set()
    for member in info.named_children:
        key = field(member, "key") or field(member, "name") or member
        if key.type not in {"property_identifier", "shorthand_property_identifier", "string"}:
            if member.type != "comment":
                return ""  # a spread, a computed name
            continue
        given.add(string_value(key) or text_of(key))
    return " and ".join(name for name in _INFO if name not in given)


def _events(uses: Uses) -> Iterator[Misuse]:
    for use in uses.members:
        _, call = around(use.node)
        if use.kind != "app" or text_of(use.name) not in _LISTENS or call is None:
            continue
        given = field(call, "arguments")
        first = given.named_children[0] if given and given.named_children else None
        event = string_value(first)
        if first is not None and event is not None and event not in event_names():
            what = f"The page library has no event `{event}`.{_near(event, event_names())}"
            yield Misuse(use.script, first, "page-library-name", what)


def _members(scripts: Sequence[Code], unknown: list[Use], html: str) -> Iterator[Misuse]:
    if not unknown:
        return
    mentions = _mentions(scripts, {text_of(use.name) for use in unknown})
    attributes = _handlers(html)
    handlers = {(u.script, u.name.start_byte) for u in unknown if _is_handler(u)}
    for use in unknown:
        name = text_of(use.name)
        if any(name in each for each in attributes):
            continue
        if _is_handler(use):
            if all((n, each.start_byte) in handlers for n, each in mentions[name]):
                known = _like(name, app_members())
                what = f"`{_short(use.node)}` is set, and the page library never calls it."
                yield Misuse(use.script, use.node, "page-library-name", what + _near(name, known))
        elif not (_is_put(use) or is_guarded(use.node) or _page_has(name, mentions)):
            yield Misuse(use.script, use.node, "page-library-name", _said(use, name))


def _gives_any_name(script: Code) -> bool:
    """Whether code writes names that stand nowhere in it: those of some data, of a loop."""
    if _ANY_NAME.search(script.text):
        return True
    found = capture(script.root, _COMPUTED) if "[" in script.text else {}
    return any(
        index.type not in {"number", "string"}
        and index.parent is not None
        and is_target(index.parent)
        for index in found.get("index", [])
    )


def _is_unknown(use: Use) -> bool:
    known = library_names() if use.kind == "library" else app_members()
    return text_of(use.name) not in known | _OF_EVERY_OBJECT


def _is_handler(use: Use) -> bool:
    """Whether an app gets something that only the library could call."""
    deleted = use.node.parent is not None and use.node.parent.type == "unary_expression"
    is_kept = _is_put(use) and not deleted
    return use.kind == "app" and is_kept and text_of(use.name).startswith("on")


def _is_put(use: Use) -> bool:
    """Whether something is put into the member, and not taken out of it."""
    return use.node.type == "member_expression" and is_target(use.node)


def _said(use: Use, name: str) -> str:
    if use.kind == "library":
        return f"The page library has no `{name}`.{_near(name, library_names())}"
    known = _like(name, app_members())
    return f"The `App` of the page library has no `{name}`.{_near(name, known)}"


def _like(name: str, known: Iterable[str]) -> list[str]:
    """Handlers for a handler, and other members for another member."""
    return [each for each in known if each.startswith("on") == name.lower().startswith("on")]


def _near(name: str, known: Iterable[str]) -> str:
    lower = {each.lower(): each for each in sorted(known)}
    near = get_close_matches(name.lower(), lower, n=1)
    return f" Did you mean `{lower[near[0]]}`?" if near else ""


def _short(node: Node) -> str:
    text = " ".join(text_of(node).split())
    return text if len(text) <= _SHORT else f"…{text[-_SHORT:]}"


def _mentions(scripts: Sequence[Code], names: set[str]) -> Mentions:
    """Every place that has something to do with a property, by its name."""
    found: Mentions = defaultdict(list)
    for number, script in enumerate(scripts):
        if any(map(script.has, names)):
            for node in capture(script.root, _MENTIONS).get("name", []):
                value = string_value(node)
                found[text_of(node) if value is None else value].append((number, node))
    return found


def _page_has(name: str, mentions: Mentions) -> bool:
    """Whether some code gives an object a property of that name, or asks whether there is one."""
    for _, node in mentions[name]:
        parent = node.parent
        if node.type in {"string", "template_string"} or parent is None:
            return True
        if node.type == "shorthand_property_identifier_pattern":
            continue  # it is taken from an object
        if parent.type == "pair_pattern":
            continue
        if parent.type != "member_expression" or is_target(parent) or _asks(parent):
            return True
    return False


def _handlers(html: str) -> list[str]:
    return [
        attribute.value
        for token in tokens(html)
        for attribute in token.attributes.values()
        if attribute.name.startswith(("on", "@", "x-", "v-", ":"))
    ]


def is_guarded(member: Node) -> bool:
    """Whether it does not matter if the member is not there."""
    if _asks(member):
        return True
    child, parent = member, member.parent
    while parent is not None:
        if parent.type == "try_statement" and field(parent, "body") == child:
            return True
        child, parent = parent, parent.parent
    return False


def _asks(member: Node) -> bool:
    """Whether code asks here if a member is there."""
    inner, parent = around(member)
    if parent is None:
        return False
    if parent.type in CONDITIONS:
        return field(parent, "condition") == inner
    return parent.type in ASKS or any(each.type == "optional_chain" for each in parent.children)
