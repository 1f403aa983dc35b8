"""`@app_resource` and `AppResource`: a page, declared."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar, overload

from fastmcp.decorators import get_fastmcp_meta
from fastmcp.resources import resource
from fastmcp.resources.function_resource import ResourceMeta

from mcp_apps_plugin.declarations.marks import (
    PAGE_MARK,
    carrier_of,
    describe,
    find_mark,
    place_of,
    set_mark,
    source_file,
)
from mcp_apps_plugin.declarations.page_function import page_usage, refuse_parameters, refuse_unknown
from mcp_apps_plugin.declarations.page_options import check_kinds, page_options
from mcp_apps_plugin.declarations.page_version import declare_versioned
from mcp_apps_plugin.declarations.sources import HtmlFile, html_file
from mcp_apps_plugin.protocol.authored import authored, caller
from mcp_apps_plugin.protocol.constants import MIME_TYPE, UI_KEY
from mcp_apps_plugin.protocol.findings import AppsTypeError, AppsValueError, Code, Finding
from mcp_apps_plugin.protocol.links import friendly_name, repaired_uri, uri_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_apps_plugin.declarations.page_options import Auth, CspLike, PermissionsLike
    from mcp_apps_plugin.declarations.sources import Html
    from mcp_apps_plugin.protocol.metadata import ResourceUi

_F = TypeVar("_F")


class AppResource:
    """A page: its `ui://` address, its HTML, and what it asks of the host.

    Make one directly for a page that is a file; `@app_resource` makes one for a function.

    Args:
        uri: The address, for example `ui://weather/dashboard`. Default: from the names of the
            declaring file and the HTML file, the same in every process.
        html: The file: relative to the declaring file, a `Path`, or a package file.
        name: The resource's name. Default: from the URI, `ui://get-time/app.html` is "Get Time".
        title: The display name. Default: as `name`.
        description: What the page shows.
        csp: The origins the page may use. Default: none.
        permissions: What the page asks the host to allow. Default: nothing.
        domain: A host-specific sandbox origin. Default: the host's choice.
        prefers_border: Whether the page wants a border. Default: the host's choice.
        auth: FastMCP authorization checks for reading the page, or `"inherit"` for those of
            the tools that link it. Default: none.
        versioned: Whether the listed address carries the hash of the page, so that hosts fetch
            a page that has changed: `ui://weather/dashboard?v=3f2a9c1e0b4d5867`. The address
            without a hash, and with any older one, reads the newest page.

    Raises:
        AppsTypeError: A value has the wrong type.
        AppsValueError: The URI, an origin or a permission is not allowed.
    """

    @authored(Code.PAGE_USAGE, "AppResource")
    def __init__(
        self,
        uri: str | None = None,
        *,
        html: Html | None = None,
        name: str | None = None,
        title: str | None = None,
        description: str | None = None,
        csp: CspLike | None = None,
        permissions: PermissionsLike | None = None,
        domain: str | None = None,
        prefers_border: bool | None = None,
        auth: Auth | None = None,
        versioned: bool = False,
    ) -> None:
        file, line = caller()
        self._fill(
            subject=f"page {uri!r}" if uri else f"page of {html!r}",
            place=f"{file}:{line}",
            declared_in=file,
            uri=uri,
            html=html,
            labels=(name, title, description),
            ui=page_options(csp, permissions, domain, prefers_border),
            auth=auth,
            versioned=versioned,
        )
        if self.file is None:
            raise AppsTypeError(
                page_usage(
                    self.subject,
                    "has no HTML.",
                    'Pass `html="page.html"`, or declare a function with `@app_resource`.',
                )
            )

    def _fill(
        self,
        *,
        subject: str,
        place: str,
        declared_in: str | None,
        uri: str | None,
        html: object,
        labels: tuple[str | None, str | None, str | None],
        ui: ResourceUi,
        auth: Auth | None,
        versioned: bool,
        handler: Callable[..., Any] | None = None,
    ) -> None:
        check_kinds(labels, auth, versioned, subject)
        if versioned:
            if handler is not None:
                refuse_parameters(handler, subject)
            declare_versioned()
        self.subject: str = subject
        self.place: str = place
        self.handler: Callable[..., Any] | None = handler
        self.file: HtmlFile | None = None if html is None else html_file(html, declared_in, subject)
        if uri is None and self.file is not None:
            uri = self.file.default_uri()
        if uri is not None:
            check_uri(uri, subject)
        self._uri: str | None = uri
        self._labels = labels
        self.ui: ResourceUi = ui
        self.auth: Auth | None = auth
        self.versioned: bool = versioned

    @classmethod
    def declared_on(cls, handler: Any, *, makes_page: bool, **options: Any) -> AppResource:
        """Declare a page on a function: the one that makes it, or the tool that links its file."""
        page = cls.__new__(cls)
        file, line = caller()
        page._fill(  # noqa: SLF001  the other constructor of this class
            subject=describe(handler),
            place=place_of(handler) or f"{file}:{line}",
            declared_in=source_file(handler) or file,
            handler=_called(handler) if makes_page else None,
            **options,
        )
        return page

    @property
    def uri(self) -> str | None:
        """The address; `None` while a function waits for its `@mcp.resource("ui://…")`."""
        if self._uri is None and self.handler is not None:
            meta = get_fastmcp_meta(self.handler)
            return meta.uri if isinstance(meta, ResourceMeta) else None
        return self._uri

    @property
    def name(self) -> str:
        """The resource's name."""
        return self._labels[0] or self.title

    @property
    def title(self) -> str:
        """The display name."""
        return self._labels[1] or self._labels[0] or friendly_name(self.uri or "")

    @property
    def description(self) -> str | None:
        """What the page shows; a function's docstring unless the author said it."""
        if self._labels[2] is None and self.handler is not None:
            return inspect.getdoc(self.handler)
        return self._labels[2]

    def __repr__(self) -> str:
        return f"AppResource({self.uri!r}, {self.file.identity if self.file else self.subject})"


