"""Styles: variables that hosts send, and heights that chase their own window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.host.context import CSS_VARIABLES
from mcp_apps_plugin.protocol.messages import Method
from mcp_apps_plugin.view.css import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_apps_plugin.checks.page_source import PageSource, Style
    from mcp_apps_plugin.checks.surface import Surface
    from mcp_apps_plugin.protocol.findings import Finding

_FAMILIES: Final = (
    "--color-background-",
    "--color-text-",
    "--color-border-",
    "--color-ring-",
    "--font-",
    "--border-radius-",
    "--border-width-",
    "--shadow-",
)
_WINDOW_UNITS: Final = frozenset({"vh", "dvh", "svh", "lvh"})
_ROOTS: Final = frozenset({"html", "body", ":root"})


def _variables(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        if page.source is None:
            continue
        used, defined = _uses(page.source)
        foreign: dict[str, int] = {}
        bare: dict[str, int] = {}
        for name, line, has_fallback in used:
            if name in defined:
                continue
            if name in CSS_VARIABLES:
                if not has_fallback:
                    bare.setdefault(name, line)
            elif name.startswith(_FAMILIES) and not page.source.mentions(name):
                foreign.setdefault(name, line)
        if foreign:
            yield found(
                CheckCode.PAGE_VARIABLE,
                page.subject,
                f"uses {_listed(foreign)}, which it does not define.",
                "It looks like a host's variable, and is none of the 76: no host sends it.",
                "See the specification's *Theming* for the names, or define it in the page.",
            )
        if bare and not any("useTheme(" in s.code for s in page.source.own_scripts):
            yield found(
                CheckCode.PAGE_VARIABLE_FALLBACK,
                page.subject,
                f"uses {_listed(bare)} without a value for hosts that do not send it.",
                "A host may send any part of the variables, or none: the style then has no value.",
                "Define it in `:root`, or write `var(--name, value)`.",
            )


def _listed(names: dict[str, int]) -> str:
    shown = [f"`{name}` (line {line})" for name, line in list(names.items())[:3]]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004
    return ", ".join(shown) + more


def _uses(source: PageSource) -> tuple[list[tuple[str, int, bool]], set[str]]:
    """The variables used, with line and whether they have a fallback; and those defined."""
    used: list[tuple[str, int, bool]] = []
    defined: set[str] = set()
    for style in source.styles:
        if "--" not in style.css:
            continue
        stream = [t for t in tokens(style.css) if t.kind not in ("space", "comment")]
        for at, token in enumerate(stream):
            name = style.css[token.start : token.end]
            if token.kind != "ident" or not name.startswith("--"):
                continue
            after = stream[at + 1].value if at + 1 < len(stream) else ""
            before = stream[at - 1] if at else None
            if before is not None and before.kind == "function" and before.value == "var":
                line = style.line + style.css.count("\n", 0, token.start)
                used.append((name, line, after == ","))
            elif after == ":":
                defined.add(name)
    return used, defined


def _heights(surface: Surface) -> Iterator[Finding]:
    for page in surface.pages.values():
        if page.source is None or not _resizes(page.source):
            continue
        for line, what in _window_heights(page.source.styles):
            yield found(
                CheckCode.PAGE_VIEWPORT_HEIGHT,
                page.subject,
                f"gives {what} the height of its window at line {line}, and tells the host its "
                "height.",
                "The frame never gets smaller again, and in some hosts grows without end.",
                "Leave the height open, or tell the host another one.",
            )


def _resizes(source: PageSource) -> bool:
    # The page library measures the content, not the window.
    return Method.SIZE_CHANGED in source.strings


def _window_heights(styles: Iterable[Style]) -> Iterator[tuple[int, str]]:
    import tinycss2  # type: ignore[import-untyped] # noqa: PLC0415  only where a page needs it

    parser: Any = tinycss2
    for style in styles:
        if "vh" not in style.css:
            continue
        if style.element is not None:
            if style.element in _ROOTS:
                declared = parser.parse_blocks_contents(style.css)
                yield from ((style.line, style.element) for _ in _too_high(declared))
            continue
        rules = parser.parse_stylesheet(style.css, skip_comments=True, skip_whitespace=True)
        for rule in cast("list[Any]", rules):
            if rule.type != "qualified-rule":
                continue
            selectors = parser.serialize(rule.prelude).split(",")
            roots = [s.strip() for s in selectors if _last(s) in _ROOTS]
            if roots:
                declared = parser.parse_blocks_contents(rule.content)
                for line in _too_high(declared):
                    yield style.line + line - 1, f"`{roots[0]}`"


def _last(selector: str) -> str:
    """The part of a selector that names what it styles."""
    parts = selector.replace(">", " ").split()
    return parts[-1].lower() if parts else ""


def _too_high(declarations: Iterable[Any]) -> Iterator[int]:
    for each in declarations:
        if each.type == "declaration" and each.lower_name in ("height", "min-height"):
            units = {getattr(value, "lower_unit", None) for value in each.value}
            if units & _WINDOW_UNITS:
                yield each.source_line


RULES: Final = (_variables, _heights)
