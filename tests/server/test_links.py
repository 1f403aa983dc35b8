"""`@ui` on every kind of handler, in every way a tool can reach a server (both eras)."""

from __future__ import annotations

import functools
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.apps import AppConfig
from fastmcp.dependencies import Depends
from fastmcp.server.providers import FileSystemProvider, LocalProvider
from fastmcp.server.transforms import ToolTransform
from fastmcp.tools import Tool, tool
from fastmcp.tools.tool_transform import ToolTransformConfig

from mcp_apps_plugin import AppResource, app_resource, ui

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

LINK = "ui://weather/dashboard"
BOTH = {"resourceUri": LINK, "visibility": ["model", "app"]}
HTML = "<!doctype html><title>W</title><p>weather</p>"


@app_resource(LINK)
def dashboard() -> str:
    return HTML


def plain(city: str, days: int = 3) -> dict[str, int]:
    """Say the weather.

    Args:
        city: Where.
        days: How many.
    """
    return {city: days}


async def plain_async(city: str, days: int = 3) -> dict[str, int]:
    """Say the weather, later."""
    return {city: days}


class Station:
    def bound(self, city: str) -> dict[str, str]:
        """Of one station."""
        return {"city": city}

    @ui(dashboard)
    def marked(self, city: str) -> dict[str, str]:
        """Say the weather."""
        return {"city": city}

    @ui(dashboard)
    @classmethod
    def of_class_above(cls, city: str) -> dict[str, str]:
        """Say the weather."""
        return {"city": city}

    @classmethod
    @ui(dashboard)
    def of_class_below(cls, city: str) -> dict[str, str]:
        """Say the weather."""
        return {"city": city}

    @ui(dashboard)
    @staticmethod
    def static_above(city: str) -> dict[str, str]:
        """Say the weather."""
        return {"city": city}

    @staticmethod
    @ui(dashboard)
    def static_below(city: str) -> dict[str, str]:
        """Say the weather."""
        return {"city": city}


class Caller:
    """Say the weather by calling."""

    def __call__(self, city: str) -> dict[str, str]:
        """Say the weather by calling."""
        return {"city": city}

    def other(self, city: str) -> dict[str, str]:
        """Another method."""
        return {"city": city}