@overload
def app_resource(
    uri: str | None = None,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    csp: CspLike | None = None,
    permissions: PermissionsLike | None = None,
    domain: str | None = None,
    prefers_border: bool | None = None,
    html: Html | None = None,
    auth: Auth | None = None,
    versioned: bool = False,
) -> Callable[[_F], _F]: ...
@overload
def app_resource(uri: _F, /) -> _F: ...
@authored(Code.PAGE_USAGE, "@app_resource")
def app_resource(
    uri: Any = None,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    csp: CspLike | None = None,
    permissions: PermissionsLike | None = None,
    domain: str | None = None,
    prefers_border: bool | None = None,
    html: Html | None = None,
    auth: Auth | None = None,
    versioned: bool = False,
) -> Any:
    """Declare the page that a function makes, or complete an `@mcp.resource("ui://…")`.

    The function is returned unchanged. It may return `str`, `bytes`, a `Path`, FastMCP's
    `ResourceContent` or `ResourceResult`, or `None` to serve `html=`; it may be async and take
    a `Context`. Every tool that links it with `@ui(function)` brings it to its server; FastMCP's
    `mcp.add_resource(function)` and file-system discovery work too.

    Args:
        uri: The address. Leave it out above or below `@mcp.resource("ui://…")`.
        name: As for `AppResource`. Default: FastMCP's, the function's name.
        title: As for `AppResource`.
        description: As for `AppResource`. Default: the function's docstring.
        csp: As for `AppResource`.
        permissions: As for `AppResource`.
        domain: As for `AppResource`.
        prefers_border: As for `AppResource`.
        html: The file that is served when the function returns `None`.
        auth: As for `AppResource`.
        versioned: As for `AppResource`. The function is then asked when the server starts, and
            what it returns is served until the server ends. It takes no parameters.

    Raises:
        AppsTypeError: Used on something that is no function, or twice (`page-usage`).
        AppsValueError: The URI, an origin or a permission is not allowed, or a function with
            parameters is to be versioned (`page-version`).
    """
    bare = _is_function(uri)
    address: Any = None if bare else uri
    ui = page_options(csp, permissions, domain, prefers_border)

    @authored(Code.PAGE_USAGE, "@app_resource(…)")
    def decorate(handler: Any) -> Any:
        _refuse_no_function(handler)
        meta = get_fastmcp_meta(carrier_of(handler))
        known = meta.uri if isinstance(meta, ResourceMeta) else None
        page = AppResource.declared_on(
            handler,
            makes_page=True,
            uri=address,
            html=html,
            labels=(name, title, description),
            ui=ui,
            auth=auth,
            versioned=versioned,
        )
        if page.uri is not None and "{" not in page.uri:
            refuse_unknown(page.handler, page.subject)
        if known is not None and page.uri != known:
            problem = f"is declared as `{page.uri}` here and as `{known}` by `@resource`."
            raise AppsValueError(page_usage(page.subject, problem, "Leave the URI out here."))
        earlier = find_mark(handler, PAGE_MARK, AppResource)
        if earlier is not None:
            # A method is made anew whenever it is asked for: the same declaration may come again.
            if inspect.ismethod(handler) and same_page(earlier, page):
                return handler
            raise AppsTypeError(page_usage(page.subject, "has `@app_resource` twice.", "Keep one."))
        set_mark(handler, PAGE_MARK, page)
        if page.uri is not None and known is None:
            # FastMCP's own stand-alone decorator: `add_resource` and file discovery find it.
            resource(
                page.uri,
                name=name,
                title=page.title,
                description=description,
                mime_type=MIME_TYPE,
                meta={UI_KEY: ui.to_wire()},
                auth=None if auth == "inherit" else auth,
            )(carrier_of(handler))
        return handler

    return decorate(uri) if bare else decorate


