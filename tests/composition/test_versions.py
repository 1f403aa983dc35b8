"""Versioned pages below mounts and behind proxies: one hash, whoever passes it on."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
from fastmcp.server.transforms import Namespace
from fastmcp.tools.base import ToolResult
from mcp_types import ResourceLink

from mcp_apps_plugin import AppResource, AppsExtension, app_resource, attach_ui, audit, ui
from mcp_apps_plugin.checks.run import check_server
from mcp_apps_plugin.testing import assert_app_contract

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Connect = Callable[..., Client[Any]]

LINK = "ui://weather/dashboard"
STALE = "?v=0123456789abcdef"
SCRIPT = (
    "<!doctype html><title>W</title><p>{text}</p><script src='mcp-app.js'></script>"
    "<script>const app = new McpApp.App({{ name: 'w', version: '1' }}); app.connect()</script>"
)


@pytest.fixture
def html(tmp_path: Path) -> Path:
    """A page that is a file."""
    file = tmp_path / "page.html"
    write(file, "one")
    return file


def write(file: Path, text: str) -> None:
    file.write_text(SCRIPT.format(text=text), encoding="utf-8")


def make_weather(html: Path) -> FastMCP[Any]:
    """One team's server: a file and a function, both versioned, and a result with an address."""
    server: FastMCP[Any] = FastMCP("Weather")

    @server.tool
    @ui(LINK, html=html, versioned=True, text="{city}")
    def get_weather(city: str = "Oslo") -> dict[str, str]:
        return {"city": city}

    @server.resource("ui://weather/map")
    @app_resource(versioned=True)
    def weather_map() -> str:
        return html.read_text(encoding="utf-8")

    @server.tool
    @ui(weather_map, text="{city}")
    def show_map(city: str = "Oslo") -> dict[str, str]:
        return {"city": city}

    @server.tool
    def where() -> ToolResult:
        return ToolResult([ResourceLink(type="resource_link", uri=LINK, name="w")])

    return server


async def look(client: Client[Any]) -> dict[str, str]:
    """Return the links by tool; every one is listed, and reads with any hash and with none."""
    listed = {str(resource.uri) for resource in await client.list_resources()}
    links: dict[str, str] = {}
    for tool in await client.list_tools():
        uri = ((tool.meta or {}).get("ui") or {}).get("resourceUri")
        if uri is None:
            continue
        links[tool.name] = uri
        assert uri in listed, (uri, listed)
        base, version = uri.split("?")
        assert re.fullmatch("v=[0-9a-f]{16}", version)
        texts = set()
        for address in (uri, base, base + STALE):
            (item,) = await client.read_resource(address)
            assert str(item.uri) == address
            texts.add(item.text)
        assert len(texts) == 1
        assert "<p>one</p>" in texts.pop()
    return links


def hash_of(uri: str) -> str:
    return uri.partition("?v=")[2]


@pytest.fixture(
    params=["mount", "namespace", "two namespaces", "on the server", "proxy", "proxy of a mount"]
)
def composed(request: pytest.FixtureRequest, html: Path) -> tuple[FastMCP[Any], str, str]:
    """A server in front of the weather server, the address there, and the tools' prefix."""
    weather = make_weather(html)
    outer: FastMCP[Any] = FastMCP("Outer")
    match request.param:
        case "mount":
            outer.mount(weather)
            return outer, LINK, ""
        case "namespace":
            outer.mount(weather, namespace="team")
            return outer, "ui://team/weather/dashboard", "team_"
        case "two namespaces":
            middle: FastMCP[Any] = FastMCP("Middle")
            middle.mount(weather, namespace="inner")
            outer.mount(middle, namespace="outer")
            return outer, "ui://outer/inner/weather/dashboard", "outer_inner_"
        case "on the server":
            weather.add_transform(Namespace("own"))
            return weather, "ui://own/weather/dashboard", "own_"
        case "proxy":
            return create_proxy(weather), LINK, ""
        case _:
            outer.mount(weather, namespace="team")
            front: FastMCP[Any] = FastMCP("Front")
            front.mount(create_proxy(outer), namespace="front")
            return front, "ui://front/team/weather/dashboard", "front_team_"


