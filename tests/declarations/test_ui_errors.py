"""What `@ui` refuses where it is written: each with its type, its code, its object and remedy."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.apps import ResourceCSP
from fastmcp.tools import Tool

from mcp_apps_plugin import (
    AppResource,
    AppsTypeError,
    AppsValueError,
    Code,
    Csp,
    MCPAppsError,
    Page,
    app_resource,
    ui,
)
from mcp_apps_plugin.protocol.links import uri_problem

if TYPE_CHECKING:
    from pathlib import Path


def make() -> Any:
    def get_weather(city: str) -> dict[str, str]:
        return {"city": city}

    return get_weather


@app_resource("ui://weather/page")
def page() -> str:
    return "<p>"


def plain_function() -> str:
    return "<p>"


@pytest.mark.parametrize("name", ["now.html", "pages/now.htm", "./now.html"])
def test_a_file_in_the_place_of_an_address(name: str) -> None:
    """The option it belongs into is named."""
    with pytest.raises(AppsValueError) as caught:
        ui(name)(make())
    assert f"Write `@ui(html={name!r})`." in str(caught.value)


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("https://weather/page", "does not start with `ui://`"),
        ("weather/page", "does not start with `ui://`"),
        ("", "does not start with `ui://`"),
        ("UI://weather/page", "spells its scheme in capitals"),
        ("Ui://weather", "spells its scheme in capitals"),
        ("ui://", "has no host part; write `ui://name/page`"),
        ("ui:///page", "has no host part"),
        ("ui://weather/{city}", "is a template"),
        ("ui://weather/{city", "is a template"),
        ("ui://weather/my page", "white space"),
        ("ui://weather/page ", "white space"),
        ("ui://weather/page\n", "white space"),
        ("ui://weather/\x00", "white space"),
        ("ui://weather/page?x=1", "query or a fragment"),
        ("ui://weather/page#top", "query or a fragment"),
        ("ui://weather/straße", "must escape"),
        ("ui://weather/<p>", "must escape"),
        ("ui://-weather/page", "host part"),
        ("ui://user@weather/page", "host part"),
        ("ui://weather/../page", "`.` or `..` for a part of its path"),
        ("ui://weather/%2E%2e", "`.` or `..` for a part of its path"),
        ("ui://weather/./page", "`.` or `..` for a part of its path"),
        ("ui://日本/天気", "letters A to Z, digits, dots and dashes only"),
        ("ui://wétter/nöw", "letters A to Z, digits, dots and dashes only"),
    ],
)
@pytest.mark.parametrize("form", ["link", "with html", "page", "resource"])
def test_addresses(uri: str, problem: str, form: str) -> None:
    """An address that no host would accept is refused by all four declarations."""
    with pytest.raises(AppsValueError) as caught:  # noqa: PT012  one of several forms
        if form == "link":
            ui(uri)(make())
        elif form == "with html":
            ui(uri, html="p.html")(make())
        elif form == "page":
            app_resource(uri)(make())
        else:
            AppResource(uri, html="p.html")
    assert caught.value.code == Code.URI_INVALID
    assert isinstance(caught.value, ValueError)
    (finding,) = caught.value.findings
    assert problem in finding.problem
    assert f"`{uri}`" in finding.problem
    assert finding.remedy.startswith("Write ")
    if form in {"link", "page"}:
        assert finding.subject.endswith("get_weather")


@pytest.mark.parametrize(
    ("uri", "near"),
    [
        ("ui://wetter/nöw", "ui://wetter/n%C3%B6w"),
        ("ui://wétter/nöw", "ui://wetter/n%C3%B6w"),
        ("ui://wétter", "ui://wetter"),
        ("ui://日本/天気", "ui://name/%E5%A4%A9%E6%B0%97"),
        ("ui://weather/my page", "ui://weather/my%20page"),
        ("ui://my page/x", "ui://my-page/x"),
        ("ui://weather/page\n", "ui://weather/page"),
        ("UI://weather/page", "ui://weather/page"),
        ("ui:///page", "ui://name/page"),
        ("ui://o/../p", "ui://o/p"),
        ("ui://o/..", "ui://o"),
        ("ui://weather/page?x=1", None),
        ("ui://weather/{city}", None),
        ("ui://weather/\x00", None),
        ("ui://", None),
        ("weather/page", None),
    ],
)
async def test_the_nearest_address(tmp_path: Path, uri: str, near: str | None) -> None:
    """Where a spelling helps it is said, and it is one that a server serves."""
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><p>x", encoding="utf-8")
    with pytest.raises(AppsValueError) as caught:
        ui(uri, html=page)(make())
    assert near is None or uri_problem(near) is None
    said = f"Write `{near}`." if near else "Write a URI such as `ui://weather/dashboard`."
    assert caught.value.findings[0].remedy == said
    if near:
        mcp = FastMCP("s")
        mcp.tool(ui(near, html=page)(make()))
        async with Client(mcp) as client:
            (tool,) = await client.list_tools()
            assert tool.meta["ui"]["resourceUri"] == near
            assert "<p>x" in (await client.read_resource(near))[0].text


@pytest.mark.parametrize(
    ("url", "remedy"),
    [
        ("https://x.example/a.html", "Save the page beside the code"),
        ("HTTP://x.example", "Save the page beside the code"),
        ("file:///a.html", "Save the page beside the code"),
        ("data:text/html,x", "Save the page beside the code"),
        ("ui://weather/page", "The address comes first"),
    ],
)
@pytest.mark.parametrize("form", ["ui", "app_resource", "AppResource", "Page"])
def test_a_url_in_the_place_of_a_file(url: str, remedy: str, form: str) -> None:
    """`html=` takes files, and the error says what to do with a URL."""
    with pytest.raises(AppsValueError, match="is a URL, and no file") as caught:  # noqa: PT012  one of several forms
        if form == "ui":
            ui("ui://a/b", html=url)(make())
        elif form == "app_resource":
            app_resource("ui://a/b", html=url)(make())
        elif form == "Page":
            Page(url)
        else:
            AppResource("ui://a/b", html=url)
    assert caught.value.code == Code.PAGE_OPTION_INVALID
    assert repr(url) in str(caught.value)
    assert caught.value.findings[0].remedy.startswith(remedy)


@pytest.mark.parametrize("value", [1, b"ui://a/b", ["ui://a/b"], object()])
def test_no_page_at_all(value: Any) -> None:
    """What is neither an address nor a page is a type error that says what to write."""
    with pytest.raises(AppsTypeError, match=r"not a page.*@ui\(page_function\)") as caught:
        ui(value)(make())
    assert caught.value.code == Code.UI_USAGE


def test_bare() -> None:
    """`@ui` without a call takes the tool for a page, and says how a function becomes one."""
    with pytest.raises(AppsTypeError, match=r"get_weather.*@app_resource") as caught:
        ui(make())
    assert isinstance(caught.value, TypeError)
    assert caught.value.code == Code.UI_USAGE


def test_a_function_that_is_no_page() -> None:
    """`@ui(f)` where `f` makes no page names `f` and `@app_resource`."""
    with pytest.raises(AppsTypeError, match=r"plain_function.*@app_resource") as caught:
        ui(plain_function)(make())
    assert caught.value.code == Code.UI_USAGE


@pytest.mark.parametrize("options", [{}, {"text": "{city}"}])
def test_nothing_declared(options: dict[str, Any]) -> None:
    """`@ui()` says nothing, so it is refused."""
    with pytest.raises(AppsTypeError, match="neither a page nor a visibility") as caught:
        ui(**options)
    assert caught.value.code == Code.UI_USAGE


@pytest.mark.parametrize(
    "options",
    [
        {"csp": Csp()},
        {"permissions": {"camera": True}},
        {"domain": "a.example"},
        {"prefers_border": False},
    ],
)
@pytest.mark.parametrize("target", ["ui://a/b", page])
def test_page_options_without_html(options: dict[str, Any], target: Any) -> None:
    """Page options belong to the page: the error names them and where they go."""
    with pytest.raises(AppsTypeError, match=f"`{next(iter(options))}=`") as caught:
        ui(target, **options)
    assert caught.value.code == Code.UI_PAGE_OPTIONS
    assert "@app_resource" in caught.value.findings[0].remedy


def test_html_beside_a_page() -> None:
    """A page that already has HTML takes no `html=`."""
    with pytest.raises(AppsTypeError, match="Keep one of the two") as caught:
        ui(page, html="x.html")
    assert caught.value.code == Code.UI_USAGE


@pytest.mark.parametrize(
    "visibility", ["", "all", "model,app", [], (), ["app", "user"], [1], 3, True, {"app"}, ["both"]]
)
def test_visibility(visibility: Any) -> None:
    """An empty or unknown audience is refused; it would hide the tool from everyone."""
    with pytest.raises(AppsValueError, match="get_weather") as caught:
        ui(visibility=visibility)(make())
    assert caught.value.code == Code.VISIBILITY_INVALID
    assert '"model", "app", "both"' in caught.value.findings[0].remedy


@pytest.mark.parametrize("wrap", [lambda f: f, Tool.from_function, staticmethod, functools.partial])
def test_twice(wrap: Any) -> None:
    """Two `@ui` on one handler are refused, on every kind of handler."""
    handler = wrap(make())
    ui("ui://a/b")(handler)
    with pytest.raises(AppsTypeError, match="twice") as caught:
        ui("ui://a/b")(handler)
    assert caught.value.code == Code.UI_TWICE


def test_twice_through_a_wrapper() -> None:
    """A second `@ui` outside another decorator is refused as well."""

    @functools.wraps(marked := ui("ui://a/b")(make()))
    def wrapper(city: str) -> Any:
        return marked(city)

    with pytest.raises(AppsTypeError, match="twice"):
        ui("ui://a/c")(wrapper)


@pytest.mark.parametrize("handler", [None, 3, "f", dict, Tool, FastMCP("s")])
def test_not_a_tool(handler: Any) -> None:
    """A class, a server or a plain value cannot be declared."""
    with pytest.raises(AppsTypeError) as caught:
        ui("ui://a/b")(handler)
    assert caught.value.code == Code.UI_USAGE


def test_a_handler_without_attributes() -> None:
    """A callable that can keep no declaration is refused, not silently forgotten."""

    class Slotted:
        __slots__ = ()

        def __call__(self) -> None: ...

    for handler in (Slotted(), len):
        with pytest.raises(AppsTypeError, match="cannot carry a declaration") as caught:
            ui("ui://a/b")(handler)
        assert caught.value.code == Code.UI_USAGE


@pytest.mark.parametrize(
    ("text", "kind", "problem"),
    [
        ("{", AppsValueError, "Single '{'"),
        ("}", AppsValueError, "Single '}'"),
        ("{}", AppsValueError, "field without a name"),
        ("{0}", AppsValueError, "field without a name"),
        ("{city!z}", AppsValueError, "z"),
        (3, AppsTypeError, "is int"),
        (b"x", AppsTypeError, "is bytes"),
    ],
)
@pytest.mark.parametrize("option", ["text", "fallback"])
def test_texts(text: Any, kind: type[MCPAppsError], problem: str, option: str) -> None:
    """A text that can never be made is refused, with the option's name."""
    with pytest.raises(kind) as caught:
        ui("ui://a/b", **{option: text})(make())
    assert caught.value.code == Code.TEXT_INVALID
    assert problem in str(caught.value)
    assert f"`{option}=" in str(caught.value)
    assert "get_weather" in str(caught.value)


