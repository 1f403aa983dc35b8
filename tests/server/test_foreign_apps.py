"""FastMCP's own apps: `app=` gets our emission, Prefab's and `FastMCPApp`'s are left alone."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from fastmcp import FastMCP, FastMCPApp
from fastmcp.apps import AppConfig
from fastmcp.resources import ResourceContent, ResourceResult, TextResource
from fastmcp.server.middleware import Middleware

from mcp_apps_plugin import audit

URI = "ui://w/page"
PREFAB = find_spec("prefab_ui") is not None
MIME = "text/html;profile=mcp-app"


async def test_tools_with_app(connect: Any) -> None:
    """A tool with `app=AppConfig(…)` is completed: the link as written, visibility explicit."""
    server = FastMCP("s")
    server.resource(URI)(lambda: "<!doctype html>")
    server.tool(app=AppConfig(resource_uri=URI))(show())
    server.tool(name="helper", app=AppConfig(visibility=["app"]))(show())
    async with connect(server) as client:
        tools = {tool.name: tool.meta["ui"] for tool in await client.list_tools()}
    assert tools == {
        "show": {"resourceUri": URI, "visibility": ["model", "app"]},
        "helper": {"visibility": ["app"]},
    }
    assert (await audit(server)).findings == ()


def show() -> Any:
    def show() -> dict[str, int]:
        return {}

    return show


async def test_meta_that_is_no_object(connect: Any) -> None:
    """A `_meta.ui` that is no object is passed as it is, and named."""
    server = FastMCP("s")
    server.tool(meta={"ui": "yes"})(show())
    async with connect(server) as client:
        (tool,) = await client.list_tools()
    assert tool.meta["ui"] == "yes"
    (finding,) = (await audit(server)).findings
    assert finding.code == "meta-invalid"


async def test_app_true(connect: Any) -> None:
    """Prefab makes `app=True` a page, and nothing is wrong; without it, the package is named."""
    server = FastMCP("s")
    server.tool(app=True)(show())
    async with connect(server) as client:
        (tool,) = await client.list_tools()
    findings = (await audit(server)).findings
    if PREFAB:
        assert tool.meta["ui"]["resourceUri"].startswith("ui://prefab/")
        assert findings == ()
    else:
        assert [f.code for f in findings] == ["meta-invalid"]
        assert "`prefab-ui`" in str(findings[0])


class ServesPages(Middleware):
    """Answers the read of a page that nothing lists."""

    async def on_read_resource(self, context: Any, call_next: Any) -> Any:
        """Look at the address."""
        if str(context.message.uri) == URI:
            return ResourceResult([ResourceContent("<p>", mime_type=MIME)])
        return await call_next(context)


def words_of(name: str) -> str:
    assert name == "page"
    return "words"


async def test_a_page_that_a_middleware_serves(connect: Any) -> None:
    """Nothing lists it, so nobody can say that the link to it leads nowhere."""
    server, child = FastMCP("s", middleware=[ServesPages()]), FastMCP("child")
    for each in (server, child):
        each.tool(app=AppConfig(resource_uri=URI))(show())
    server.mount(child, namespace="child")
    assert (await audit(server)).findings == ()
    async with connect(server) as client:
        links = [tool.meta["ui"]["resourceUri"] for tool in await client.list_tools()]
        (item,) = await client.read_resource(URI)
    assert links == [URI, URI]
    assert (item.text, item.mime_type) == ("<p>", MIME)


@pytest.mark.parametrize("how", ["function", "template", "text"])
async def test_a_mime_type_that_was_written(connect: Any, how: str) -> None:
    """`text/plain` is kept where an author wrote it, and named; as a default it is a page's."""
    server = FastMCP("s", on_duplicate="ignore")
    match how:
        case "function":
            server.resource(URI, mime_type="text/plain")(lambda: "words")
            server.resource(f"{URI}/2")(lambda: "words")
        case "template":
            server.resource("ui://w/{name}", name="a", mime_type="text/plain")(words_of)
            server.resource("ui://w/{name}/2", name="b")(words_of)
        case _:
            server.add_resource(TextResource(uri=URI, text="words", mime_type="text/plain"))
            server.add_resource(TextResource(uri=f"{URI}/2", text="words"))
    found = [finding.code for finding in (await audit(server)).findings]
    async with connect(server) as client:
        ((kept,), (page,)) = [await client.read_resource(uri) for uri in (URI, f"{URI}/2")]
    assert (kept.text, kept.mime_type) == ("words", "text/plain")
    assert page.mime_type == MIME
    assert page.text.startswith("<!doctype html>")
    assert found == ["page-mime"]


SNAPSHOT = """
import asyncio, json, sys
from fastmcp import Client, FastMCP, FastMCPApp
{imported}
app = FastMCPApp("Dashboard")

@app.ui()
def dashboard() -> dict: return {{"a": 1}}

@app.tool()
def save(name: str) -> str: return name

server = FastMCP("s")
server.add_provider(app)

async def main():
    async with Client(server) as client:
        tools = [t.model_dump(by_alias=True, mode="json") for t in await client.list_tools()]
        resources = [
            r.model_dump(by_alias=True, mode="json") for r in await client.list_resources()]
        reads = [repr(await client.read_resource(r["uri"]))[:2000] for r in resources]
        call = repr(await client.call_tool("dashboard", raise_on_error=False))
        return [tools, resources, reads, call]
print(json.dumps(asyncio.run(main())))
"""


def test_fastmcpapp_is_left_alone(run_python: Any) -> None:
    """Tools and pages of a `FastMCPApp` are the same with and without this package."""
    env = {"FASTMCP_LOG_LEVEL": "CRITICAL"}
    without = run_python(SNAPSHOT.format(imported=""), env=env, warnings="ignore")
    code = SNAPSHOT.format(imported="import mcp_apps_plugin")
    with_us = run_python(code, env=env, warnings="ignore")
    assert with_us == without
    assert any("ui" in (tool["_meta"] or {}) for tool in without[0])


async def test_prefab_pages_are_left_alone(connect: Any) -> None:
    """A page under Prefab's own address keeps its MIME type and its `_meta`."""
    server = FastMCP("s")
    server.resource("ui://prefab/renderer.html", mime_type=MIME)(lambda: "<p>")
    server.tool(meta={"ui": {"resourceUri": "ui://prefab/renderer.html"}})(show())
    async with connect(server) as client:
        listed = {str(each.uri): each for each in await client.list_resources()}
        (tool,) = await client.list_tools()
        (item,) = await client.read_resource("ui://prefab/renderer.html")
    assert "ui" not in (listed["ui://prefab/renderer.html"].meta or {})
    assert tool.meta["ui"].keys() == {"resourceUri"}
    # FastMCP before 4.2 gives each of these tools an address of its own.
    assert tool.meta["ui"]["resourceUri"].startswith("ui://prefab/")
    assert item.text == "<p>"


@pytest.mark.parametrize("make", [FastMCPApp])
def test_the_class_exists(make: Any) -> None:
    """What the tests above rest on is part of this FastMCP."""
    assert make("x")
