"""The extra spellings some hosts read, and their life through mounts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.tools import Tool

from mcp_apps_plugin import AppResource, AppsExtension, AppsValueError, claude_domain, ui
from mcp_apps_plugin.plugins import manager

if TYPE_CHECKING:
    from collections.abc import Callable


def _server(extension: AppsExtension | None = None) -> FastMCP:
    server = FastMCP("Orders")
    if extension is not None:
        server.add_extension(extension)
    page = AppResource("ui://orders/list", html="../server/page.html")

    @server.tool
    @ui(page)
    def orders() -> dict[str, int]:
        return {"count": 1}

    @server.tool
    @ui(visibility="app")
    def refresh() -> dict[str, int]:
        return {"count": 2}

    return server


async def _listed(server: FastMCP, mode: str) -> dict[str, dict]:
    async with Client(server, mode=mode) as client:
        return {tool.name: tool.meta for tool in await client.list_tools()}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_no_dialect_unless_asked_for(mode: str) -> None:
    """A tool is listed with the standard keys alone."""
    listed = await _listed(_server(), mode)
    assert listed["orders"].keys() == {"ui", "fastmcp"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_dialects_follow_a_mount(mode: str) -> None:
    """Below a namespace every spelling of the link is rewritten, in either era."""
    root = FastMCP("Root")
    root.mount(_server(AppsExtension(dialects=("flat", "openai"))), namespace="shop")
    listed = await _listed(root, mode)
    assert listed["shop_orders"] == {
        "ui": {"resourceUri": "ui://shop/orders/list", "visibility": ["model", "app"]},
        "ui/resourceUri": "ui://shop/orders/list",
        "openai/outputTemplate": "ui://shop/orders/list",
        "openai/widgetAccessible": True,
        "fastmcp": {"tags": []},
    }
    assert listed["shop_refresh"] == {
        "ui": {"visibility": ["app"]},
        "openai/widgetAccessible": True,
        "openai/visibility": "private",
        "fastmcp": {"tags": []},
    }


def _mounted(root: FastMCP[Any]) -> None:
    root.mount(_server())


def _namespaced(root: FastMCP[Any]) -> None:
    root.mount(_server(), namespace="a")


def _twice(root: FastMCP[Any]) -> None:
    shared = _server()
    root.mount(shared, namespace="a")
    root.mount(shared, namespace="b")


def _nested(root: FastMCP[Any]) -> None:
    middle: FastMCP[Any] = FastMCP("Middle")
    middle.mount(_server(), namespace="b")
    root.mount(middle, namespace="a")


def _proxied(root: FastMCP[Any]) -> None:
    root.mount(create_proxy(_server()), namespace="a")


def _cached(root: FastMCP[Any]) -> None:
    root.mount(_server(), namespace="a")
    root.add_middleware(ResponseCachingMiddleware())


def _spelled(meta: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in meta.items() if key not in ("ui", "fastmcp")}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("put", [_mounted, _namespaced, _twice, _nested, _proxied, _cached])
async def test_the_server_that_is_asked_decides(
    put: Callable[[FastMCP[Any]], None], mode: str
) -> None:
    """Its dialects hold for its own tools and for all that it passes on, on every list."""
    root = _server(AppsExtension(dialects=("flat", "openai")))
    root.local_provider.remove_tool("refresh")
    put(root)
    async with Client(root, mode=mode) as client:
        lists = [await client.list_tools() for _ in range(3)]
    for tools in lists:
        assert any("refresh" in tool.name for tool in tools)
        for tool in tools:
            link = tool.meta["ui"].get("resourceUri")
            if tool.name.endswith("refresh"):
                assert link is None
                hidden = {"openai/widgetAccessible": True, "openai/visibility": "private"}
                assert _spelled(tool.meta) == hidden
                continue
            assert link.endswith("orders/list")
            assert _spelled(tool.meta) == {
                "ui/resourceUri": link,
                "openai/outputTemplate": link,
                "openai/widgetAccessible": True,
            }


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_server_between_decides_where_it_is_the_endpoint(mode: str) -> None:
    """Its own tools keep what it wrote; what it passes on is for the outermost to spell."""
    middle = _server(AppsExtension(dialects=("flat",)))
    middle.mount(_server(AppsExtension(dialects=("openai",))), namespace="b")
    root: FastMCP[Any] = FastMCP("Root")
    root.mount(middle, namespace="a")
    flat, openai = {"ui/resourceUri"}, {"openai/outputTemplate", "openai/widgetAccessible"}
    for _ in range(2):
        listed = await _listed(root, mode)
        assert _spelled(listed["a_orders"]).keys() == flat
        assert _spelled(listed["a_b_orders"]).keys() == openai
        listed = await _listed(middle, mode)
        assert _spelled(listed["orders"]).keys() == flat
        assert _spelled(listed["b_orders"]).keys() == flat | openai


async def test_nobody_elses_list_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parent's keys stay in its own list, and keys that an author wrote stay as they are."""
    child = _server()
    child.tool(lambda: "x", name="plain")
    child.tool(lambda: "x", name="written", meta={"ui": {}, "openai/visibility": "public"})
    before = await _listed(child, "auto")
    root: FastMCP[Any] = FastMCP("Root")
    root.add_extension(AppsExtension(dialects=("flat", "openai")))
    root.mount(child)
    made = Tool.from_tool(await root.get_tool("orders"), name="made")
    root.add_tool(made)
    listed = await _listed(root, "auto")
    assert _spelled(listed["plain"]) == {}
    assert listed["written"]["openai/visibility"] == "public"
    assert _spelled(listed["made"]) == _spelled(listed["orders"]) != {}
    assert await _listed(child, "auto") == before
    silent: FastMCP[Any] = FastMCP("Silent")
    silent.add_extension(AppsExtension(dialects=()))
    silent.mount(child)
    assert await _listed(silent, "auto") == before
    monkeypatch.setenv("MCP_APPS_DIALECTS", "flat")
    front: FastMCP[Any] = FastMCP("Front")
    front.mount(create_proxy(child))
    assert _spelled((await _listed(front, "auto"))["refresh"]) == {}
    assert _spelled((await _listed(front, "auto"))["orders"]).keys() == {"ui/resourceUri"}


async def test_the_environment_asks_for_every_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """`MCP_APPS_DIALECTS` holds where a server says nothing, and `dialects=()` says none."""
    monkeypatch.setenv("MCP_APPS_DIALECTS", "flat")
    assert "ui/resourceUri" in (await _listed(_server(), "auto"))["orders"]
    silent = await _listed(_server(AppsExtension(dialects=())), "auto")
    assert "ui/resourceUri" not in silent["orders"]


def test_unknown_dialects_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A typo is refused where it is written."""
    with pytest.raises(AppsValueError, match="has 'opnai', which is not known"):
        AppsExtension(dialects=("opnai",))
    monkeypatch.setenv("MCP_APPS_DIALECTS", "flat opnai")
    with pytest.raises(AppsValueError, match="`opnai` is none of flat, openai"):
        manager.read_settings()


def test_the_domain_claude_gives_a_server() -> None:
    """It is made of the exact URL: 32 hexadecimal digits of its SHA-256."""
    assert (
        claude_domain("https://example.com/mcp")
        == "c3d80a4ed901ee05b21755a88273b4a4.claudemcpcontent.com"
    )
    assert claude_domain("https://example.com/mcp") != claude_domain("https://example.com/mcp/")