def test_text_coroutine_functions() -> None:
    """An async function gives no text, so it is refused."""

    async def words(_: Any) -> str:
        return ""

    with pytest.raises(AppsTypeError, match="coroutine function"):
        ui("ui://a/b", text=words)(make())


@pytest.mark.parametrize(
    ("options", "code", "named"),
    [
        ({"csp": Csp}, Code.CSP_INVALID, "Csp"),
        ({"csp": {"connect_domain": ["https://a.example"]}}, Code.CSP_INVALID, "connect_domains"),
        ({"csp": {"connect_domains": "https://a.example"}}, Code.CSP_INVALID, "list of origins"),
        ({"csp": {"connect_domains": ["a.example"]}}, Code.CSP_INVALID, "`a.example`"),
        (
            {"csp": ResourceCSP(connect_domains=["https://a; script-src *"])},
            Code.CSP_INVALID,
            "`https://a; script-src *`",
        ),
        ({"permissions": {"kamera": True}}, Code.PERMISSIONS_INVALID, "kamera"),
        ({"permissions": {"camera": "yes"}}, Code.PERMISSIONS_INVALID, "camera"),
        ({"domain": 1}, Code.PAGE_OPTION_INVALID, "domain"),
        ({"domain": "a b"}, Code.PAGE_OPTION_INVALID, "`a b`"),
        ({"prefers_border": "no"}, Code.PAGE_OPTION_INVALID, "prefers_border"),
    ],
)
@pytest.mark.parametrize("form", ["ui", "app_resource", "AppResource"])
def test_page_options(options: dict[str, Any], code: Code, named: str, form: str) -> None:
    """A wrong page option is refused by every declaration that takes it, and named."""
    with pytest.raises(MCPAppsError) as caught:  # noqa: PT012  one of several forms
        if form == "ui":
            ui("ui://a/b", html="p.html", **options)
        elif form == "app_resource":
            app_resource("ui://a/b", **options)
        else:
            AppResource("ui://a/b", html="p.html", **options)
    assert caught.value.code == code
    assert named in str(caught.value)


