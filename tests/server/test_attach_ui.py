"""`attach_ui`: pages for tools that nobody decorated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy
from fastmcp.server.providers import LocalProvider
from fastmcp.server.transforms import ToolTransform
from fastmcp.tools.tool_transform import ToolTransformConfig

from mcp_apps_plugin import (
    AppResource,
    AppsTypeError,
    AppsValueError,
    Code,
    app_resource,
    attach_ui,
    audit,
    ui,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Connect = Callable[..., Client[Any]]

HTML = "<!doctype html><title>W</title>"


@app_resource("ui://orders/view")
def orders_view() -> str:
    return HTML


@app_resource("ui://reports/view")
def reports_view() -> str:
    return HTML


def echo() -> dict[str, int]:
    return {"a": 1}


async def links(connect: Connect, server: FastMCP[Any]) -> tuple[dict[str, Any], set[str]]:
    async with connect(server) as client:
        tools = {
            tool.name: (tool.meta or {}).get("ui", {}).get("resourceUri")
            for tool in await client.list_tools()
        }
        pages = {str(each.uri) for each in await client.list_resources()}
        for uri in pages:
            assert (await client.read_resource(uri))[0].text == HTML
    return tools, pages


async def test_names_and_globs(connect: Connect) -> None:
    """A name goes before a glob, the first glob that fits counts, other tools stay bare."""
    server = FastMCP("s")
    for name in ("list_orders", "report_day", "report_week", "other"):
        server.tool(echo, name=name)
    attach_ui(server, {"report_*": reports_view, "*_week": orders_view, "list_orders": orders_view})
    attach_ui(server, {"report_day": orders_view})
    assert await links(connect, server) == (
        {
            "list_orders": "ui://orders/view",
            "report_day": "ui://orders/view",
            "report_week": "ui://reports/view",
            "other": None,
        },
        {"ui://orders/view", "ui://reports/view"},
    )


async def test_every_kind_of_page(connect: Connect, tmp_path: Path) -> None:
    """An address, a page function and an `AppResource` are pages."""
    (tmp_path / "p.html").write_text(HTML, encoding="utf-8")
    server = FastMCP("s")
    server.add_resource(orders_view)
    for name in ("a", "b", "c"):
        server.tool(echo, name=name)
    page = AppResource("ui://file/page", html=tmp_path / "p.html")
    attach_ui(server, {"a": "ui://orders/view", "b": reports_view, "c": page})
    assert await links(connect, server) == (
        {"a": "ui://orders/view", "b": "ui://reports/view", "c": "ui://file/page"},
        {"ui://orders/view", "ui://reports/view", "ui://file/page"},
    )


async def test_the_tools_own_page_goes_before(connect: Connect) -> None:
    """A tool with `@ui` keeps its page."""
    server = FastMCP("s")

    @server.tool
    @ui(orders_view)
    def own() -> dict[str, int]:
        return {}

    attach_ui(server, {"*": reports_view})
    tools, _ = await links(connect, server)
    assert tools == {"own": "ui://orders/view"}


async def test_openapi_tools(connect: Connect) -> None:
    """Tools made from an OpenAPI document get pages by their names."""
    spec = {
        "openapi": "3.0.0",
        "info": {"title": "Orders", "version": "1"},
        "paths": {
            "/orders": {
                "get": {
                    "operationId": "list_orders",
                    "responses": {"200": {"description": "ok"}},
                }
            }
        },
    }
    http = httpx2.AsyncClient(base_url="http://orders.invalid")
    server = FastMCP.from_openapi(spec, client=http, name="api")
    attach_ui(server, {"list_*": orders_view})
    assert await links(connect, server) == (
        {"list_orders": "ui://orders/view"},
        {"ui://orders/view"},
    )
    await http.aclose()


async def test_proxied_tools(connect: Connect) -> None:
    """Tools of a back end get pages on the proxy, by the names the proxy shows."""
    back = FastMCP("back")
    back.tool(echo, name="list_orders")
    proxy = create_proxy(back, name="front")
    attach_ui(proxy, {"list_orders": orders_view})
    assert await links(connect, proxy) == (
        {"list_orders": "ui://orders/view"},
        {"ui://orders/view"},
    )
    async with connect(proxy) as client:
        assert (await client.call_tool("list_orders")).data == {"a": 1}


async def test_mounted_and_renamed_tools(connect: Connect) -> None:
    """Names are those that the server lists: with namespaces and after transforms."""
    child, server = FastMCP("child"), FastMCP("s")
    child.tool(echo, name="list")
    server.mount(child, namespace="orders")
    server.tool(echo, name="old")
    server.add_transform(ToolTransform({"old": ToolTransformConfig(name="new")}))
    attach_ui(server, {"orders_list": orders_view, "new": orders_view})
    tools, pages = await links(connect, server)
    assert tools == {"orders_list": "ui://orders/view", "new": "ui://orders/view"}
    assert pages == {"ui://orders/view"}


async def test_one_server_only(connect: Connect) -> None:
    """Pages attached to one server do not appear on another that shares its tools."""
    provider = LocalProvider()
    provider.tool(echo)
    one, two = FastMCP("one", providers=[provider]), FastMCP("two", providers=[provider])
    attach_ui(one, {"echo": orders_view})
    for _ in range(2):
        assert await links(connect, one) == ({"echo": "ui://orders/view"}, {"ui://orders/view"})
        assert await links(connect, two) == ({"echo": None}, set())


async def test_before_and_after_the_tools(connect: Connect) -> None:
    """The order of `attach_ui` and of registering tools does not matter, also while serving."""
    server = FastMCP("s")
    server.tool(echo, name="a")
    async with connect(server) as client:
        assert (await client.list_tools())[0].meta.get("ui") is None
        attach_ui(server, {"a": orders_view, "b": orders_view})
        server.tool(echo, name="b")
        tools = await client.list_tools()
        assert [t.meta["ui"]["resourceUri"] for t in tools] == ["ui://orders/view"] * 2
        assert len(await client.list_resources()) == 1


async def test_a_pattern_without_a_tool() -> None:
    """A name or glob that matches nothing stops the start, and is named."""
    server = FastMCP("s")
    server.tool(echo)
    attach_ui(server, {"ecko": orders_view, "report_*": reports_view, "echo": orders_view})
    findings = (await audit(server)).errors
    assert [f.code for f in findings] == [Code.ATTACH_UNMATCHED] * 2
    assert [f.subject for f in findings] == ["attach_ui 'ecko'", "attach_ui 'report_*'"]
    assert "Did you mean `echo`?" in findings[0].problem
    assert "Did you mean" not in findings[1].problem
    assert all(f.place.startswith(f"{__file__}:") for f in findings)


@pytest.mark.parametrize("page", [3, None, echo, object(), FastMCP])
def test_no_page(page: Any) -> None:
    """What is no page is refused at once, with the pattern."""
    with pytest.raises(AppsTypeError, match="attach_ui 'echo'") as caught:
        attach_ui(FastMCP("s"), {"echo": page})
    assert caught.value.code == Code.UI_USAGE


def test_no_address() -> None:
    """An address that no host accepts is refused at once; nothing of the mapping is kept."""
    server = FastMCP("s")
    with pytest.raises(AppsValueError, match="attach_ui 'b'") as caught:
        attach_ui(server, {"a": orders_view, "b": "ui://x/{id}"})
    assert caught.value.code == Code.URI_INVALID
    attach_ui(server, {})
