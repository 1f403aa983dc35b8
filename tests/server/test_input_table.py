"""Every kind of handler, registered in every way, declared on every side: tools and pages.

What FastMCP itself refuses is no row: the same handler is first registered without a declaration.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.resources import Resource, ResourceContent, ResourceResult, resource
from fastmcp.server.providers import LocalProvider
from fastmcp.tools import Tool, tool

from mcp_apps_plugin import Page, app_resource, ui

LINK = "ui://weather/table"
MIME = "text/html;profile=mcp-app"


@app_resource(LINK)
def page() -> str:
    return "<p>weather</p>"


def logged(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    return wrapper


def nothing() -> Any:
    """Make a tool's function that no other row has marked."""

    def show() -> dict[str, str]:
        return {}

    return show


def tool_handlers() -> dict[str, Any]:
    """Make one handler of each kind, new each time, as a mark stays on it."""

    def plain(city: str) -> dict[str, str]:
        """Say the weather."""
        return {"city": city}

    async def later(city: str) -> dict[str, str]:
        """Say the weather."""
        return {"city": city}

    def asks(city: str, ctx: Context) -> dict[str, str]:
        """Say the weather."""
        assert ctx.fastmcp
        return {"city": city}

    def more(city: str, extra: int = 1) -> dict[str, str]:
        """Say the weather."""
        return {"city": city * extra}

    async def more_later(city: str, extra: int = 1) -> dict[str, str]:
        """Say the weather."""
        return {"city": city * extra}

    class Station:
        def method(self, city: str) -> dict[str, str]:
            """Say the weather."""
            return {"city": city}

        async def method_later(self, city: str, ctx: Context) -> dict[str, str]:
            """Say the weather."""
            assert ctx.fastmcp
            return {"city": city}

        @classmethod
        def of_class(cls, city: str) -> dict[str, str]:
            """Say the weather."""
            return {"city": city}

        @staticmethod
        def static(city: str) -> dict[str, str]:
            """Say the weather."""
            return {"city": city}

    class Caller:
        """Say the weather."""

        def __call__(self, city: str) -> dict[str, str]:
            return {"city": city}

    class LaterCaller:
        """Say the weather."""

        async def __call__(self, city: str) -> dict[str, str]:
            return {"city": city}

    return {
        "plain": plain,
        "later": later,
        "asks": asks,
        "method": Station().method,
        "method later": Station().method_later,
        "class method": Station.of_class,
        "static method": Station.static,
        "static method of an object": Station().static,
        "static method itself": vars(Station)["static"],
        "callable": Caller(),
        "callable later": LaterCaller(),
        "partial": functools.partial(more, extra=1),
        "partial later": functools.partial(more_later, extra=1),
        "partial of a method": functools.partial(Station().method),
        "wrapped": logged(plain),
        "wrapped twice": logged(logged(plain)),
        "lambda": lambda city: {"city": city},
    }


def by_decorator(handler: Any, put: Any) -> FastMCP[Any]:
    server = FastMCP("s")
    put(server.tool(name="h"), handler)
    return server


def by_call(handler: Any, put: Any) -> FastMCP[Any]:
    server = FastMCP("s")
    put(lambda each: server.tool(each, name="h"), handler)
    return server


def by_tool_object(handler: Any, put: Any) -> FastMCP[Any]:
    server = FastMCP("s")
    server.add_tool(put(lambda each: Tool.from_function(each, name="h"), handler))
    return server


def by_add_tool(handler: Any, put: Any) -> FastMCP[Any]:
    server = FastMCP("s")
    put(lambda each: server.add_tool(Tool.from_function(each, name="h")), handler)
    return server


def by_constructor(handler: Any, put: Any) -> FastMCP[Any]:
    return FastMCP("s", tools=[put(lambda each: Tool.from_function(each, name="h"), handler)])


def stand_alone(handler: Any, put: Any) -> FastMCP[Any]:
    server = FastMCP("s")
    server.add_tool(put(tool(name="h"), handler))
    return server


def by_provider(handler: Any, put: Any) -> FastMCP[Any]:
    provider = LocalProvider()
    put(lambda each: provider.tool(each, name="h"), handler)
    servers = [FastMCP(name, providers=[provider]) for name in ("s", "t")]
    return servers[0]


