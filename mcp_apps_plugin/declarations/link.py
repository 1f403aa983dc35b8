"""`@ui`: the link from a tool to its page, declared."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from fastmcp.tools import Tool

from mcp_apps_plugin.declarations.marks import (
    ATTACHED_MARK,
    UI_MARK,
    describe,
    find_mark,
    find_tool_mark,
    place_of,
    set_mark,
)
from mcp_apps_plugin.declarations.page import (
    AppResource,
    check_uri,
    page_of,
    same_page,
)
from mcp_apps_plugin.declarations.page_options import page_options
from mcp_apps_plugin.declarations.text import check_text
from mcp_apps_plugin.protocol.authored import authored, calling_place
from mcp_apps_plugin.protocol.findings import (
    AppsTypeError,
    AppsValueError,
    Code,
    Finding,
    did_you_mean,
)
from mcp_apps_plugin.protocol.links import BOTH, Audience

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastmcp import FastMCP

    from mcp_apps_plugin.declarations.page_options import CspLike, PermissionsLike
    from mcp_apps_plugin.declarations.sources import Html
    from mcp_apps_plugin.declarations.text import Text

_F = TypeVar("_F")
Visibility = Literal["model", "app", "both"] | Sequence[Audience]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class UiDeclaration:
    """What `@ui` said about one tool.

    Attributes:
        subject: The tool's handler, as an author would look for it.
        link: The address of the page, or `None` for a tool without one.
        page: The page itself, when the declaration brings it.
        visibility: Who may use the tool.
        text: The words for the model; `None` keeps FastMCP's.
        fallback: The words for clients known not to show pages; `None` means `text`.
        place: Where the handler is written, as `file:line`; empty where Python does not know.
    """

    subject: str
    link: str | None
    page: AppResource | None
    visibility: tuple[Audience, ...]
    text: Text | None = None
    fallback: Text | None = None
    place: str = ""

    @property
    def uri(self) -> str | None:
        """The address the tool links to."""
        return self.page.uri if self.page is not None else self.link

    def has_words(self) -> bool:
        """Tell whether it says anything about a result's content."""
        return self.text is not None or self.fallback is not None


_worded = False


def any_words() -> bool:
    """Tell whether any tool of this process has `text=` or `fallback=`: most have none."""
    return _worded


@authored(Code.UI_USAGE, "@ui")
def ui(
    page: str | AppResource | Callable[..., Any] | None = None,
    *,
    html: Html | None = None,
    visibility: Visibility | None = None,
    text: Text | None = None,
    fallback: Text | None = None,
    csp: CspLike | None = None,
    permissions: PermissionsLike | None = None,
    domain: str | None = None,
    prefers_border: bool | None = None,
    versioned: bool = False,
) -> Callable[[_F], _F]:
    """Give a tool a page. Works above and below `@mcp.tool`; returns what it was given.

    Args:
        page: The page: a `ui://` address, a function with `@app_resource`, or an
            `AppResource`. With `html=`, the address under which the file is served.
        html: The page's file: relative to the file that defines the tool, a `Path`, or a
            package file.
        visibility: Who may use the tool: `"model"`, `"app"`, `"both"` or a sequence. Default
            both. It is a declaration to the host, not a lock.
        text: What the model and text-only clients read: a format string over the structured
            result, or a function of what the handler returned. Default: FastMCP's own content.
        fallback: Used instead of `text` for a client known not to show pages.
        csp: The origins the page may use; only with `html=`.
        permissions: What the page asks the host to allow; only with `html=`.
        domain: A host-specific sandbox origin; only with `html=`.
        prefers_border: Whether the page wants a border; only with `html=`.
        versioned: Whether the link carries the hash of the page, so that hosts fetch a page that
            has changed; only with `html=`. See `AppResource`.

    Raises:
        AppsTypeError: Used without a page, on no tool, twice, or with page options but no
            `html=` (`ui-usage`, `ui-twice`, `ui-page-options`).
        AppsValueError: An address, an audience, a text or a page option is not allowed.

    Example:
        ```python
        @mcp.tool
        @ui("ui://weather/dashboard", html="dashboard.html", text="{city}: {high} °C")
        def get_weather(city: str) -> Weather: ...
        ```
    """
    options = {
        "csp": csp,
        "permissions": permissions,
        "domain": domain,
        "prefers_border": prefers_border,
        "versioned": versioned or None,
    }
    _refuse_misplaced(page, html, [name for name, value in options.items() if value is not None])
    target = None if page is None or isinstance(page, str) else page_of(page)
    if target is None and page is not None and not isinstance(page, str):
        raise AppsTypeError(_not_a_page(page))
    if page is None and html is None and visibility is None:
        raise AppsTypeError(_usage("@ui", "has neither a page nor a visibility.", _USE))
    page_ui = page_options(csp, permissions, domain, prefers_border)

    @authored(Code.UI_USAGE, "@ui(…)")
    def decorate(handler: _F) -> _F:
        subject = describe(handler)
        _refuse_handler(handler)
        known = _known(handler)
        if isinstance(page, str):
            _refuse_html(page, subject)
            check_uri(page, subject)
        audiences = check_visibility(visibility, subject)
        for option, value in (("text", text), ("fallback", fallback)):
            check_text(value, option, subject)
        served = target
        if html is not None:
            served = AppResource.declared_on(
                handler,
                makes_page=False,
                uri=cast("str | None", page),
                html=html,
                labels=(None, None, None),
                ui=page_ui,
                auth=None,
                versioned=versioned,
            )
        declaration = UiDeclaration(
            subject=subject,
            link=page if isinstance(page, str) else None,
            page=served,
            visibility=audiences,
            text=text,
            fallback=fallback,
            place=place_of(handler) or calling_place(),
        )
        if known is not None:
            # A method is made anew whenever it is asked for: the same declaration may come again.
            if inspect.ismethod(handler) and _same(known, declaration):
                return handler
            raise AppsTypeError(_twice(subject))
        set_mark(handler, UI_MARK, declaration)
        if declaration.has_words():
            global _worded  # noqa: PLW0603  one question for every call of a tool
            _worded = True
        return handler

    return decorate