def page_of(value: object) -> AppResource | None:
    """Return the page that a value stands for: an `AppResource` or a declared function."""
    if isinstance(value, AppResource):
        return value
    page = find_mark(value, PAGE_MARK, AppResource) if callable(value) else None
    if page is not None and inspect.ismethod(value) and page.handler is value.__func__:
        # Declared in a class: from here on it is this object's page.
        declared, page = page, AppResource.__new__(AppResource)
        vars(page).update(vars(declared), handler=value)
        set_mark(value, PAGE_MARK, page)
    return page


def same_page(one: AppResource | None, other: AppResource | None) -> bool:
    """Tell whether two declarations say the same: the same source and the same options."""
    if one is None or other is None:
        return one is other
    mine, theirs = vars(one), vars(other)
    return all(
        getattr(value, "identity", value) == getattr(theirs[name], "identity", theirs[name])
        for name, value in mine.items()
    )


def check_uri(uri: object, subject: str) -> None:
    """Refuse what is no address of a page.

    Raises:
        AppsValueError: `uri` is not an absolute, concrete `ui://` URI (`uri-invalid`).
    """
    problem = uri_problem(uri)
    if problem is None:
        return
    near = repaired_uri(uri) if isinstance(uri, str) else None
    finding = Finding(
        code=Code.URI_INVALID,
        subject=subject,
        problem=f"`{uri}` {problem}",
        consequence="Hosts would show no page.",
        remedy=f"Write `{near}`." if near else "Write a URI such as `ui://weather/dashboard`.",
    )
    raise AppsValueError(finding) if isinstance(uri, str) else AppsTypeError(finding)


def _is_function(value: Any) -> bool:
    return callable(value) or isinstance(value, staticmethod | classmethod)


def _called(handler: Any) -> Any:
    return handler if inspect.ismethod(handler) else carrier_of(handler)


def _refuse_no_function(handler: Any) -> None:
    remedy = "Put `@app_resource` on the function that returns the page."
    if isinstance(handler, type) or not _is_function(handler):
        problem = "is not a function."
        raise AppsTypeError(page_usage(f"@app_resource on {handler!r}", problem, remedy))