def by_another_tool(handler: Any, put: Any) -> FastMCP[Any]:
    server = FastMCP("s")
    parent = put(lambda each: Tool.from_function(each, name="parent"), handler)
    server.add_tool(Tool.from_tool(parent, name="h"))
    return server


def mounted(handler: Any, put: Any) -> FastMCP[Any]:
    server = FastMCP("s")
    server.mount(by_decorator(handler, put))
    return server


REGISTRATIONS = [
    by_decorator,
    by_call,
    by_tool_object,
    by_add_tool,
    by_constructor,
    stand_alone,
    by_provider,
    by_another_tool,
    mounted,
]


def below(register: Any, handler: Any) -> Any:
    return register(ui(page, text="In {city}")(handler))


def above(register: Any, handler: Any) -> Any:
    return ui(page, text="In {city}")(register(handler))


def afterwards(register: Any, handler: Any) -> Any:
    registered = register(handler)
    ui(page, text="In {city}")(handler)
    return registered


async def seen(server: FastMCP[Any]) -> tuple[Any, dict[str, Any], list[str], Any]:
    async with Client(server) as client:
        (listed,) = await client.list_tools()
        resources = [str(each.uri) for each in await client.list_resources()]
        result = await client.call_tool("h", {"city": "Ulm"})
    tool = listed.model_dump(mode="json", by_alias=True)
    link = (tool.get("_meta") or {}).pop("ui", None)
    tool["_meta"] = tool.get("_meta") or None
    return link, tool, resources, result


@pytest.mark.parametrize("place", [below, above, afterwards])
@pytest.mark.parametrize("register", REGISTRATIONS)
async def test_tools(register: Any, place: Any) -> None:
    """Link, page and words are there, and everything else is as without a declaration."""
    rows = 0
    for kind in tool_handlers():
        try:
            plain = register(tool_handlers()[kind], lambda put, handler: put(handler))
        except TypeError:  # FastMCP's decorator takes functions only
            continue
        _, tool, _, result = await seen(plain)
        link, tool_with, resources, result_with = await seen(register(tool_handlers()[kind], place))
        assert link == {"resourceUri": LINK, "visibility": ["model", "app"]}, kind
        assert tool_with == tool, kind
        assert resources == [LINK], kind
        assert result_with.structured_content == result.structured_content, kind
        if result.structured_content is not None:
            assert result_with.content[0].text == "In Ulm", kind
        rows += 1
    assert rows >= 12


FILE = "page.html"
RETURNED: dict[str, Any] = {
    "text": "<p>weather</p>",
    "bytes": b"<p>weather</p>",
    "item": ResourceContent("<p>weather</p>"),
    "list": [ResourceContent("<p>weather</p>")],
    "result": ResourceResult([ResourceContent("<p>weather</p>")]),
    "page": Page(FILE),
}


def page_handlers(returned: Any) -> dict[str, Any]:
    """Make one page handler of each kind."""

    def plain() -> Any:
        return returned

    async def later() -> Any:
        return returned

    def asks(ctx: Context) -> Any:
        assert ctx.fastmcp
        return returned

    async def asks_later(ctx: Context) -> Any:
        assert ctx.fastmcp
        return returned

    class Station:
        def method(self) -> Any:
            """Show the weather."""
            return returned

        async def method_later(self) -> Any:
            """Show the weather."""
            return returned

        @classmethod
        def of_class(cls) -> Any:
            """Show the weather."""
            return returned

        @staticmethod
        def static() -> Any:
            """Show the weather."""
            return returned

    class Caller:
        def __call__(self) -> Any:
            return returned

    return {
        "plain": plain,
        "later": later,
        "asks": asks,
        "asks later": asks_later,
        "method": Station().method,
        "method later": Station().method_later,
        "class method": Station.of_class,
        "static method": Station.static,
        "callable": Caller(),
        "partial": functools.partial(plain),
        "wrapped": logged(plain),
        "lambda": lambda: returned,
    }


OPTIONS: dict[str, Any] = {"csp": {"connect_domains": ["https://api.example"]}}
UI = {
    "csp": {
        "connectDomains": ["https://api.example"],
        "resourceDomains": [],
        "frameDomains": [],
        "baseUriDomains": [],
    }
}


