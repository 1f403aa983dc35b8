"""Pages as they are listed and read: one item, one document, the same options in both places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.protocol.csp import covers
from mcp_apps_plugin.protocol.findings import Code, MCPAppsError
from mcp_apps_plugin.protocol.metadata import ResourceUi
from mcp_apps_plugin.protocol.shapes import as_list, as_object
from mcp_apps_plugin.view.references import CSP_LISTS, OTHER_LISTS, external_origins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.checks.surface import Page, Surface
    from mcp_apps_plugin.protocol.findings import Finding
    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.view.references import ExternalOrigin


def _resolved(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        for finding in page.findings:
            linked = f" It is linked by {_names(page.tools)}." if page.tools else ""
            yield found(
                Code(finding.code) if finding.code in set(Code) else CheckCode(finding.code),
                page.subject,
                f"{finding.problem}{linked}",
                finding.consequence,
                finding.remedy,
            )


def _names(tools: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in tools[:3])
    return f"{shown} and {len(tools) - 3} more" if len(tools) > 3 else shown  # noqa: PLR2004


def _item(page: Page) -> object:
    """The options as they came with the document."""
    if page.read is None or len(page.read.contents) != 1:
        return None
    return (page.read.contents[0].meta or {}).get(UI_KEY)


def options_of(page: Page) -> object:
    """The options that count: those of the item, or without them those of the list."""
    written = _item(page)
    if written is None and page.listing is not None:
        return (page.listing.meta or {}).get(UI_KEY)
    return written


def _address(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        for item in (page.read.contents if page.read else ())[:1]:
            if str(item.uri) != page.uri:
                yield found(
                    CheckCode.PAGE_URI,
                    page.subject,
                    f"came as `{item.uri}`.",
                    "Strict hosts refuse it: they compare the addresses letter for letter.",
                    "Answer with the address that was asked for.",
                )


def _listings(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        if page.listing is None or page.read is None or len(page.read.contents) != 1:
            continue
        item = page.read.contents[0]
        listed = (page.listing.meta or {}).get(UI_KEY)
        if page.listing.mime_type not in (None, item.mime_type):
            yield found(
                CheckCode.LISTING_DIFFERS,
                page.subject,
                f"is listed as `{page.listing.mime_type}` and read as `{item.mime_type}`.",
                "Hosts that look at the list alone take it for something else.",
                "Declare the type that is served.",
                # Reading is what counts; only its being wrong as well would hide the page.
                severity="warning",
            )
        if listed is not None and _item(page) is None:
            yield found(
                CheckCode.LISTING_DIFFERS,
                page.subject,
                "has its `_meta.ui` in the list alone, and not where it is read.",
                "Hosts of the stable specification read the item alone: the page loses its "
                "`csp` and permissions.",
                "Give the content item the same `_meta.ui`.",
            )
        elif listed is not None and listed != _item(page):
            yield found(
                CheckCode.LISTING_DIFFERS,
                page.subject,
                f"has the `_meta.ui` {listed!r} in the list and {_item(page)!r} where it is read.",
                "The item's replaces the list's as a whole: what was reviewed is not what runs.",
                "Write the same complete object in both places.",
            )


def _options(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        written = options_of(page)
        if written is None:
            continue
        options = as_object(written)
        if options is None:
            yield found(
                Code.PAGE_OPTION_INVALID,
                page.subject,
                f"has `_meta.ui` {written!r}, which is no object.",
                "Hosts ignore it or refuse the page.",
                "Write an object, or leave it out.",
            )
            continue
        yield from _nulls_and_flags(page, options)
        yield from _fields(page, options)


def _nulls_and_flags(page: Page, options: JsonObject) -> Iterator[Finding]:
    nulls = [key for key, value in options.items() if value is None]
    if nulls:
        yield found(
            Code.PAGE_OPTION_INVALID,
            page.subject,
            f"has `null` for {', '.join(f'`{key}`' for key in nulls)}.",
            "Strict hosts refuse the whole object.",
            "Leave out what has no value.",
        )
    permissions = as_object(options.get("permissions")) or {}
    flags = [name for name, value in permissions.items() if as_object(value) is None]
    if flags:
        yield found(
            Code.PERMISSIONS_INVALID,
            page.subject,
            f"has {', '.join(f'`{name}: {permissions[name]!r}`' for name in flags)}.",
            "On the wire each permission is an empty object; hosts grant nothing for a boolean.",
            'Write `{"camera": {}}` for each that is needed.',
        )


def _fields(page: Page, options: JsonObject) -> Iterator[Finding]:
    kept = {key: value for key, value in options.items() if value is not None}
    permissions = as_object(kept.get("permissions"))
    if permissions is not None:
        # Values were looked at above; here it is the names.
        kept["permissions"] = {name: {} for name in permissions}
    try:
        ResourceUi(**kept)
    except MCPAppsError as error:
        for finding in error.findings:
            yield found(
                Code(finding.code),
                page.subject,
                f"has in its `_meta.ui` `{finding.subject}`, and that {finding.problem}",
                finding.consequence,
                finding.remedy,
            )
    except TypeError:
        yield found(
            Code.PAGE_OPTION_INVALID,
            page.subject,
            f"has in its `_meta.ui` {options!r}, which is not as the specification draws it.",
            "Hosts ignore it or refuse the page.",
            "Compare it with the fields of `ResourceUi`.",
        )


def _documents(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        if page.source is None:
            continue
        if not page.source.has_doctype:
            yield found(
                CheckCode.PAGE_DOCTYPE,
                page.subject,
                "has no `<!doctype html>`.",
                "Browsers lay it out in quirks mode, and some hosts refuse it.",
                "Begin the document with `<!doctype html>`.",
            )
        size = len(page.source.html.encode(errors="replace"))
        if size > surface.budget:
            yield found(
                Code.PAGE_SIZE,
                page.subject,
                f"has {size:,} bytes; the budget is {surface.budget:,}.",
                "Some hosts refuse pages above 1 MiB.",
                "Minify it, leave out what it does not use, or raise `MCP_APPS_PAGE_BUDGET`.",
            )


def _origins(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        if page.source is None or page.resolved is None or "//" not in page.source.html:
            continue
        declared = page.resolved.csp.to_wire() if page.resolved.csp is not None else {}
        seen: set[tuple[str, str | None]] = set()
        for reference in external_origins(page.source.html):
            wanted = CSP_LISTS[reference.kind]
            if (reference.origin, wanted) in seen:
                continue
            seen.add((reference.origin, wanted))
            if wanted is None:
                yield found(
                    Code.PAGE_ORIGIN,
                    page.subject,
                    f"embeds `{reference.url}` at line {reference.line} as an object.",
                    "Hosts block every `<object>` and `<embed>`.",
                    "Show it with another element.",
                )
            elif not _covered(declared, wanted, reference):
                yield found(
                    Code.PAGE_ORIGIN,
                    page.subject,
                    f"loads `{reference.url}` at line {reference.line}, and its `{wanted}` does "
                    f"not list `{reference.origin}`.",
                    "Hosts block it.",
                    "Add the origin to the page's `csp`, or put the file into the page.",
                )


def _covered(declared: JsonObject, wanted: str, reference: ExternalOrigin) -> bool:
    lists = (wanted, OTHER_LISTS.get(reference.kind, wanted))
    return any(covers(as_list(declared.get(each)) or (), reference.origin) for each in lists)


RULES: Final = (_resolved, _address, _listings, _options, _documents, _origins)
