"""The main path over real transports: a process on stdio, and a socket on the loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

URI = "ui://weather/dashboard"
MIME = "text/html;profile=mcp-app"
SERVER = """
import sys
from fastmcp import FastMCP
from mcp_apps_plugin import call_id, supports_apps, ui

mcp = FastMCP("Weather")

@mcp.tool
@ui("ui://weather/dashboard", html="dashboard.html", text="{city}: {high} °C",
    csp={"connect_domains": ["https://api.weather.example"]})
def get_weather(city: str) -> dict[str, object]:
    return {"city": city, "high": 21, "id": call_id(), "supports": supports_apps().name}

@mcp.tool
@ui(visibility="app")
def refresh(city: str) -> dict[str, str]:
    return {"city": city}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        mcp.run("http", port=int(sys.argv[1]), stateless_http=len(sys.argv) > 2, show_banner=False)
    else:
        mcp.run(show_banner=False)
"""
PAGE = """<!doctype html><title>Wëather</title><h1 id="t"></h1>
<script src="mcp-app.js"></script>
<script>const app = new McpApp.App({ name: "weather", version: "1.0" }); app.connect();</script>
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A server and its page, as an author writes them."""
    folder = tmp_path_factory.mktemp("weather")
    (folder / "server.py").write_text(textwrap.dedent(SERVER), encoding="utf-8")
    (folder / "dashboard.html").write_text(PAGE, encoding="utf-8")
    return folder / "server.py"


ENVIRONMENT = {**os.environ, "FASTMCP_LOG_LEVEL": "ERROR", "PYTHONUTF8": "1"}


@pytest.fixture(scope="module", params=["stateful", "stateless"])
def url(request: pytest.FixtureRequest, program: Path) -> Iterator[str]:
    """The server on a port of the loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = [str(port), *(["stateless"] if request.param == "stateless" else [])]
    with subprocess.Popen([sys.executable, str(program), *options], env=ENVIRONMENT) as process:
        try:
            for _ in range(300):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


async def main_job(client: Client[Any]) -> dict[str, Any]:
    async with client:
        tools = {tool.name: tool.meta["ui"] for tool in await client.list_tools()}
        assert tools == {
            "get_weather": {"resourceUri": URI, "visibility": ["model", "app"]},
            "refresh": {"visibility": ["app"]},
        }
        (listed,) = await client.list_resources()
        (item,) = await client.read_resource(URI)
        result = await client.call_tool("get_weather", {"city": "Zürich"})
    expected = {
        "csp": {
            "connectDomains": ["https://api.weather.example"],
            "resourceDomains": [],
            "frameDomains": [],
            "baseUriDomains": [],
        }
    }
    assert (str(listed.uri), listed.name, listed.mime_type) == (URI, "Dashboard", MIME)
    assert (str(item.uri), item.mime_type) == (URI, MIME)
    assert listed.meta["ui"] == item.meta["ui"] == expected
    assert "<title>Wëather</title>" in item.text
    assert "McpApp" in item.text
    assert "<script src=" not in item.text
    assert [block.text for block in result.content] == ["Zürich: 21 °C"]
    return result.structured_content


async def test_stdio(program: Path, era: str) -> None:
    """Listed, called and read over stdio, in both eras."""
    transport = StdioTransport(sys.executable, [str(program)], env=ENVIRONMENT, keep_alive=False)
    data = await main_job(Client(transport, mode="legacy" if era == "legacy" else "auto"))
    assert isinstance(data["id"], int)
    assert data["supports"] == "NO"


async def test_streamable_http(url: str, era: str, request: pytest.FixtureRequest) -> None:
    """Listed, called and read over streamable HTTP, stateful and stateless, in both eras."""
    data = await main_job(Client(url, mode="legacy" if era == "legacy" else "auto"))
    assert isinstance(data["id"], int)
    stateless = "stateless" in request.node.name
    assert data["supports"] == ("UNKNOWN" if stateless and era == "legacy" else "NO")
