"""Audit rules for pages: they can be built, are unique, and use only what they declare."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.constants import MIME_TYPE
from mcp_apps_plugin.protocol.csp import covers
from mcp_apps_plugin.protocol.findings import Code, Finding, MCPAppsError, Severity
from mcp_apps_plugin.protocol.metadata import Permissions, ResourceUi
from mcp_apps_plugin.protocol.shapes import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.plugins.registry import PageEntry, Registry
    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.view.references import ExternalOrigin


@hookimpl
def mcp_apps_audit(registry: Registry) -> list[Finding]:
    """Find pages that cannot be built, clash, are too big, or load what they do not declare."""
    findings = [
        replace(problem, place=problem.place or page.place)
        for page in registry.pages
        for problem in page.problems
    ]
    findings += _conflicts(registry)
    for page in registry.pages:
        found = (
            *_options(page),
            *_mime_type(page),
            *_size(page, registry.page_budget),
            *_origins(page),
        )
        findings += [replace(each, place=each.place or page.place) for each in found]
    return findings


def _severity(page: PageEntry) -> Severity:
    return "error" if page.own else "warning"


def _subject(page: PageEntry) -> str:
    return f"page {page.uri} of {page.subject}"


def _conflicts(registry: Registry) -> Iterator[Finding]:
    by_address: defaultdict[tuple[int, str], list[PageEntry]] = defaultdict(list)
    for page in registry.pages:
        by_address[page.server_id, page.uri].append(page)
    for (_, uri), pages in by_address.items():
        if len(pages) > 1:
            files = {page.file for page in pages}
            one_file = len(files) == 1 and None not in files
            places = " and ".join(_source(page, named=one_file) for page in pages)
            own = any(page.own for page in pages)
            yield Finding(
                code=Code.PAGE_CONFLICT,
                subject=f"page {uri} of server {pages[0].server!r}",
                problem=f"has different options from {places}."
                if one_file
                else f"is served from {len(pages)} places: {places}.",
                consequence="Tools would show whichever comes first.",
                remedy="Write the options once." if one_file else "Give each page its own address.",
                severity="error" if own else "warning",
            )


def _source(page: PageEntry, *, named: bool) -> str:
    """Say where a page comes from: two functions may have one name, and two tools one file."""
    what = page.subject if named else page.file or page.subject
    return f"{what} ({page.place})" if page.place else what


def _options(page: PageEntry) -> Iterator[Finding]:
    try:
        written = ResourceUi.coerce(page.written)
    except MCPAppsError as error:
        for finding in error.findings:
            yield Finding(
                code=finding.code,
                subject=_subject(page),
                problem=f"has in its `_meta.ui` `{finding.subject}`, and that {finding.problem}",
                consequence=finding.consequence,
                remedy=finding.remedy,
                severity=_severity(page),
            )
        return
    for name, ours, theirs in _disagreements(page.declared, written):
        yield Finding(
            code=Code.WRITERS_DISAGREE,
            subject=_subject(page),
            problem=f"has `{name}` {ours!r} from `@app_resource` and {theirs!r} from `app=` or "
            "`meta=`.",
            consequence="One of the two would be lost.",
            remedy="Keep one of the two declarations.",
        )


def _disagreements(
    declared: ResourceUi | None, written: ResourceUi
) -> Iterator[tuple[str, object, object]]:
    """Yield what two writers both say, and say differently."""
    if declared is None:
        return
    for ours, theirs in ((declared.csp, written.csp), (declared, written)):
        for name in type(ours).model_fields:
            pair = getattr(ours, name), getattr(theirs, name)
            if name != "csp" and all(each not in _OPEN for each in pair) and pair[0] != pair[1]:
                yield name, *pair


_OPEN: Final[tuple[object, ...]] = (None, (), Permissions())


def _mime_type(page: PageEntry) -> Iterator[Finding]:
    if page.mime_type != MIME_TYPE:
        yield Finding(
            code=Code.PAGE_MIME,
            subject=_subject(page),
            problem=f"is declared as `{page.mime_type}`.",
            consequence=f"Hosts show only `{MIME_TYPE}`, compared letter for letter.",
            remedy="Leave `mime_type=` out.",
            severity=_severity(page),
        )


def _size(page: PageEntry, budget: int) -> Iterator[Finding]:
    size = len((page.html or "").encode())
    if size > budget:
        yield Finding(
            code=Code.PAGE_SIZE,
            subject=_subject(page),
            problem=f"has {size:,} bytes; the budget is {budget:,}.",
            consequence="Some hosts refuse pages above 1 MiB.",
            remedy="Minify it, or raise `MCP_APPS_PAGE_BUDGET`.",
            severity="warning",
        )


def _origins(page: PageEntry) -> Iterator[Finding]:
    if page.html is None or "//" not in page.html:
        return
    from mcp_apps_plugin.view.references import (  # noqa: PLC0415  heavy, and for pages only
        CSP_LISTS,
        external_origins,
        origins_of,
    )

    csp = as_object(page.ui.get("csp")) or {}
    seen: set[tuple[str, str]] = set()
    found = external_origins(page.html) if page.parts is None else origins_of(page.parts)
    for reference in found:
        wanted = CSP_LISTS[reference.kind]
        if wanted is None or (reference.origin, wanted) in seen:
            continue
        seen.add((reference.origin, wanted))
        if not _covered(csp, wanted, reference):
            where = "" if reference.file else f" at line {reference.line} of its document"
            yield Finding(
                code=Code.PAGE_ORIGIN,
                subject=_subject(page),
                problem=f"loads `{reference.url}`{where}, and its `{wanted}` does not list "
                f"`{reference.origin}`.",
                consequence="Hosts block it.",
                remedy="Add the origin to the page's `csp=`, or put the file into the page.",
                severity=_severity(page),
                place=_place(page, reference),
            )


def _covered(csp: JsonObject, wanted: str, reference: ExternalOrigin) -> bool:
    from mcp_apps_plugin.view.references import OTHER_LISTS  # noqa: PLC0415  heavy, as above

    lists = (wanted, OTHER_LISTS.get(reference.kind, wanted))
    return any(covers(as_list(csp.get(each)) or (), reference.origin) for each in lists)


def _place(page: PageEntry, reference: ExternalOrigin) -> str:
    """The author's own file and line, beside the page's file."""
    if page.parts is None or page.file is None:
        return page.place
    document = next(iter(page.parts.files.values())).source.name
    return f"{page.file.removesuffix(document)}{reference.file}:{reference.line}"
