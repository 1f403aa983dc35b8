"""Showing and hiding by tag: a tool and the page it brings go together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP
from fastmcp.apps import AppConfig

from mcp_apps_plugin import AppResource, app_resource, attach_ui, audit, elicits, ui

if TYPE_CHECKING:
    from pathlib import Path

URI = "ui://a/page"


def tool_of() -> Any:
    def show() -> dict[str, int]:
        return {}

    return show


@pytest.fixture
def html(tmp_path: Path) -> Path:
    (tmp_path / "page.html").write_text("<!doctype html><title>P</title>", encoding="utf-8")
    return tmp_path / "page.html"


def brought(server: FastMCP[Any], how: str, html: Path, name: str, tags: set[str]) -> None:
    """Add a tool that brings the page."""

    def page() -> str:
        return "<!doctype html>"

    if how == "file":
        server.tool(ui(URI, html=html)(tool_of()), name=name, tags=tags)
    elif how == "versioned":
        made = AppResource(URI, html=html, versioned=True)
        server.tool(ui(made)(tool_of()), name=name, tags=tags)
    elif how == "function":
        server.tool(ui(app_resource(URI)(page))(tool_of()), name=name, tags=tags)
    elif how == "asked with":
        asks = elicits(AppResource(URI, html=html))(tool_of())
        server.tool(asks, name=name, tags=tags)
    else:
        server.tool(tool_of(), name=name, tags=tags)
        attach_ui(server, {name: AppResource(URI, html=html)})


HOWS = ["file", "versioned", "function", "attached", "asked with"]
LINKING = HOWS[:-1]


async def seen(client: Any) -> tuple[dict[str, str | None], list[str]]:
    """Return the tools with their links, and the pages, that can be read."""
    tools = {
        tool.name: ((tool.meta or {}).get("ui") or {}).get("resourceUri", "").split("?")[0]
        for tool in await client.list_tools()
    }
    pages = [str(page.uri) for page in await client.list_resources()]
    for page in pages:
        assert await client.read_resource(page)
    return tools, [page.split("?")[0] for page in pages]


async def refused(client: Any) -> bool:
    """Tell whether the page cannot be read."""
    try:
        await client.read_resource(URI)
    except Exception as error:  # noqa: BLE001  of either era
        return "not found" in str(error).lower() or "unknown" in str(error).lower()
    return False


@pytest.mark.parametrize("mounted", [False, True])
@pytest.mark.parametrize("how", HOWS)
async def test_a_list_of_allowed_tags(connect: Any, html: Path, how: str, *, mounted: bool) -> None:
    """What the tool is, its page is: listed, linked and read, and no finding."""
    server = FastMCP("s")
    brought(server, how, html, "show", {"public", "maps"})
    server.tool(tool_of(), name="internal")
    server.enable(tags={"public"}, only=True)
    whole = server
    if mounted:
        whole = FastMCP("front")
        whole.mount(server)
    assert (await audit(whole)).findings == ()
    async with connect(whole) as client:
        link = URI if how in LINKING else ""
        assert await seen(client) == ({"show": link}, [URI])


@pytest.mark.parametrize("how", HOWS)
async def test_a_tag_that_is_switched_off(connect: Any, html: Path, how: str) -> None:
    """A hidden tool's page is neither listed nor read."""
    server = FastMCP("s")
    brought(server, how, html, "show", {"beta"})
    server.tool(tool_of(), name="other")
    server.disable(tags={"beta"})
    async with connect(server) as client:
        assert await seen(client) == ({"other": ""}, [])
        assert await refused(client)
    server.enable(tags={"beta"})
    async with connect(server) as client:
        assert (await seen(client))[1] == [URI]


async def test_tools_that_share_a_page(connect: Any, html: Path) -> None:
    """The page has what all its tools have in common; a later tool counts from then on."""
    server = FastMCP("s")
    page = AppResource(URI, html=html)
    server.tool(ui(page)(tool_of()), name="one", tags={"public", "beta"})
    server.tool(ui(page)(tool_of()), name="two", tags={"public"})
    server.disable(tags={"beta"})
    async with connect(server) as client:
        assert await seen(client) == ({"two": URI}, [URI])
        (listed,) = await client.list_resources()
        assert listed.meta["fastmcp"]["tags"] == ["public"]
        server.disable(tags={"public"})
        assert await seen(client) == ({}, [])
        assert await refused(client)
        server.tool(ui(URI)(tool_of()), name="three")
        assert await client.read_resource(URI)
        assert await seen(client) == ({"three": URI}, [URI])
        server.local_provider.remove_tool("three")
        assert await refused(client)
        server.tool(app=AppConfig(resource_uri=URI), name="four")(tool_of())
        assert await seen(client) == ({"four": URI}, [URI])


@pytest.mark.parametrize("how", ["resource", "add_resource"])
async def test_a_registered_page_keeps_its_own(connect: Any, how: str) -> None:
    """What an author registered has the tags that its author gave it."""

    def page() -> str:
        return "<!doctype html>"

    server = FastMCP("s")
    if how == "resource":
        server.resource(URI)(app_resource(page))
    else:
        server.add_resource(app_resource(URI)(page))
    server.tool(ui(page)(tool_of()), name="show", tags={"beta"})
    server.disable(tags={"beta"})
    async with connect(server) as client:
        assert await seen(client) == ({}, [URI])


async def test_names(connect: Any, html: Path) -> None:
    """`names=` takes a page by its address, beside the name of its tool."""
    server = FastMCP("s")
    server.tool(ui(URI, html=html)(tool_of()), name="show")
    server.enable(names={"show", URI}, only=True)
    async with connect(server) as client:
        assert await seen(client) == ({"show": URI}, [URI])


async def test_without_tags_nothing_is_said_of_any(connect: Any, html: Path) -> None:
    """A page of tools without tags has none, and says nothing of them that it did not say."""
    server = FastMCP("s")
    server.tool(ui(URI, html=html)(tool_of()), name="show")
    server.tool(tool_of(), name="other", tags={"beta"})
    async with connect(server) as client:
        (listed,) = await client.list_resources()
        assert listed.meta["fastmcp"] == {"tags": []}
