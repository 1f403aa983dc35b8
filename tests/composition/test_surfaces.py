"""Search, code mode and resources as tools: what the model drives, and what stays the host's."""

from __future__ import annotations

import json

import pytest
from fastmcp import FastMCP
from fastmcp.server.transforms import Namespace, ResourcesAsTools
from fastmcp.server.transforms.search import BM25SearchTransform, RegexSearchTransform

SEARCHES = {
    "regex": (RegexSearchTransform, {"pattern": "."}),
    "bm25": (BM25SearchTransform, {"query": "show refresh work"}),
}


def shop(kit):
    """A server with a tool with page, an app-only one, and plain ones."""
    server = kit.team("crm")
    for number in range(3):
        kit.tool(server, f"work{number}", "crm", description="Does some work.")
    return server


@pytest.mark.parametrize("mounted", [False, True])
@pytest.mark.parametrize("search", SEARCHES)
async def test_tools_with_pages_stay_listed_beside_a_search(connect, kit, search, mounted):
    """The tool with a page and its helper are listed beside the search, links intact."""
    make, arguments = SEARCHES[search]
    server, prefix = shop(kit), ""
    if mounted:
        outer = FastMCP("outer")
        outer.mount(server, namespace="a")
        server, prefix = outer, "a_"
    server.add_transform(make())
    async with connect(server) as client:
        seen = await kit.look(client)
        assert set(seen.links) == {
            "search_tools",
            "call_tool",
            f"{prefix}show",
            f"{prefix}refresh",
        }
        assert seen.shows == {f"{prefix}show": "crm"}
        found = await client.call_tool("search_tools", arguments)
        text = json.dumps([block.text for block in found.content])
        assert f"{prefix}refresh" not in text
        assert f"{prefix}work1" in text
        called = await client.call_tool("call_tool", {"name": f"{prefix}work1", "arguments": {}})
        assert "crm" in called.content[0].text


async def test_a_search_on_a_mounted_server(connect, kit):
    """A child's search leaves its tools with pages on the parent's list."""
    child, server = shop(kit), FastMCP("root")
    child.add_transform(RegexSearchTransform())
    server.mount(child, namespace="a")
    async with connect(server) as client:
        seen = await kit.look(client)
    assert set(seen.links) == {"a_search_tools", "a_call_tool", "a_show", "a_refresh"}
    assert seen.shows == {"a_show": "crm"}


async def test_a_search_over_a_child_that_links_its_parents_page(connect, kit):
    """The link of a pinned tool to a page further out stays."""
    child, server = FastMCP("child"), kit.team("root")
    kit.tool(child, "open", "child", kit.view)
    server.mount(child, namespace="a")
    server.add_transform(RegexSearchTransform())
    async with connect(server) as client:
        assert (await kit.look(client)).shows == {"show": "root", "a_open": "root"}


async def test_code_mode(connect, kit):
    """Code mode lists its own tools and those with pages; its search never shows app-only ones."""
    pytest.importorskip("pydantic_monty", reason="needs fastmcp[code-mode]")
    from fastmcp.experimental.transforms.code_mode import CodeMode

    child, server = shop(kit), FastMCP("root")
    server.mount(child, namespace="a")
    server.add_transform(CodeMode())
    async with connect(server) as client:
        seen = await kit.look(client)
        assert seen.shows == {"a_show": "crm"}
        assert "a_refresh" in seen.links
        assert "a_work1" not in seen.links
        found = await client.call_tool("search", {"query": "refresh work show"})
        text = json.dumps([block.text for block in found.content])
        assert "a_refresh" not in text
        assert "a_work1" in text
        code = 'return await call_tool("a_work1", {})'
        assert "crm" in (await client.call_tool("execute", {"code": code})).content[0].text


@pytest.mark.parametrize("where", ["root", "child", "namespace"])
async def test_resources_as_tools_hand_out_no_pages(connect, kit, where):
    """`ResourcesAsTools` neither lists nor reads a page; other resources as before."""
    child, server = kit.team("crm"), FastMCP("root")
    child.resource("data://orders")(lambda: "orders")
    child.resource("ui://card/{number}")(_card)
    server.mount(child, namespace="a")
    target, prefix, path = server, "", "a/"
    if where == "child":
        target, prefix, path = child, "a_", ""
    target.add_transform(ResourcesAsTools(target))
    if where == "namespace":
        server.add_transform(Namespace("z"))
        prefix, path = "z_", "z/a/"
    async with connect(server) as client:
        listed = json.loads((await client.call_tool(f"{prefix}list_resources", {})).data)
        assert [each.get("uri") for each in listed] == [f"data://{path}orders"]
        orders = {"uri": f"data://{path}orders"}
        assert (await client.call_tool(f"{prefix}read_resource", orders)).data == "orders"
        for uri in (f"ui://{path}team/view", f"ui://{path}card/7"):
            answer = await client.call_tool(
                f"{prefix}read_resource", {"uri": uri}, raise_on_error=False
            )
            assert answer.is_error
            assert "<title>" not in str(answer.content)
        assert (await kit.look(client)).shows  # the host reads it all the same


def _card(number: str) -> str:
    return f"<title>{number}</title>"