async def test_the_hash_is_the_same_in_front(
    composed: tuple[FastMCP[Any], str, str], html: Path, connect: Connect
) -> None:
    """Its own server and the one in front list one hash; links, lists, reads, results agree."""
    server, address, prefix = composed
    async with Client(make_weather(html)) as client:
        alone = await look(client)
    async with connect(server) as client:
        for _ in range(2):
            links = await look(client)
            assert links[f"{prefix}get_weather"] == f"{address}?v={hash_of(alone['get_weather'])}"
            assert hash_of(links[f"{prefix}show_map"]) == hash_of(alone["show_map"])
        result = await client.call_tool(f"{prefix}where")
        assert str(result.content[0].uri) == links[f"{prefix}get_weather"]
        write(html, "two")
        assert await look(client) == links  # made once, at the start


async def test_checks_have_nothing_to_say(composed: tuple[FastMCP[Any], str, str]) -> None:
    """The audit, `mcp-apps check` and the contract know versioned addresses."""
    server, _, prefix = composed
    assert (await audit(server)).findings == ()
    report = await check_server(server)
    assert report.findings == (), report
    assert report.pages == 2
    await assert_app_contract(server, arguments={f"{prefix}where": {}})


async def test_links_to_what_is_mounted(html: Path, connect: Connect) -> None:
    """A server's own tool that names a mounted server's page gets its hash, and the reverse."""
    weather = make_weather(html)
    outer: FastMCP[Any] = FastMCP("Outer")
    outer.mount(weather, namespace="team")
    outer.tool(ui("ui://team/weather/dashboard")(lambda: "a"), name="down")
    outer.tool(lambda: "a", name="attached")
    attach_ui(outer, {"attached": "ui://team/weather/dashboard"})
    shared = AppResource("ui://shared/frame", html=html, versioned=True)
    outer.tool(ui(shared)(lambda: "a"), name="own")
    weather.tool(ui("ui://shared/frame")(lambda: "a"), name="up")
    async with connect(outer) as client:
        links = await look(client)
        assert links["down"] == links["attached"] == links["team_get_weather"]
        assert links["team_up"] == links["own"]
        templates = {each.uri_template for each in await client.list_resource_templates()}
        assert templates == {
            "ui://shared/frame{?v}",
            "ui://team/weather/dashboard{?v}",
            "ui://team/weather/map{?v}",
        }


async def test_dialects_in_front(html: Path, connect: Connect) -> None:
    """The other spellings are rewritten with the link, hash and all."""
    weather = make_weather(html)
    weather.add_extension(AppsExtension(dialects=["flat", "openai"]))
    outer: FastMCP[Any] = FastMCP("Outer")
    outer.mount(weather, namespace="team")
    async with connect(outer) as client:
        links = await look(client)
        for tool in await client.list_tools():
            if tool.name in links:
                meta = tool.meta
                spelled = {meta["ui/resourceUri"], meta["openai/outputTemplate"]}
                assert spelled == {links[tool.name]}


async def test_a_proxy_that_knows_nothing_of_this_package(tmp_path: Path, html: Path) -> None:
    """A plain FastMCP proxy in a process of its own reads old hashes, too, by the template."""
    backend = tmp_path / "backend.py"
    backend.write_text(
        textwrap.dedent(f"""
            from pathlib import Path
            from fastmcp import FastMCP
            from mcp_apps_plugin import ui
            mcp = FastMCP("Weather")
            @mcp.tool
            @ui({LINK!r}, html=Path({str(html)!r}), versioned=True)
            def get_weather() -> dict[str, str]: ...
            mcp.run(show_banner=False)
        """),
        encoding="utf-8",
    )
    front = tmp_path / "front.py"
    front.write_text(
        textwrap.dedent(f"""
            import os, sys
            from fastmcp import FastMCP
            from fastmcp.client.transports import StdioTransport
            from fastmcp.server import create_proxy
            back = StdioTransport(sys.executable, [{str(backend)!r}], env=dict(os.environ))
            outer = FastMCP("Front")
            outer.mount(create_proxy(back), namespace="front")
            assert "mcp_apps_plugin" not in sys.modules
            outer.run(show_banner=False)
        """),
        encoding="utf-8",
    )
    transport = StdioTransport(sys.executable, [str(front)], env=dict(os.environ))
    async with Client(transport) as client:
        (page,) = await client.list_resources()
        base, _, version = str(page.uri).partition("?v=")
        assert base == "ui://front/weather/dashboard"
        assert len(version) == 16
        for address in (str(page.uri), base, base + STALE):
            (item,) = await client.read_resource(address)
            assert "<p>one</p>" in item.text
