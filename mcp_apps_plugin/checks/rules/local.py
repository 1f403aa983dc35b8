"""What a page names by a relative address: nothing is beside a page in a host's sandbox."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.view import css
from mcp_apps_plugin.view.paths import LIBRARY_NAME, clean
from mcp_apps_plugin.view.references import attribute_loads
from mcp_apps_plugin.view.scripts import string_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.checks.page_source import PageSource
    from mcp_apps_plugin.checks.surface import Surface
    from mcp_apps_plugin.protocol.findings import Finding, Severity

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FETCHES: Final = """
    ((call_expression function: (identifier) @called arguments: (arguments . (string) @asked))
        (#eq? @called "fetch"))
    ((new_expression constructor: (identifier) @made arguments: (arguments . (string) @asked))
        (#any-of? @made "EventSource" "WebSocket" "Worker" "SharedWorker"))
"""
_SHOWN: Final = 3


class _Named(NamedTuple):
    """One relative address, and the line it stands in."""

    url: str
    line: int


def _local(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        source = page.source
        if source is None or source.has_base:
            continue
        bare = [each for each in _imports(source) if not each.url.startswith((".", "/"))]
        if bare and not source.has_import_map:
            yield found(
                CheckCode.PAGE_LOCAL_FILE,
                page.subject,
                f"imports {_listed(bare)}, a name that only a bundler knows.",
                "Browsers run nothing of a script that imports it.",
                "Bundle the page into one file, or use the page library: "
                '`<script src="mcp-app.js"></script>`.',
            )
        relative = [each for each in _imports(source) if each.url.startswith((".", "/"))]
        loads = [*_elements(source, "script"), *_elements(source, "link"), *relative]
        yield from _files(page.subject, loads, "error")
        yield from _files(page.subject, [*_elements(source), *_sheets(source)], "warning")
        asked = list(_fetches(source))
        if asked:
            yield found(
                CheckCode.PAGE_LOCAL_FILE,
                page.subject,
                f"asks for {_listed(asked)}.",
                "In a host's sandbox that is an address of the host, not of this server.",
                "Fetch data with a tool, by `app.callServerTool`, or write the whole address and "
                "list its origin in the page's `csp`.",
                # Libraries carry code for other surroundings.
                severity="warning",
            )


def _files(subject: str, named: list[_Named], severity: Severity) -> Iterator[Finding]:
    if named:
        yield found(
            CheckCode.PAGE_LOCAL_FILE,
            subject,
            f"names {_listed(named)}, and no server answers for files beside a page.",
            "It never loads: the page comes to the host as one document.",
            "The page library is put into pages that `@app_resource` or `html=` declares."
            if {clean(each.url).rpartition("/")[2] for each in named} == {LIBRARY_NAME}
            else "Put it into the page: `html=` does it for the files beside an HTML file, a "
            "bundler for all others.",
            severity=severity,
        )


def _listed(named: list[_Named]) -> str:
    distinct = list(dict.fromkeys(named))
    shown = ", ".join(f"`{each.url[:80]}` (line {each.line})" for each in distinct[:_SHOWN])
    return shown + (f" and {len(distinct) - _SHOWN} more" if len(distinct) > _SHOWN else "")


def _is_relative(url: str) -> bool:
    """Tell whether a URL needs a base to mean anything."""
    url = clean(url)
    if not url or url.startswith(("#", "//")) or _SCHEME.match(url):
        return False
    return not set("{}<>$") & set(url)  # to be filled in by a script


def _elements(source: PageSource, name: str | None = None) -> Iterator[_Named]:
    apart = {"script", "link"}
    for token, line in source.tags:
        if token.name == name or (name is None and token.name not in apart):
            yield from (_Named(u, line) for u, _, _ in attribute_loads(token) if _is_relative(u))


def _sheets(source: PageSource) -> Iterator[_Named]:
    for style in source.styles:
        if "url(" in style.css or "@import" in style.css:
            sheet = css.read(style.css)
            loads = [(load.url, load.start) for load in sheet.loads]
            loads += [(imported.url, imported.start) for imported in sheet.imports]
            for url, start in loads:
                if _is_relative(url):
                    yield _Named(url, style.line + style.css.count("\n", 0, start))


def _imports(source: PageSource) -> Iterator[_Named]:
    for script, node in source.imports:
        url = string_value(node)
        if url is not None and _is_relative(url):
            yield _Named(url, script.line_of(node))


def _fetches(source: PageSource) -> Iterator[_Named]:
    if not any(map(source.mentions, ("fetch(", "EventSource(", "WebSocket(", "Worker("))):
        return
    for script, node in source.first(_FETCHES, "asked"):
        url = string_value(node)
        if url is not None and _is_relative(url):
            yield _Named(url, script.line_of(node))


RULES: Final = (_local,)