def test_every_wrong_entry_at_once() -> None:
    """All wrong origins of all lists are named in one error."""
    with pytest.raises(AppsValueError) as caught:
        Csp(connect_domains=["a.example", "ok://x"], frame_domains=["https://a/b"])
    assert len(caught.value.findings) == 2
    for named in ("`a.example`", "`ok://x`", "`https://a/b`"):
        assert named in str(caught.value)


def test_app_resource_on_no_function() -> None:
    """`@app_resource` takes functions only, and only once."""
    for handler in (3, dict, FastMCP("s")):
        with pytest.raises(AppsTypeError, match="not a function") as caught:
            app_resource("ui://a/b")(handler)
        assert caught.value.code == Code.PAGE_USAGE
    with pytest.raises(AppsTypeError, match="twice") as caught:
        app_resource("ui://a/b")(app_resource("ui://a/b")(lambda: "<p>"))
    assert caught.value.code == Code.PAGE_USAGE


@pytest.mark.parametrize("above", [True, False])
def test_two_addresses_for_one_page(above: bool) -> None:  # noqa: FBT001
    """`@app_resource` and `@mcp.resource` that disagree on the address name both."""
    server = FastMCP("s")
    with pytest.raises(MCPAppsError, match="ui://a/b") as caught:  # noqa: PT012  one of several forms
        if above:
            app_resource("ui://a/b")(server.resource("ui://a/c")(plain()))
        else:
            server.resource("ui://a/c")(app_resource("ui://a/b")(plain()))
            raise_findings(server)
    assert "ui://a/c" in str(caught.value)


