"""A server's list of providers, as FastMCP's users know it: our own stands for the server's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.providers import LocalProvider

from mcp_apps_plugin import ui

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def server(tmp_path: Path) -> FastMCP:
    """A server with a page, and another provider behind its own."""
    (tmp_path / "page.html").write_text("<p>one", encoding="utf-8")
    other = LocalProvider()
    other.tool(lambda: 2, name="two")
    made = FastMCP("s", providers=[other])
    made.tool(ui("ui://s/page", html=tmp_path / "page.html")(lambda: "1"), name="one")
    return made


async def listed(server: FastMCP, era: str) -> tuple[list[str], list[str]]:
    async with Client(server, mode="legacy" if era == "legacy" else "auto") as client:
        tools = [tool.name for tool in await client.list_tools()]
        return tools, [str(page.uri) for page in await client.list_resources()]


def test_a_servers_own_provider_is_found_in_its_list(server: FastMCP) -> None:
    """`in`, `index` and `count` know it, and no other one."""
    own = server.local_provider
    assert own in server.providers
    assert server.providers.index(own) == 0
    assert server.providers.count(own) == 1
    assert own in set(server.providers)
    first, second = server.providers
    assert first == first  # noqa: PLR0124  it has an equality of its own
    assert first != second
    assert first not in FastMCP("t").providers
    assert own not in FastMCP("t").providers
    assert LocalProvider() not in server.providers


async def test_a_servers_own_provider_can_be_removed(server: FastMCP, era: str) -> None:
    """Then its tools are gone, as in plain FastMCP, and its pages with them."""
    assert await listed(server, era) == (["one", "two"], ["ui://s/page"])
    server.providers.remove(server.local_provider)
    assert server.local_provider not in server.providers
    assert await listed(server, era) == (["two"], [])
    async with Client(server, mode="legacy" if era == "legacy" else "auto") as client:
        with pytest.raises(ToolError, match="Unknown tool"):
            await client.call_tool("one")
        assert (await client.call_tool("two")).content[0].text == "2"


@pytest.mark.parametrize("place", ["alone", "mounted"])
async def test_a_servers_own_provider_can_be_put_elsewhere(
    server: FastMCP, era: str, place: str
) -> None:
    """It comes last then, and its pages are served from there."""
    own = server.local_provider
    server.providers.remove(own)
    server.providers.append(own)
    root = server
    if place == "mounted":
        root = FastMCP("root")
        root.mount(server)
    assert await listed(root, era) == (["two", "one"], ["ui://s/page"])
    assert server.providers.index(own) == 1
    async with Client(root, mode="legacy" if era == "legacy" else "auto") as client:
        (item,) = await client.read_resource("ui://s/page")
        assert "<p>one" in item.text
