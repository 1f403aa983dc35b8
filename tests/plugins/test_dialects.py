"""The extra spellings some hosts read, and their life through mounts."""

from __future__ import annotations

import pytest
from fastmcp import Client, FastMCP

from mcp_apps_plugin import AppResource, AppsExtension, AppsValueError, claude_domain, ui
from mcp_apps_plugin.plugins import manager


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
