"""A call that does not fit: the option that was meant, the place, and no frames of this package."""

from __future__ import annotations

import inspect
import sys
import traceback
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP

from mcp_apps_plugin import (
    AppResource,
    AppsExtension,
    AppsTypeError,
    AppsValueError,
    Code,
    Csp,
    MCPAppsError,
    Page,
    Permissions,
    app_resource,
    attach_ui,
    ui,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@app_resource("ui://weather/page")
def page() -> str:
    return "<p>"


def make() -> Any:
    def get_weather(city: str) -> dict[str, str]:
        return {"city": city}

    return get_weather


def raised(call: Callable[[], object]) -> tuple[MCPAppsError, str]:
    with pytest.raises(MCPAppsError) as caught:
        call()
    return caught.value, str(caught.value)


CALLS: list[tuple[Callable[[Any], object], Code, str, str]] = [
    (lambda o: ui("ui://a/b", **o("htm")), Code.UI_USAGE, "htm", "html"),
    (lambda o: ui(**o("visibilty")), Code.UI_USAGE, "visibilty", "visibility"),
    (
        lambda o: app_resource("ui://a/b", **o("prefer_border")),
        Code.PAGE_USAGE,
        "",
        "prefers_border",
    ),
    (lambda o: AppResource("ui://a/b", **o("descripton")), Code.PAGE_USAGE, "", "description"),
    (lambda o: Page("a.html", **o("dta")), Code.PAGE_USAGE, "", "data"),
    (lambda o: AppsExtension(**o("default")), Code.EXTENSION_SETTINGS, "default", "defaults"),
    (lambda o: attach_ui(FastMCP("s"), **o("link")), Code.UI_USAGE, "link", "links"),
]


@pytest.mark.parametrize(("call", "code", "wrong", "right"), CALLS)
def test_a_misspelt_option(
    call: Callable[[Any], object], code: Code, wrong: str, right: str
) -> None:
    """An option that does not exist is named, with the nearest one and all there are."""
    error, said = raised(lambda: call(lambda name: {name: "x"}))
    assert isinstance(error, TypeError)
    assert error.code == code
    assert f"{wrong}=`" in error.findings[0].problem
    assert f"Did you mean `{right}=`? Its options are `" in said


def test_an_option_near_to_none() -> None:
    """Where no name is near, the options are listed and none is guessed."""
    _, said = raised(lambda: ui("ui://a/b", zzz=1))  # type: ignore[call-arg]
    assert "Did you mean" not in said
    assert "Its options are `page=`, `html=`, `visibility=`" in said


@pytest.mark.parametrize(
    "call",
    [
        lambda: ui("ui://a/b", "page.html"),  # type: ignore[misc]
        lambda: AppResource("ui://a/b", "page.html"),  # type: ignore[misc]
        lambda: app_resource("ui://a/b", "page.html"),  # type: ignore[call-overload]
    ],
)
def test_an_option_without_its_name(call: Callable[[], object]) -> None:
    """An option that was given by its position is asked for by its name."""
    error, said = raised(call)
    assert isinstance(error, AppsTypeError)
    assert "positional argument" in said
    assert "by their names" in said
    assert "`html=`" in said


PLACES: list[Callable[[], object]] = [
    lambda: ui("ui://a/b", htm="x"),  # type: ignore[call-arg]
    lambda: ui("ui://a/b", csp=Csp()),
    lambda: ui("ui://a/b", html="x.html", csp={"conect_domains": []}),
    lambda: ui(visibility="apps")(make()),  # type: ignore[arg-type]
    lambda: ui("ui://a/b", text="{")(make()),
    lambda: ui("a/b")(make()),
    lambda: ui(page())(make()),
    lambda: app_resource("a/b")(make()),
    lambda: app_resource("ui://a/b", permissions=["camera"]),  # type: ignore[call-overload]
    lambda: AppResource("ui://a/b"),
    lambda: AppResource("ui://a/b", html="<p>"),
    lambda: Page("<p>"),
    lambda: Csp(conect_domains=["https://a.example"]),  # type: ignore[call-arg]
    lambda: Permissions(camara=True),  # type: ignore[call-arg]
    lambda: AppsExtension(dialects="openai"),
    lambda: AppsExtension(audit="warning"),  # type: ignore[arg-type]
    lambda: AppsExtension(defaults={"cps": {}}),
    lambda: AppsExtension(settings=["a"]),  # type: ignore[arg-type]
    lambda: AppsExtension(settings={"a": object()}),
    lambda: AppsExtension(bare_names="no"),  # type: ignore[arg-type]
    lambda: attach_ui(FastMCP("s"), {"f": "http://a"}),
    lambda: attach_ui(FastMCP("s"), {"f": make()}),
    lambda: attach_ui(FastMCP("s"), ["f"]),  # type: ignore[arg-type]
    lambda: attach_ui({"f": page}, FastMCP("s")),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("call", PLACES)
def test_the_place(call: Callable[[], object]) -> None:
    """Every error says the file and line of the call, and shows no more than that of the stack."""
    with pytest.raises(MCPAppsError) as caught:
        call()
    line = inspect.getsourcelines(call)[1]
    for finding in caught.value.findings:
        assert finding.place == f"{__file__}:{line}"
        assert f"({__file__}:{line}): " in str(finding)
    frames = traceback.extract_tb(caught.value.__traceback__)
    ours = [frame for frame in frames if frame.filename != __file__]
    assert len(ours) <= 1
    assert caught.value.__suppress_context__


def test_the_name_in_a_traceback() -> None:
    """A traceback names the error as users import it."""
    with pytest.raises(MCPAppsError) as caught:
        ui("a/b")(make())
    last = traceback.format_exception(caught.value)[-1]
    assert last.startswith("mcp_apps_plugin.AppsValueError: ")


def test_type_errors_from_inside() -> None:
    """What an author's own object raises on the way is not taken for a wrong call."""

    class Odd:
        def __iter__(self) -> Any:
            message = "from inside"
            raise TypeError(message)

    with pytest.raises(TypeError, match="from inside") as caught:
        AppsExtension(dialects=Odd())  # type: ignore[arg-type]
    assert not isinstance(caught.value, MCPAppsError)


@pytest.mark.parametrize("function", [ui, app_resource, AppResource, AppsExtension, attach_ui])
def test_what_editors_see(function: Any) -> None:
    """Name, docstring and signature are those of the function itself."""
    assert function.__doc__.startswith(("Give", "Declare", "A page", "Settings"))
    parameters = inspect.signature(function).parameters.values()
    assert all(each.kind is not inspect.Parameter.VAR_KEYWORD for each in parameters)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"visibility": "modle"}, "Did you mean `model`?"),
        ({"visibility": ["model", "aap"]}, "Did you mean `app`?"),
        ({"page": "<p>hello</p>"}, "without calling it: `@ui(page)`"),
    ],
)
def test_what_was_meant(options: dict[str, Any], said: str) -> None:
    """A near miss is recognised."""
    _, message = raised(lambda: ui(**options)(make()))
    assert said in message