def linked(server: FastMCP[Any], handler: Any) -> None:
    page = app_resource(LINK, **OPTIONS)(handler)
    server.tool(ui(page)(nothing()))


def added(server: FastMCP[Any], handler: Any) -> None:
    server.add_resource(app_resource(LINK, **OPTIONS)(handler))


def linked_and_added(server: FastMCP[Any], handler: Any) -> None:
    linked(server, handler)
    server.add_resource(handler)


def declared_below(server: FastMCP[Any], handler: Any) -> None:
    server.resource(LINK)(app_resource(**OPTIONS)(handler))


def declared_above(server: FastMCP[Any], handler: Any) -> None:
    app_resource(**OPTIONS)(server.resource(LINK)(handler))


def stand_alone_below(server: FastMCP[Any], handler: Any) -> None:
    server.add_resource(resource(LINK)(app_resource(**OPTIONS)(handler)))


def stand_alone_above(server: FastMCP[Any], handler: Any) -> None:
    server.add_resource(app_resource(**OPTIONS)(resource(LINK)(handler)))


def resource_object(server: FastMCP[Any], handler: Any) -> None:
    server.add_resource(Resource.from_function(app_resource(LINK, **OPTIONS)(handler), uri=LINK))


def provided(server: FastMCP[Any], handler: Any) -> None:
    provider = LocalProvider()
    provider.resource(LINK)(app_resource(**OPTIONS)(handler))
    server.add_provider(provider)


def undeclared(server: FastMCP[Any], handler: Any) -> None:
    server.resource(LINK, app=OPTIONS)(handler)


@pytest.mark.parametrize(
    "register",
    [
        linked,
        added,
        linked_and_added,
        declared_below,
        declared_above,
        stand_alone_below,
        stand_alone_above,
        resource_object,
        provided,
        undeclared,
    ],
)
async def test_pages(register: Any) -> None:
    """List and read agree, on one item, its MIME type and its `_meta.ui`, whatever makes it."""
    for returns, returned in RETURNED.items():
        everything = returns in {"text", "page"}
        for kind in page_handlers(returned) if everything else ("plain", "asks later"):
            server = FastMCP("s")
            register(server, page_handlers(returned)[kind])
            async with Client(server) as client:
                (listed,) = await client.list_resources()
                (item,) = await client.read_resource(LINK)
            row = returns, kind
            assert str(listed.uri) == str(item.uri) == LINK, row
            assert listed.mime_type == item.mime_type == MIME, row
            assert listed.meta["ui"] == item.meta["ui"] == UI, row
            assert item.text.lower().startswith("<!doctype html>"), row
            assert "</p>" in item.text, row


@pytest.mark.parametrize("kind", ["function", "made", "made twice", "with code", "openapi"])
async def test_files_beside_a_tool_object(connect: Any, kind: str) -> None:
    """For a tool that FastMCP makes itself, a relative file stands beside the declaration."""

    def handler(city: str) -> dict[str, str]:
        return {"city": city}

    async def code(city: str) -> dict[str, str]:
        return {"city": city}

    made = Tool.from_function(handler, name="h")
    if kind in {"made", "made twice"}:
        made = Tool.from_tool(made, name="h")
    if kind == "made twice":
        made = Tool.from_tool(made, name="h")
    if kind == "with code":
        made = Tool.from_tool(made, name="h", transform_fn=code)
    server = FastMCP("s")
    if kind == "openapi":
        server = orders()
        (made,) = await server.list_tools()
    ui("ui://weather/file", html=FILE)(made)
    server.add_tool(made)
    async with connect(server) as client:
        (item,) = await client.read_resource("ui://weather/file")
    assert "</p>" in item.text


def orders() -> FastMCP[Any]:
    import httpx2

    answers = {"200": {"description": "Orders."}}
    return FastMCP.from_openapi(
        {
            "openapi": "3.0.0",
            "info": {"title": "Orders", "version": "1"},
            "paths": {"/orders": {"get": {"operationId": "h", "responses": answers}}},
        },
        client=httpx2.AsyncClient(base_url="http://orders.example"),
    )
