"""Addresses in results: the ones that the endpoint serves, wherever the tool was written."""

from __future__ import annotations

import pytest
from fastmcp import FastMCP
from fastmcp.server import create_proxy
from fastmcp.server.providers import LocalProvider
from fastmcp.server.transforms import Namespace, ToolTransform
from fastmcp.tools.base import ToolResult
from fastmcp.tools.tool_transform import ToolTransformConfig
from mcp_types import EmbeddedResource, ResourceLink, TextContent, TextResourceContents

OTHER = "file:///etc/hosts"


def result(uri: str) -> ToolResult:
    """Make a result that names a page in every way there is, beside other addresses."""
    return ToolResult(
        content=[
            TextContent(type="text", text=f"see {uri}"),
            ResourceLink(type="resource_link", name="page", uri=uri),
            ResourceLink(type="resource_link", name="file", uri=OTHER),
            EmbeddedResource(
                type="resource",
                resource=TextResourceContents(uri=uri, mime_type="text/html", text="<p>"),
            ),
            EmbeddedResource(
                type="resource", resource=TextResourceContents(uri=OTHER, text="hosts")
            ),
        ],
        structured_content={"mark": "crm"},
        meta={"ui": {"resourceUri": uri}, "ui/resourceUri": uri, "acme/key": uri},
    )


def add_tools(server, kit):
    """Add a page and tools that name it, and one that names nothing here."""
    server.add_resource(kit.page("crm"))
    server.tool(name="ask")(lambda: result(kit.view))
    server.tool(name="stray")(lambda: result("ui://nowhere/view"))


async def check(client, name, expected):
    """Call a tool and compare every address of its result."""
    answer = await client.call_tool(name, {})
    text, page, other, embedded, hosts = answer.content
    assert (str(page.uri), str(embedded.resource.uri)) == (expected, expected)
    assert (str(other.uri), str(hosts.resource.uri)) == (OTHER, OTHER)
    assert answer.meta["ui"] == {"resourceUri": expected}
    assert answer.meta["ui/resourceUri"] == expected
    assert answer.structured_content == {"mark": "crm"}
    assert embedded.resource.text == "<p>"
    if "nowhere" not in expected:
        assert "crm" in (await client.read_resource(expected))[0].text
        assert answer.meta["acme/key"] in text.text  # words and foreign keys stay as written


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
async def test_results_of_mounts(connect, kit, depth):
    """Every level maps the addresses of a result on."""
    server = FastMCP("crm")
    add_tools(server, kit)
    prefix, path = "", ""
    for level in range(depth):
        outer = FastMCP(f"outer{level}")
        outer.mount(server, namespace=f"n{level}")
        server, prefix, path = outer, f"n{level}_{prefix}", f"n{level}/{path}"
    async with connect(server) as client:
        await check(client, f"{prefix}ask", f"ui://{path}team/view")
        await check(client, f"{prefix}stray", "ui://nowhere/view")


@pytest.mark.parametrize("how", ["server", "provider", "rename", "bare", "proxy", "far"])
async def test_results_of_other_compositions(connect, kit, how):
    """A namespace on a server, on a provider, a renamed tool, a bare name, and proxies."""
    server, name, uri = FastMCP("root"), "a_ask", "ui://a/team/view"
    if how == "server":
        add_tools(server, kit)
        server.add_transform(Namespace("a"))
    elif how == "provider":
        provider = LocalProvider()
        add_tools(provider, kit)
        server.add_provider(provider, namespace="a")
    else:
        child = FastMCP("crm")
        add_tools(child, kit)
        kit.tool(child, "show", "crm", kit.view)
        if how in {"proxy", "far"}:
            child = create_proxy(child)
        if how == "far":
            child.add_transform(Namespace("b"))
            name, uri = "a_b_ask", "ui://a/b/team/view"
        server.mount(child, namespace="a")
    if how == "rename":
        server.add_transform(ToolTransform({"a_ask": ToolTransformConfig(name="question")}))
        name = "question"
    elif how == "bare":
        name = "ask"
    async with connect(server) as client:
        await check(client, name, uri)


async def test_results_of_two_mounts_of_one_server(connect, kit):
    """Each copy names its own page."""
    server, child = FastMCP("root"), FastMCP("crm")
    add_tools(child, kit)
    server.mount(child, namespace="a")
    server.mount(child, namespace="b")
    async with connect(server) as client:
        for name in "ab":
            await check(client, f"{name}_ask", f"ui://{name}/team/view")


async def test_a_result_that_names_the_parents_page(connect, kit):
    """A page of the parent is named as the parent serves it."""
    server, child = FastMCP("root"), FastMCP("child")
    server.add_resource(kit.page("crm"))
    child.tool(name="ask")(lambda: result(kit.view))
    server.mount(child, namespace="a")
    async with connect(server) as client:
        await check(client, "a_ask", kit.view)
