"""Pages that write `ui/*` by hand: the handshake, and messages of the right kind."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.checks.literals import Literal, literals
from mcp_apps_plugin.protocol.links import visibility_of
from mcp_apps_plugin.protocol.messages import Method
from mcp_apps_plugin.view.scripts import string_value, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.checks.page_source import PageSource
    from mcp_apps_plugin.checks.surface import Page, Surface
    from mcp_apps_plugin.protocol.findings import Finding

_REQUIRED: Final = ("appInfo", "appCapabilities", "protocolVersion")
_MCP_NAMES: Final = {"clientInfo": "appInfo", "capabilities": "appCapabilities"}
_REQUESTS: Final = frozenset(
    {
        Method.INITIALIZE,
        Method.OPEN_LINK,
        Method.MESSAGE,
        Method.UPDATE_MODEL_CONTEXT,
        Method.REQUEST_DISPLAY_MODE,
        Method.DOWNLOAD_FILE,
        Method.SAMPLING,
        Method.TOOLS_CALL,
        Method.TOOLS_LIST,
        Method.RESOURCES_READ,
        Method.RESOURCES_LIST,
    }
)
_NOTIFICATIONS: Final = frozenset(
    {Method.INITIALIZED, Method.SIZE_CHANGED, Method.REQUEST_TEARDOWN, Method.LOG}
)
_CONNECT: Final = """
    ((call_expression function: (member_expression property: (property_identifier) @called))
        (#any-of? @called "connect" "run"))
"""
_TOOL_CALLS: Final = """
    ((call_expression
        function: (member_expression property: (property_identifier) @called)
        arguments: (arguments . (_) @tool)) (#eq? @called "callServerTool"))
"""


def _handshake(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        source = page.source
        if source is None:
            continue
        if source.loads_elsewhere and not source.uses_library:
            continue  # what a script elsewhere does cannot be seen from here
        by_hand = Method.INITIALIZE in source.strings
        by_library = source.uses_library and any(source.first(_CONNECT, "called"))
        if not by_hand and not by_library:
            remedy = (
                "Call `app.connect()`."
                if source.uses_library
                else 'Use the page library: `<script src="mcp-app.js"></script>`, or send '
                "`ui/initialize` and then `ui/notifications/initialized`."
            )
            yield found(
                CheckCode.PAGE_NO_HANDSHAKE,
                page.subject,
                "has no script that sends `ui/initialize`.",
                "Hosts wait for the handshake: they keep the frame hidden and send it no data.",
                remedy,
            )
        elif by_hand and not by_library and Method.INITIALIZED not in source.strings:
            yield found(
                CheckCode.PAGE_NOT_INITIALIZED,
                page.subject,
                "sends `ui/initialize`, and nowhere `ui/notifications/initialized`.",
                "Hosts must not send it anything before: no input, no result, often no frame.",
                "Send the notification when the answer to `ui/initialize` is there.",
            )


def _messages(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        for literal in literals(page.source) if page.source else ():
            yield from _initialize(page, literal)
            yield from _kind(page, literal)


def _initialize(page: Page, literal: Literal) -> Iterator[Finding]:
    if literal.method != Method.INITIALIZE or not literal.params_known:
        return
    missing = [name for name in _REQUIRED if name not in literal.params]
    if missing:
        swapped = [theirs for theirs in _MCP_NAMES if theirs in literal.params]
        names = ", ".join(f"`{name}`" for name in missing)
        hint = f" It has MCP's own {', '.join(f'`{n}`' for n in swapped)}." if swapped else ""
        yield found(
            CheckCode.PAGE_INITIALIZE,
            page.subject,
            f"sends `ui/initialize` without {names} at line {literal.line}.{hint}",
            "Hosts answer with an error, and the page waits for ever.",
            "Send `appInfo` with name and version, `appCapabilities` and `protocolVersion`.",
        )


def _kind(page: Page, literal: Literal) -> Iterator[Finding]:
    if literal.has_id is None:
        return
    if literal.method in _REQUESTS and not literal.has_id:
        yield found(
            CheckCode.PAGE_REQUEST_KIND,
            page.subject,
            f"sends the request `{literal.method}` as a notification at line {literal.line}.",
            "Hosts drop it: without an `id` there is nobody to answer.",
            "Give the message an `id` of its own and wait for the answer with that `id`.",
        )
    elif literal.method in _NOTIFICATIONS and literal.has_id:
        yield found(
            CheckCode.PAGE_REQUEST_KIND,
            page.subject,
            f"sends the notification `{literal.method}` with an `id` at line {literal.line}.",
            "Hosts answer that they know no such request, and go on waiting for it.",
            "Send it without an `id`.",
        )


def _tool_names(surface: Surface) -> Iterator[Finding]:
    callable_by = {tool.name: visibility_of(tool.meta) for tool in surface.snapshot.tools}
    for page in surface.pages.values():
        if page.source is None or page.source.has_names:
            continue  # its server tells it the names that its tools have here
        calls = sorted(set(_called(page.source)))
        known = any("app" in callable_by.get(name, ()) for name, _ in calls)
        for name, line in calls:
            audience = callable_by.get(name)
            if audience is not None and "app" in audience:
                continue
            renamed = any(re.fullmatch(rf".+[^A-Za-z0-9]{re.escape(name)}", n) for n in callable_by)
            what = (
                "which the server does not list"
                if audience is None
                else "whose visibility does not include `app`"
            )
            offered = [each for each, to in callable_by.items() if "app" in to]
            near = get_close_matches(name, offered, n=1, cutoff=0.7)
            hint = f" Did you mean {near[0]!r}?" if near and audience is None else ""
            yield found(
                CheckCode.PAGE_TOOL_UNKNOWN,
                page.subject,
                f"calls the tool {name!r} at line {line}, {what}.{hint}",
                "Hosts refuse the call.",
                "Call it by its listed name; below a namespace that is another one."
                if audience is None
                else "Let the tool's visibility include `app`, or call another one.",
                # A page may know tools that its server has in another mode only.
                severity="warning" if audience is None and known and not renamed else None,
            )


def _called(source: PageSource) -> Iterator[tuple[str, int]]:
    for literal in literals(source):
        if literal.method == Method.TOOLS_CALL:
            name = string_value(literal.params.get("name"))
            if name is not None:
                yield name, literal.line
    if not source.mentions("callServerTool"):
        return
    for script, node in source.first(_TOOL_CALLS, "tool"):
        name = string_value(node)
        if node.type == "object":
            pairs = (child for child in node.named_children if child.type == "pair")
            values = {
                text_of(key): pair.child_by_field_name("value")
                for pair in pairs
                if (key := pair.child_by_field_name("key")) is not None
            }
            name = string_value(values.get("name"))
        if name is not None:
            yield name, script.line_of(node)


def _syntax(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        for script in page.source.own_scripts if page.source else ():
            broken = script.broken
            if broken is not None:
                yield found(
                    CheckCode.PAGE_SCRIPT_SYNTAX,
                    page.subject,
                    f"has a script that is no JavaScript at line {script.line_of(broken)}.",
                    "Browsers run none of it.",
                    "Correct it; a browser's console says what it expected there.",
                    # Grammars lag behind the language: large bundles get the benefit of the doubt.
                    severity=None if len(script.code) < _HAND_WRITTEN else "warning",
                )


_HAND_WRITTEN: Final = 50_000

RULES: Final = (_syntax, _handshake, _messages, _tool_names)