def logged(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def copy_of(function: Any) -> Any:
    """Make a function that no other test has marked."""
    made = type(function)(
        function.__code__, function.__globals__, function.__name__, function.__defaults__
    )
    made.__doc__, made.__annotations__ = function.__doc__, dict(function.__annotations__)
    return made


async def ui_of(connect: Connect, server: FastMCP[Any], name: str) -> Any:
    async with connect(server) as client:
        listed = {each.name: each for each in await client.list_tools()}
    return (listed[name].meta or {}).get("ui")


@pytest.mark.parametrize("function", [plain, plain_async], ids=["sync", "async"])
@pytest.mark.parametrize("place", ["above", "below", "method call"])
async def test_above_and_below_the_tool_decorator(
    connect: Connect, function: Any, place: str
) -> None:
    """The decorator gives the same tool above and below `@mcp.tool`, and around `mcp.tool(f)`."""
    server = FastMCP("s")
    handler = copy_of(function)
    if place == "above":
        returned = ui(dashboard)(server.tool(handler))
    elif place == "below":
        returned = server.tool(ui(dashboard)(handler))
    else:
        server.tool(handler)
        returned = ui(dashboard)(handler)
    assert returned is handler
    assert await ui_of(connect, server, function.__name__) == BOTH


@pytest.mark.parametrize("options", [{}, {"name": "other", "meta": {"x": 1}, "tags": {"t"}}])
async def test_a_tool_is_otherwise_the_one_fastmcp_makes(
    connect: Connect, options: dict[str, Any]
) -> None:
    """Name, docs, schemas, annotations and other `_meta` are those of the tool without `@ui`."""
    with_ui, without = FastMCP("s"), FastMCP("s")
    with_ui.tool(**options)(ui(LINK)(copy_of(plain)))
    with_ui.add_resource(dashboard)
    without.tool(**options)(copy_of(plain))
    listed = []
    for server in (with_ui, without):
        async with connect(server) as client:
            listed.append((await client.list_tools())[0].model_dump(by_alias=True, mode="json"))
    assert listed[0]["_meta"].pop("ui") == BOTH
    assert listed[0] == listed[1]


def test_the_function_is_returned_unchanged() -> None:
    """A decorated function is the same object, and calling it gives the same."""
    handler = copy_of(plain)
    assert ui(LINK)(handler) is handler
    assert handler("Bern", days=2) == {"Bern": 2}


async def test_bound_methods(connect: Connect) -> None:
    """A bound method can be declared, once for each object, and a method in its class."""
    server = FastMCP("s")
    station = Station()
    bound = station.bound
    assert ui(dashboard)(bound) is bound
    server.tool(bound)
    server.add_tool(Tool.from_function(ui(dashboard)(Station().bound), name="second"))
    server.tool(station.marked)
    assert await ui_of(connect, server, "second") == BOTH
    assert await ui_of(connect, server, "bound") == BOTH
    assert await ui_of(connect, server, "marked") == BOTH
    async with connect(server) as client:
        assert (await client.call_tool("marked", {"city": "Ulm"})).data == {"city": "Ulm"}


@pytest.mark.parametrize(
    "name", ["of_class_above", "of_class_below", "static_above", "static_below"]
)
async def test_class_and_static_methods(connect: Connect, name: str) -> None:
    """`@ui` works on both sides of `@classmethod` and `@staticmethod`."""
    server = FastMCP("s")
    server.tool(getattr(Station, name))
    assert await ui_of(connect, server, name) == BOTH


async def test_callable_objects(connect: Connect) -> None:
    """An object with `__call__` can be declared; its other methods are not."""
    server = FastMCP("s")
    caller = Caller()
    assert ui(dashboard)(caller) is caller
    server.add_tool(Tool.from_function(caller, name="caller"))
    server.tool(caller.other)
    assert await ui_of(connect, server, "caller") == BOTH
    assert await ui_of(connect, server, "other") is None


async def test_partials(connect: Connect) -> None:
    """A `functools.partial` can be declared itself, and shows what its function declares."""
    server = FastMCP("s")
    marked = functools.partial(copy_of(plain), days=1)
    assert ui(dashboard)(marked) is marked
    server.add_tool(Tool.from_function(marked, name="one"))
    of_marked = functools.partial(ui(dashboard)(copy_of(plain)), days=1)
    server.add_tool(Tool.from_function(of_marked, name="two"))
    assert await ui_of(connect, server, "one") == BOTH
    assert await ui_of(connect, server, "two") == BOTH


@pytest.mark.parametrize("above", [True, False])
async def test_injected_arguments(connect: Connect, above: bool) -> None:  # noqa: FBT001
    """A handler that takes a `Context` or a dependency is found through FastMCP's wrapper."""
    server = FastMCP("s")

    def asks(city: str, ctx: Context, more: str = Depends(lambda: "x")) -> dict[str, str]:
        return {"city": city, "server": ctx.fastmcp.name, "more": more}

    if above:
        ui(dashboard)(server.tool(asks))
    else:
        server.tool(ui(dashboard)(asks))
    assert await ui_of(connect, server, "asks") == BOTH
    async with connect(server) as client:
        result = await client.call_tool("asks", {"city": "Ulm"})
    assert result.data == {"city": "Ulm", "server": "s", "more": "x"}


@pytest.mark.parametrize("outside", [True, False])
async def test_wrapped_functions(connect: Connect, outside: bool) -> None:  # noqa: FBT001
    """A declaration inside or outside another decorator is found."""
    server = FastMCP("s")
    handler = copy_of(plain)
    server.tool(ui(dashboard)(logged(handler)) if outside else logged(ui(dashboard)(handler)))
    assert await ui_of(connect, server, "plain") == BOTH


async def test_tool_objects(connect: Connect) -> None:
    """A `Tool` object can be declared, before and after it is added."""
    server = FastMCP("s")
    before = Tool.from_function(copy_of(plain), name="before")
    assert ui(dashboard)(before) is before
    server.add_tool(before)
    after = server.add_tool(Tool.from_function(copy_of(plain), name="after"))
    ui(dashboard)(after)
    assert await ui_of(connect, server, "before") == BOTH
    assert await ui_of(connect, server, "after") == BOTH


@pytest.mark.parametrize("above", [True, False])
async def test_the_stand_alone_decorator(connect: Connect, above: bool) -> None:  # noqa: FBT001
    """FastMCP's stand-alone `@tool` with `add_tool` works on both sides."""
    server = FastMCP("s")
    handler = copy_of(plain)
    server.add_tool(ui(dashboard)(tool(handler)) if above else tool(ui(dashboard)(handler)))
    assert await ui_of(connect, server, "plain") == BOTH


async def test_tools_given_to_the_constructor(connect: Connect) -> None:
    """Functions and `Tool` objects in `FastMCP(tools=[…])` are found."""
    made = ui(dashboard)(Tool.from_function(copy_of(plain_async)))
    server = FastMCP("s", tools=[ui(dashboard)(copy_of(plain)), made])
    assert await ui_of(connect, server, "plain") == BOTH
    assert await ui_of(connect, server, "plain_async") == BOTH


async def test_file_system_discovery(connect: Connect, tmp_path: Path) -> None:
    """Declarations in discovered files reach the server, with their pages beside them."""
    (tmp_path / "page.html").write_text(HTML, encoding="utf-8")
    (tmp_path / "weather_tools.py").write_text(
        textwrap.dedent("""
        from fastmcp.tools import tool
        from mcp_apps_plugin import app_resource, ui

        @app_resource("ui://fs/map")
        def fs_map() -> str:
            return "<p>map</p>"

        @tool
        @ui("ui://fs/page", html="page.html")
        def discovered() -> dict:
            return {}
        """),
        encoding="utf-8",
    )
    server = FastMCP("s", providers=[FileSystemProvider(tmp_path)])
    async with connect(server) as client:
        (listed,) = await client.list_tools()
        assert listed.meta["ui"]["resourceUri"] == "ui://fs/page"
        assert {str(each.uri) for each in await client.list_resources()} == {
            "ui://fs/page",
            "ui://fs/map",
        }
        assert (await client.read_resource("ui://fs/page"))[0].text == HTML


@pytest.mark.parametrize("meta", [None, {"x": 1}])
async def test_tools_made_from_other_tools(connect: Connect, meta: dict[str, Any] | None) -> None:
    """`Tool.from_tool` keeps the declaration under the new name, with and without `meta=`."""
    server = FastMCP("s")
    parent = Tool.from_function(ui(dashboard)(copy_of(plain)))
    options = {} if meta is None else {"meta": meta}
    server.add_tool(Tool.from_tool(parent, name="forecast", **options))
    assert await ui_of(connect, server, "forecast") == BOTH


async def test_a_tool_made_after_its_parent_was_listed(connect: Connect) -> None:
    """What a parent tool was listed with does not hide the declaration of a tool made from it."""
    server = FastMCP("s")
    parent = server.add_tool(Tool.from_function(ui(dashboard)(copy_of(plain))))
    assert await ui_of(connect, server, "plain") == BOTH
    made = Tool.from_tool(parent, name="second")
    server.add_tool(made)
    ui(other_page)(made)
    assert (await ui_of(connect, server, "second"))["resourceUri"] == "ui://weather/other"
    assert await ui_of(connect, server, "plain") == BOTH


@app_resource("ui://weather/other")
def other_page() -> str:
    return HTML


async def test_renaming_transforms(connect: Connect) -> None:
    """A `ToolTransform` that renames and describes keeps the link."""
    server = FastMCP("s")
    server.tool(ui(dashboard)(copy_of(plain)))
    server.add_transform(ToolTransform({"plain": ToolTransformConfig(name="forecast")}))
    assert await ui_of(connect, server, "forecast") == BOTH


async def test_one_provider_shared_by_two_servers(connect: Connect) -> None:
    """A stand-alone provider gives both servers the link and the page."""
    provider = LocalProvider()
    provider.tool(ui(dashboard)(copy_of(plain)))
    servers = [FastMCP(name, providers=[provider]) for name in ("one", "two")]
    for server in (*servers, *servers):
        assert await ui_of(connect, server, "plain") == BOTH
        async with connect(server) as client:
            assert [str(each.uri) for each in await client.list_resources()] == [LINK]


async def test_versioned_tools(connect: Connect) -> None:
    """Each version of a tool has its own page; the newest is listed."""
    server = FastMCP("s")
    server.tool(version="1.0", name="w")(ui(other_page)(copy_of(plain)))
    server.tool(version="2.0", name="w")(ui(dashboard)(copy_of(plain)))
    async with connect(server) as client:
        (listed,) = await client.list_tools()
        assert listed.meta["ui"] == BOTH
        assert listed.meta["fastmcp"]["version"] == "2.0"
        assert {str(each.uri) for each in await client.list_resources()} == {
            LINK,
            "ui://weather/other",
        }


@pytest.mark.parametrize(
    ("visibility", "expected"),
    [
        ("app", ["app"]),
        ("model", ["model"]),
        ("both", ["model", "app"]),
        (("app", "model"), ["model", "app"]),
        (["app"], ["app"]),
    ],
)
async def test_visibility(connect: Connect, visibility: Any, expected: list[str]) -> None:
    """Visibility alone makes a helper without page."""
    server = FastMCP("s")
    server.tool(ui(visibility=visibility)(copy_of(plain)))
    assert await ui_of(connect, server, "plain") == {"visibility": expected}
    async with connect(server) as client:
        assert await client.list_resources() == []
        assert (await client.call_tool("plain", {"city": "Ulm"})).data == {"Ulm": 3}


@pytest.mark.parametrize("page", ["function", "resource", "same function twice"])
async def test_a_page_given_by_reference_comes_along(
    connect: Connect, tmp_path: Path, page: str
) -> None:
    """A page function or an `AppResource` is served by every server that has the tool."""
    (tmp_path / "p.html").write_text(HTML, encoding="utf-8")
    target = AppResource(LINK, html=tmp_path / "p.html") if page == "resource" else dashboard
    for name in ("one", "two"):
        server = FastMCP(name)
        server.tool(ui(target)(copy_of(plain)))
        if page == "same function twice":
            server.tool(ui(target)(copy_of(plain_async)))
        async with connect(server) as client:
            (listed,) = await client.list_resources()
            assert str(listed.uri) == LINK
            assert listed.mime_type == "text/html;profile=mcp-app"
            assert (await client.read_resource(LINK))[0].text == HTML


async def test_keys_of_others_stay(connect: Connect) -> None:
    """Keys that an author wrote into `_meta` and `_meta.ui` stay beside ours."""
    server = FastMCP("s")
    server.tool(meta={"acme/k": 1}, app=AppConfig(resource_uri=LINK))(ui(dashboard)(copy_of(plain)))
    async with connect(server) as client:
        (listed,) = await client.list_tools()
    assert listed.meta["acme/k"] == 1
    assert listed.meta["ui"] == BOTH


async def test_decorated_while_serving(connect: Connect) -> None:
    """A tool added after a first list, while the server runs, is complete at the next."""
    server = FastMCP("s")
    async with connect(server) as client:
        assert await client.list_tools() == []
        server.tool(ui(dashboard)(copy_of(plain)))
        (listed,) = await client.list_tools()
        assert listed.meta["ui"] == BOTH
        assert [str(each.uri) for each in await client.list_resources()] == [LINK]
        assert (await client.read_resource(LINK))[0].text == HTML
