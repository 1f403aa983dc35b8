"""What a page's sandbox forbids: storage, code made of text, dialogs, windows, forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.view.scripts import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from mcp_apps_plugin.checks.page_source import PageSource, Script
    from mcp_apps_plugin.checks.surface import Surface
    from mcp_apps_plugin.protocol.findings import Finding

_STORAGE: Final = """
    ((identifier) @used (#any-of? @used "localStorage" "sessionStorage"))
    ((member_expression object: (identifier) @of property: (property_identifier) @used)
        (#any-of? @of "window" "globalThis" "self")
        (#any-of? @used "localStorage" "sessionStorage"))
"""
_EVAL: Final = """
    ((call_expression function: (identifier) @used) (#eq? @used "eval"))
    ((new_expression constructor: (identifier) @used) (#eq? @used "Function"))
"""
_DIALOGS: Final = """
    ((call_expression function: (identifier) @used) (#any-of? @used "alert" "confirm" "prompt"))
    ((call_expression function:
        (member_expression object: (identifier) @of property: (property_identifier) @used))
        (#any-of? @of "window" "globalThis" "self")
        (#any-of? @used "alert" "confirm" "prompt" "open"))
"""
_SUBMITS: Final = """
    ((call_expression
        function: (member_expression property: (property_identifier) @call)
        arguments: (arguments . (string (string_fragment) @event))) @used
        (#eq? @call "addEventListener") (#eq? @event "submit"))
    ((assignment_expression left: (member_expression property: (property_identifier) @event)) @used
        (#eq? @event "onsubmit"))
"""
_DECLARED: Final = """
    (function_declaration name: (identifier) @name)
    (variable_declarator name: (identifier) @name)
    (formal_parameters (identifier) @name)
    (import_specifier name: (identifier) @name)
"""
_BUTTON: Final = 'Use the `click` of a `<button type="button">`.'
_OPENS: Final = frozenset({"_blank", "_top", "_parent"})


def _storage(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        used = _unguarded(page.source, _STORAGE, ("localStorage", "sessionStorage"))
        if used is not None:
            script, node = used
            yield found(
                CheckCode.PAGE_STORAGE,
                page.subject,
                f"uses `{text_of(node)}` at line {script.line_of(node)} outside of a `try`.",
                "Strict hosts give the page no origin: reading the property throws, and the script "
                "ends there.",
                "Put it into a `try`, and work without it; what must last belongs to the server.",
            )


def _eval(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        used = _unguarded(page.source, _EVAL, ("eval", "Function"))
        if used is not None:
            script, node = used
            yield found(
                CheckCode.PAGE_EVAL,
                page.subject,
                f"makes code from text with `{text_of(node)}` at line {script.line_of(node)}.",
                "No host's policy has `unsafe-eval`: the call throws.",
                "Leave it out, or build the library in its mode for strict policies.",
            )


def _unguarded(
    source: PageSource | None, query: str, marks: tuple[str, ...]
) -> tuple[Script, Node] | None:
    """The first use of a name that is global and stands in no `try`."""
    if source is None:
        return None
    for script in source.own_scripts:
        if not any(mark in script.code for mark in marks):
            continue
        nodes = [n for n in script.captures(query).get("used", []) if not _is_tried(n)]
        declared = _declared(script) if nodes else frozenset[str]()
        for node in nodes:
            if node.type != "identifier" or text_of(node) not in declared:
                return script, node
    return None


def _is_tried(node: Node) -> bool:
    child, parent = node, node.parent
    while parent is not None:
        if parent.type == "try_statement" and parent.child_by_field_name("body") == child:
            return True
        child, parent = parent, parent.parent
    return False


def _declared(script: Script) -> frozenset[str]:
    return frozenset(text_of(node) for node in script.captures(_DECLARED).get("name", []))


def _forbidden(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        for what, line, instead in _escapes(page.source) if page.source else ():
            yield found(
                CheckCode.PAGE_SANDBOX,
                page.subject,
                f"uses {what} at line {line}.",
                "The sandbox has no dialogs, no new windows and no downloads, and a strict one has "
                "no forms: nothing happens.",
                instead,
            )


def _escapes(source: PageSource) -> Iterator[tuple[str, int, str]]:
    for script in source.own_scripts:
        yield from _dialogs(script)
        for node in script.captures(_SUBMITS).get("used", []) if "submit" in script.code else ():
            yield "a form's `submit`", script.line_of(node), _BUTTON
    for token, line in source.tags:
        if token.name == "a" and "download" in token.attributes:
            yield "`<a download>`", line, "Ask the host: `app.downloadFile({contents})`."
        elif token.name in ("a", "form") and (token.get("target") or "").lower() in _OPENS:
            target = token.get("target")
            yield f'`target="{target}"`', line, "Ask the host: `app.openLink({url})`."
        elif token.name == "form" and token.attributes.keys() & {"action", "onsubmit"}:
            yield "a `<form>` that is submitted", line, _BUTTON


def _dialogs(script: Script) -> Iterator[tuple[str, int, str]]:
    if not any(mark in script.code for mark in ("alert", "confirm", "prompt", "open")):
        return
    declared = _declared(script)
    for node in script.captures(_DIALOGS).get("used", []):
        name = text_of(node)
        if node.type == "identifier" and name in declared:
            continue
        instead = (
            "Ask the host: `app.openLink({url})`."
            if name == "open"
            else "Show it in the page itself."
        )
        yield f"`{name}()`", script.line_of(node), instead


RULES: Final = (_storage, _eval, _forbidden)
