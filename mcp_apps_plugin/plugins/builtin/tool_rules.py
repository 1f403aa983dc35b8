"""Audit rules for tools: their `_meta.ui`, and the shape of their results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.findings import Code, Finding, Severity
from mcp_apps_plugin.protocol.links import BOTH, lost_link, uri_problem
from mcp_apps_plugin.protocol.shapes import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.plugins.registry import Registry, ToolEntry

_TOOL_KEYS: Final = frozenset({"resourceUri", "visibility"})
_PAGE_KEYS: Final = frozenset({"csp", "permissions", "domain", "prefersBorder", "prefers_border"})


@hookimpl
def mcp_apps_audit(registry: Registry) -> list[Finding]:
    """Find two writers that disagree, misplaced and unknown keys, and results hosts reject."""
    return [
        replace(finding, place=tool.place)
        for tool in registry.tools
        for rule in (_page, _writers, _keys, _schema)
        for finding in rule(tool)
    ]


def _page(tool: ToolEntry) -> Iterator[Finding]:
    page = None if tool.declaration is None else tool.declaration.page
    problem = None if page is None or page.uri is None else uri_problem(page.uri)
    if page is not None and (page.uri is None or problem):
        yield Finding(
            code=Code.URI_INVALID,
            subject=f"tool {tool.name!r} of {tool.subject}",
            problem=f"links {page.subject}, which has no address."
            if page.uri is None
            else f"links `{page.uri}`, which {problem}",
            consequence="Hosts would show no page.",
            remedy='Give the page one fixed address: `@app_resource("ui://weather/dashboard")`.',
        )


def _writers(tool: ToolEntry) -> Iterator[Finding]:
    written = as_object(tool.written.get(UI_KEY))
    declaration = tool.declaration
    if written is None or declaration is None:
        return
    ours = {"resourceUri": declaration.uri, "visibility": sorted(declaration.visibility)}
    theirs = {
        "resourceUri": written.get("resourceUri", declaration.uri),
        "visibility": sorted(as_list(written.get("visibility")) or declaration.visibility),
    }
    for key, value in ours.items():
        if theirs[key] != value:
            yield Finding(
                code=Code.WRITERS_DISAGREE,
                subject=f"tool {tool.name!r} of {tool.subject}",
                problem=f"has `{key}` {value!r} from `@ui` and {theirs[key]!r} from `app=` or "
                "`meta=`.",
                consequence="One of the two would be lost.",
                remedy="Keep one of the two declarations.",
            )


def _keys(tool: ToolEntry) -> Iterator[Finding]:
    severity: Severity = "error" if tool.own else "warning"
    subject = f"tool {tool.name!r} of {tool.subject}"
    if UI_KEY not in tool.written:
        return
    written = as_object(tool.written[UI_KEY])
    if written is None:
        yield Finding(
            code=Code.META_INVALID,
            subject=subject,
            problem=f"has `_meta.ui` {tool.written[UI_KEY]!r}, which is no object.",
            consequence="Strict hosts refuse the whole tool list.",
            remedy="`app=True` needs the `prefab-ui` package; for a page of your own use `@ui`.",
            severity=severity,
        )
        return
    misplaced = sorted(_PAGE_KEYS & written.keys())
    if misplaced:
        yield Finding(
            code=Code.TOOL_PAGE_OPTIONS,
            subject=subject,
            problem=f"has {', '.join(f'`{key}`' for key in misplaced)} in its `_meta.ui`.",
            consequence="They describe a page; hosts ignore them on a tool.",
            remedy="Move them to the page's resource.",
            severity=severity,
        )
    unknown = sorted(written.keys() - _PAGE_KEYS - _TOOL_KEYS)
    if unknown:
        lost = lost_link(written)
        yield Finding(
            code=Code.META_INVALID,
            subject=subject,
            problem=f"has {', '.join(f'`{key}`' for key in unknown)} in its `_meta.ui`"
            f"{', and no `resourceUri`' if lost else ''}.",
            consequence="Hosts see no link, and show no page."
            if lost
            else "Hosts do not know them; strict ones refuse the tool.",
            remedy=f"Write `resourceUri` in the place of `{lost}`."
            if lost
            else "The keys are `resourceUri` and `visibility`.",
            severity=severity,
        )
    yield from _values(written, subject, severity)


def _values(written: dict[str, Any], subject: str, severity: Severity) -> Iterator[Finding]:
    link = written.get("resourceUri")
    problem = None if link is None else uri_problem(link)
    if problem:
        yield Finding(
            code=Code.URI_INVALID,
            subject=subject,
            problem=f"links `{link}`, which {problem}",
            consequence="Hosts would show no page.",
            remedy="Write a URI such as `ui://weather/dashboard`.",
            severity=severity,
        )
    if "visibility" in written:
        listed = as_list(written["visibility"])
        if not listed or any(audience not in BOTH for audience in listed):
            yield Finding(
                code=Code.VISIBILITY_INVALID,
                subject=subject,
                problem=f"has the visibility {written['visibility']!r}.",
                consequence="Hosts would hide the tool from the model and from the page.",
                remedy='Use "model", "app", or both.',
                severity=severity,
            )


def _schema(tool: ToolEntry) -> Iterator[Finding]:
    places = list(_any_of(tool.output_schema, "$")) if tool.link is not None else []
    if places:
        yield Finding(
            code=Code.OUTPUT_SCHEMA,
            subject=f"tool {tool.name!r} of {tool.subject}",
            problem=f"has `anyOf` in its `outputSchema` at {', '.join(places[:3])}.",
            consequence="A major host drops the whole connector for one such tool.",
            remedy="Make the fields required or give them one type, or set `output_schema=None`.",
            severity="warning",
        )


def _any_of(schema: object, path: str) -> Iterator[str]:
    fields = as_object(schema)
    items = as_list(schema)
    if fields is not None:
        if "anyOf" in fields:
            yield path
        for key, value in fields.items():
            yield from _any_of(value, f"{path}.{key}")
    elif items is not None:
        for position, value in enumerate(items):
            yield from _any_of(value, f"{path}[{position}]")
