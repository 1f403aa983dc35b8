"""The main job: a real weather server, listed, called, read and shown."""

from __future__ import annotations

import ast
import io
import sys
import tokenize

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from mcp_apps_plugin.protocol.constants import MIME_TYPE

URI = "ui://weather/dashboard"
ERAS = ["auto", "legacy"]


@pytest.fixture
def server_file(examples):
    return examples / "weather" / "server.py"


async def check(client: Client) -> None:
    """List, call and read as a host does."""
    tools = {tool.name: tool.meta["ui"] for tool in await client.list_tools()}
    assert tools == {
        "get_weather": {"resourceUri": URI, "visibility": ["model", "app"]},
        "refresh": {"visibility": ["app"]},
    }
    called = await client.call_tool("get_weather", {"month": "2012-01"})
    assert [block.text for block in called.content] == ["2012-01: -3.3 to 12.8 °C"]
    assert called.structured_content["days"][0] == {
        "date": "2012-01-01",
        "high": 12.8,
        "low": 5.0,
        "rain": 0.0,
        "wind": 4.7,
        "sky": "drizzle",
    }
    again = await client.call_tool("refresh", {"month": "2012-01"})
    assert again.structured_content == called.structured_content
    (listed,) = await client.list_resources()
    (item,) = await client.read_resource(URI)
    assert (listed.mime_type, item.mime_type) == (MIME_TYPE, MIME_TYPE)
    empty = {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []}
    assert listed.meta["ui"] == item.meta["ui"] == {"csp": empty}
    assert item.text.startswith("<!doctype html>")
    assert 'src="mcp-app.js"' not in item.text


@pytest.mark.parametrize("mode", ERAS)
async def test_it_works_over_stdio(server_file, mode, tmp_path):
    """`python server.py` serves the page and the tools over stdio, in both eras."""
    transport = StdioTransport(sys.executable, [str(server_file)], log_file=tmp_path / "log.txt")
    async with Client(transport, mode=mode) as client:
        await check(client)


@pytest.mark.parametrize("mode", ERAS)
async def test_it_works_over_http(server_file, mode, running, free_port, mcp_apps):
    """The README's command serves the page and the tools over HTTP, in both eras."""
    command = [mcp_apps, "run", str(server_file), "--transport", "http", "--port", str(free_port)]
    with running(command, free_port) as url:
        async with Client(url, mode=mode) as client:
            await check(client)


def test_the_server_is_at_most_17_lines(server_file):
    """A page with CSP, an app-only helper and a text for the model fit in 17 lines of code."""
    source = server_file.read_text(encoding="utf-8")
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    ignored = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in ignored and token.string
        for line in range(token.start[0], token.end[0] + 1)
    }
    assert len(lines - docstrings) <= 17


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_page_shows_the_month(server_file, show, theme, tmp_path):
    """Chart, table and buttons work under the page's own policy, in both themes."""
    async with show(server_file, "get_weather", {"month": "2012-01"}, theme=theme) as (tab, view):
        await view.get_by_text("Seattle, January 2012").wait_for()
        assert await view.locator("tbody tr").count() == 31
        assert await view.locator("svg rect").count() == 31
        assert await view.locator("html").get_attribute("data-theme") == theme
        assert await view.get_by_label("Previous month").is_disabled()
        await view.get_by_label("Next month").click()
        await view.get_by_text("Seattle, February 2012").wait_for()
        assert await view.locator("tbody tr").count() == 29
        await view.get_by_text("Refresh").click()
        shot = await tab.screenshot(path=tmp_path / f"weather-{theme}.png")
        assert len(shot) > 10_000