def test_a_dialect_that_is_no_list() -> None:
    """A single dialect as text would be taken apart into letters, so it is refused as a whole."""
    error, said = raised(lambda: AppsExtension(dialects="openai"))
    assert error.code == Code.EXTENSION_SETTINGS
    assert "`dialects='openai'` is one text" in said
    _, said = raised(lambda: AppsExtension(dialects=["opnai"]))  # type: ignore[list-item]
    assert "Did you mean `openai`?" in said


class Station:
    def one(self) -> dict[str, int]:
        """Say the weather."""
        return {}

    def two(self) -> dict[str, int]:
        """Say it otherwise."""
        return {}


@pytest.mark.parametrize(
    "options",
    [
        {"page": page},
        {"page": "ui://a/b"},
        {
            "page": "ui://a/b",
            "html": "page.html",
            "csp": {"connect_domains": ["https://a.example"]},
        },
        {"html": "page.html", "text": "words"},
        {"visibility": "app"},
    ],
)
async def test_one_declaration_for_two_objects(connect: Any, options: dict[str, Any]) -> None:
    """The methods of two objects of one class may have the same declaration, on one server."""
    server, folder = FastMCP("s"), __file__.replace("declarations/test_wrong_calls.py", "server")
    if "html" in options:
        options = {**options, "html": f"{folder}/page.html"}
    server.resource("ui://a/b")(lambda: "<p>") if options == {"page": "ui://a/b"} else None
    first, second = Station(), Station()
    for number, station in enumerate((first, second, first)):
        server.tool(name=f"tool_{number}")(ui(**options)(station.one))
    async with connect(server) as client:
        tools = await client.list_tools()
        assert len(tools) == 3
        assert len({str(tool.meta["ui"]) for tool in tools}) == 1
        assert len(await client.list_resources()) == (0 if "visibility" in options else 1)