def declaration_of(tool: Tool, server: FastMCP[Any] | None = None) -> UiDeclaration | None:
    """Return what `@ui` said about a tool, on the tool, its function, or what it came from.

    Args:
        tool: The tool.
        server: The server that lists it, whose `attach_ui` counts where nothing else was said.
    """
    found = find_tool_mark(tool, UI_MARK, UiDeclaration)
    if found is None and server is not None:
        attached: Mapping[FastMCP[Any], UiDeclaration] = vars(tool).get(ATTACHED_MARK, {})
        return attached.get(server)
    return found


def check_visibility(visibility: object, subject: str) -> tuple[Audience, ...]:
    """Check who may use a tool.

    Raises:
        AppsValueError: Empty, or with something else than "model" and "app"
            (`visibility-invalid`).
    """
    if visibility is None or visibility == "both":
        return BOTH
    named = [visibility] if isinstance(visibility, str) else visibility
    listed = list(cast("Sequence[object]", named)) if isinstance(named, Sequence) else []
    if listed and all(audience in BOTH for audience in listed):
        return tuple(audience for audience in BOTH if audience in listed)
    unknown = [each for each in listed if each not in BOTH][:1]
    raise AppsValueError(
        Finding(
            code=Code.VISIBILITY_INVALID,
            subject=subject,
            problem=f"`visibility={visibility!r}` names nobody that exists."
            + "".join(did_you_mean(each, ("model", "app", "both")) for each in unknown),
            consequence="Hosts would hide the tool from the model and from the page.",
            remedy='Use "model", "app", "both", or a sequence of the first two.',
        )
    )


_USE = 'Write `@ui("ui://name/page")`, `@ui(page_function)`, or `@ui(visibility="app")`.'


def _refuse_misplaced(page: object, html: object, options: list[str]) -> None:
    if html is None and options:
        raise AppsTypeError(
            Finding(
                code=Code.UI_PAGE_OPTIONS,
                subject="@ui",
                problem=f"has {', '.join(f'`{name}=`' for name in options)} but no `html=`.",
                consequence="They describe a page; hosts ignore them on a tool.",
                remedy="Put them on `@app_resource(…)` or `AppResource(…)`, or add `html=`.",
            )
        )
    if html is not None and page is not None and not isinstance(page, str):
        problem = "has `html=` and a page that already has its own HTML."
        raise AppsTypeError(_usage("@ui", problem, "Keep one of the two."))


def _refuse_html(page: str, subject: str) -> None:
    if page.lstrip().startswith("<"):
        problem = "`@ui` is given HTML text instead of a page or an address."
        remedy = "Give it the function that returns the HTML, without calling it: `@ui(page)`."
        raise AppsValueError(_usage(subject, problem, remedy))
    if "://" not in page and page.endswith((".html", ".htm")):
        problem = f"`@ui` is given the file {page!r} in the place of an address."
        raise AppsValueError(_usage(subject, problem, f"Write `@ui(html={page!r})`."))


def _refuse_handler(handler: Any) -> None:
    tool_like = isinstance(handler, Tool | staticmethod | classmethod) or (
        callable(handler) and not isinstance(handler, type)
    )
    if not tool_like:
        raise AppsTypeError(_usage(f"@ui on {handler!r}", "is not a tool's function.", _USE))


def _known(handler: Any) -> UiDeclaration | None:
    if isinstance(handler, Tool):
        return handler.__dict__.get(UI_MARK)
    return find_mark(handler, UI_MARK, UiDeclaration)


def _same(one: UiDeclaration, other: UiDeclaration) -> bool:
    without = replace(one, page=None) == replace(other, page=None)
    return without and same_page(one.page, other.page)


def _twice(subject: str) -> Finding:
    return Finding(
        code=Code.UI_TWICE,
        subject=subject,
        problem="has `@ui` twice.",
        consequence="One of the two declarations would be lost.",
        remedy="Keep one; a second tool over the same code is `Tool.from_tool(…)`.",
    )


def _not_a_page(page: object) -> Finding:
    if callable(page):
        problem = "is neither a page nor an address; a function becomes a page by `@app_resource`."
        return _usage(f"@ui({describe(page)})", problem, _USE)
    return _usage(f"@ui({page!r})", f"is {type(page).__name__}, not a page.", _USE)


def _usage(subject: str, problem: str, remedy: str) -> Finding:
    return Finding(
        code=Code.UI_USAGE,
        subject=subject,
        problem=problem,
        consequence="The tool would have no page.",
        remedy=remedy,
    )
