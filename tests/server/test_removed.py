"""Tools that come and go: their pages go with them."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP

from mcp_apps_plugin import ui
from mcp_apps_plugin.server.pages import FilePage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]


def kept(uri: str) -> int:
    """Count the pages in memory whose address starts so."""
    gc.collect()
    pages = [each for each in gc.get_objects() if type(each) is FilePage]
    return sum(str(page.uri).startswith(uri) for page in pages)


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("mounted", [False, True])
async def test_pages_of_removed_tools(
    connect: Connect, era: str, tmp_path: Path, *, mounted: bool, versioned: bool
) -> None:
    """What is declared no more is kept no more, and the rest is served as before."""
    file = tmp_path / "page.html"
    file.write_text("<!doctype html><title>A</title>", encoding="utf-8")
    place = f"ui://removed/{era}/{mounted}/{versioned}"
    server: FastMCP[Any] = FastMCP("s")
    root = server
    if mounted:
        root = FastMCP("root")
        root.mount(server)

    def add(name: str) -> None:
        def show() -> str:
            return "shown"

        server.tool(name=name)(ui(f"{place}/{name}", html=file, versioned=versioned)(show))

    add("stays")
    async with connect(root) as client:
        for number in range(20):
            add(f"tool{number}")
            assert len(await client.list_resources()) == 2
            assert len(await client.list_tools()) == 2
            server.local_provider.remove_tool(f"tool{number}")
        (page,) = await client.list_resources()
        await client.list_tools()
        assert kept(place) == 1 + versioned  # and its copy with the hash
        (item,) = await client.read_resource(page.uri)
        assert "<title>A</title>" in item.text
    (attachment,) = [each for each in (vars(server).get("_mcp_apps_attachment"),) if each]
    assert len(attachment.versions._known) == int(versioned)