def test_two_declarations_for_one_object() -> None:
    """One object's method has one declaration."""
    station = Station()
    ui("ui://a/b")(station.two)
    error, _ = raised(lambda: ui("ui://a/c")(station.two))
    assert error.code == Code.UI_TWICE


class Shop:
    def __init__(self, name: str) -> None:
        self.name = name

    def page(self) -> str:
        """Show the shop."""
        return f"<p>page of {self.name}</p>"

    @app_resource("ui://shop/declared")
    def declared(self) -> str:
        """Show it, too."""
        return f"<p>declared by {self.name}</p>"

    def orders(self) -> dict[str, str]:
        """List the orders."""
        return {"shop": self.name}


async def test_an_object_of_its_own(connect: Any) -> None:
    """The methods of two objects have links, pages and words of their own."""
    for shop in (Shop("one"), Shop("two")):
        server = FastMCP(shop.name)
        app_resource("ui://shop/page")(shop.page)
        server.tool(ui(shop.page, text=f"{shop.name}: {{shop}}")(shop.orders))
        server.tool(name="declared")(ui(shop.declared)(make()))
        server.tool(name="again")(ui(shop.declared)(make()))
        async with connect(server) as client:
            assert len(await client.list_resources()) == 2
            (item,) = await client.read_resource("ui://shop/page")
            assert f"page of {shop.name}" in item.text
            (item,) = await client.read_resource("ui://shop/declared")
            assert f"declared by {shop.name}" in item.text
            result = await client.call_tool("orders")
            assert result.content[0].text == f"{shop.name}: {shop.name}"


async def test_other_links_of_another_object(connect: Any) -> None:
    """What is declared for one object is not declared for another."""
    server = FastMCP("s")
    one, two, plain = Shop("one"), Shop("two"), Shop("plain")
    for number, (shop, link) in enumerate([(one, "ui://shop/a"), (two, "ui://shop/b")]):
        server.resource(link)(lambda: "<p>")
        server.tool(name=f"tool_{number}")(ui(link)(shop.orders))
    server.tool(name="tool_2")(plain.orders)
    async with connect(server) as client:
        links = [(t.meta or {}).get("ui", {}).get("resourceUri") for t in await client.list_tools()]
    assert links == ["ui://shop/a", "ui://shop/b", None]


async def test_a_registered_method_page(connect: Any) -> None:
    """A page method that is registered and linked is one page."""
    shop = Shop("one")
    server = FastMCP("s")
    server.add_resource(shop.declared)
    server.tool(ui(shop.declared)(shop.orders))
    async with connect(server) as client:
        assert len(await client.list_resources()) == 1
        (item,) = await client.read_resource("ui://shop/declared")
    assert "declared by one" in item.text


def test_a_value_error_stays_one() -> None:
    """The kinds of error are kept through the boundary."""
    error, _ = raised(lambda: ui("a/b")(make()))
    assert isinstance(error, AppsValueError)
    assert sys.exc_info() == (None, None, None)
