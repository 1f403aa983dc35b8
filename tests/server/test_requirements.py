"""What core MCP demands of every answer holds for those that this package has a hand in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from fastmcp import FastMCP
from mcp import MCPError

from mcp_apps_plugin import app_resource, ui

if TYPE_CHECKING:
    from collections.abc import Callable

MODERN = "2026-07-28"
APPS = "io.modelcontextprotocol/ui"
MIME = "text/html;profile=mcp-app"
CACHED = ["server/discover", "tools/list", "resources/list", "resources/templates/list"]
META = "io.modelcontextprotocol"


@app_resource("ui://weather/page")
def page() -> str:
    return "<!doctype html><title>Weather</title>"


def make_server() -> FastMCP[Any]:
    """Make a server with two tools that show a page, and one for the page alone."""
    server: FastMCP[Any] = FastMCP("weather")

    @server.tool
    @ui(page, text="{city}", fallback="{city}, in words")
    def today(city: str = "Oslo") -> dict[str, str]:
        return {"city": city}

    @server.tool
    @ui(page)
    def again() -> dict[str, str]:
        return {"city": "Rome"}

    @server.tool
    @ui(visibility="app")
    def refresh() -> dict[str, str]:
        return {"city": "Oslo"}

    return server


async def test_every_result_says_its_type_and_how_long_it_may_be_kept(wire: Callable[..., Any]):
    """`resultType` on all of them; `ttlMs` and `cacheScope` on lists, reads and `discover`."""
    async with wire(make_server()) as raw:
        results = {method: (await raw.send(method))["result"] for method in CACHED}
        results["resources/read"] = (await raw.send("resources/read", uri="ui://weather/page"))[
            "result"
        ]
        called = (await raw.send("tools/call", name="today", arguments={}))["result"]
    assert {method: result["resultType"] for method, result in results.items()} == dict.fromkeys(
        [*CACHED, "resources/read"], "complete"
    )
    assert called["resultType"] == "complete"
    assert all(result["ttlMs"] >= 0 for result in results.values())
    assert {result["cacheScope"] for result in results.values()} <= {"public", "private"}
    assert MODERN in results["server/discover"]["supportedVersions"]


@pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities"])
async def test_a_request_that_does_not_say_who_asks_is_refused(missing: str):
    """Nothing is remembered that could stand in for it."""
    app = make_server().http_app(json_response=True)
    said = {f"{META}/protocolVersion": MODERN, f"{META}/clientCapabilities": {}}
    del said[f"{META}/{missing}"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": said}}
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": "tools/list",
    }
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1:8000"
        ) as http,
    ):
        answer = await http.post("/mcp", json=message, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32602


async def test_lists_are_the_same_for_every_client_and_in_the_same_order(
    wire: Callable[..., Any],
):
    """Whatever it declares, and whatever was asked before; tools as they were registered."""
    server = make_server()
    seen = []
    for settings in ({}, {APPS: {"mimeTypes": [MIME]}}, {APPS: {"mimeTypes": ["text/html"]}}):
        async with wire(server, capabilities={"extensions": settings}) as raw:
            for _ in range(2):
                seen.append(
                    [(await raw.send(each))["result"] for each in ("tools/list", "resources/list")]
                )
                await raw.send("tools/call", name="today", arguments={})
                await raw.send("resources/read", uri="ui://weather/page")
    assert all(lists == seen[0] for lists in seen)
    assert [tool["name"] for tool in seen[0][0]["tools"]] == ["today", "again", "refresh"]


@pytest.mark.parametrize("depth", [0, 1])
async def test_a_page_that_is_not_there_is_an_error(connect: Callable[..., Any], depth: int):
    """One that never was, and one that was switched off: no empty list of contents."""
    child = make_server()
    server, uri = child, "ui://weather/page"
    if depth:
        server, uri = FastMCP("outer"), "ui://inner/weather/page"
        server.mount(child, namespace="inner")
    async with connect(server) as client:
        assert len((await client.read_resource_mcp(uri)).contents) == 1
        child.disable(components={"resource"})
        for missing in (uri, "ui://weather/nowhere"):
            with pytest.raises(MCPError) as raised:
                await client.read_resource_mcp(missing)
            assert raised.value.code == -32602


async def test_results_fit_the_output_schema(wire: Callable[..., Any]):
    """Words for the model change nothing about the data."""
    async with wire(make_server()) as raw:
        tools = (await raw.send("tools/list"))["result"]["tools"]
        called = (await raw.send("tools/call", name="today", arguments={}))["result"]
    assert tools[0]["outputSchema"]["type"] == "object"
    assert called["structuredContent"] == {"city": "Oslo"}
    assert [block["text"] for block in called["content"]] == ["Oslo, in words"]