def plain() -> Any:
    def page_function() -> str:
        return "<p>"

    return page_function


def raise_findings(server: FastMCP[Any]) -> None:
    import asyncio

    from mcp_apps_plugin import AppsConfigurationError, audit

    report = asyncio.run(audit(server))
    if report.errors:
        raise AppsConfigurationError(report.server, report.errors)


def test_an_app_resource_without_html() -> None:
    """An `AppResource` without a file says what to pass."""
    with pytest.raises(AppsTypeError, match=r'html="page.html"') as caught:
        AppResource("ui://a/b")
    assert caught.value.code == Code.PAGE_USAGE


@pytest.mark.parametrize(
    ("html", "kind", "problem"),
    [
        ("<p>hello</p>", AppsValueError, "HTML text"),
        ("a\nb", AppsValueError, "HTML text"),
        ("", AppsValueError, "`html=` is empty"),
        (3, AppsTypeError, "int"),
        (b"x.html", AppsTypeError, "bytes"),
    ],
)
def test_html(html: Any, kind: type[MCPAppsError], problem: str) -> None:
    """`html=` takes a path, and HTML text in it is recognised."""
    with pytest.raises(kind, match=problem) as caught:
        ui("ui://a/b", html=html)(make())
    assert caught.value.code == Code.PAGE_OPTION_INVALID


@pytest.mark.parametrize("file", ["<stdin>", "{nowhere}/ipykernel_7/1234.py"])
@pytest.mark.parametrize(
    "declared",
    [
        '@ui("ui://a/b", html="x.html")\ndef f(): ...',
        'AppResource("ui://a/b", html="x.html")',
        'Page("x.html")',
    ],
)
def test_a_relative_path_in_nowhere(declared: str, file: str, tmp_path: Path) -> None:
    """Code that is in no file (a shell, a notebook's cell) is told how to name one."""
    code = compile(declared, file.format(nowhere=tmp_path), "exec")
    with pytest.raises(AppsValueError) as caught:
        exec(code, {"ui": ui, "AppResource": AppResource, "Page": Page})
    assert caught.value.code == Code.PAGE_OPTION_INVALID
    assert 'Path("x.html").resolve()' in str(caught.value)


def test_the_messages_read_well() -> None:
    """A message names the object, its place, the fault, the consequence, the remedy, the code."""
    with pytest.raises(AppsValueError) as caught:
        ui(visibility="everyone")(make())
    line = caught.traceback[0].lineno + 1
    assert str(caught.value).endswith(
        f"make.<locals>.get_weather ({__file__}:{line}): `visibility='everyone'` names nobody that "
        'exists. Hosts would hide the tool from the model and from the page. Use "model", "app", '
        '"both", or a '
        "sequence of the first two. [visibility-invalid]"
    )
