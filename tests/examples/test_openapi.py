"""Pages for tools that FastMCP made from a description, in front of a real HTTP service."""

from __future__ import annotations

import importlib
import json
import sys

import httpx2
import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from mcp_apps_plugin.protocol.constants import MIME_TYPE

TABLE, CARD = "ui://cars/table", "ui://cars/card"
MANTA = {
    "id": 151,
    "name": "opel manta",
    "year": 1974,
    "origin": "Europe",
    "mpg": 26.0,
    "cylinders": 4,
    "horsepower": 78,
    "weight": 2300,
    "average": {"mpg": 22.7, "horsepower": 94.0, "weight": 2878.0},
}


@pytest.fixture
def server_file(examples):
    return examples / "openapi" / "server.py"


@pytest.fixture
def service(server_file, monkeypatch):
    """The example's HTTP service."""
    monkeypatch.syspath_prepend(str(server_file.parent))
    module = importlib.import_module("service")
    yield module
    module.DATABASE.close()
    del sys.modules["service"]


def test_the_service_is_one_without_mcp(service):
    """It answers over HTTP, by its own description, until it is stopped."""
    with service.running() as address, httpx2.Client(base_url=address) as http:
        described = http.get("/openapi.json").json()
        assert described == json.loads(service.DESCRIPTION.read_text(encoding="utf-8"))
        assert set(described["paths"]) == {"/years", "/cars", "/cars/{id}"}
        assert http.get("/cars/151").json() == MANTA
        assert http.get("/cars/999").status_code == 404
        japanese = http.get("/cars", params={"year": 1974, "origin": "Japan"}).json()
        assert {car["origin"] for car in japanese} == {"Japan"}
        assert len(http.get("/cars", params={"year": 1974}).json()) == 27 > len(japanese)
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(address)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_generated_tools_have_pages(server_file, mode, tmp_path):
    """One by its name, two by a pattern; they answer what the service does, in both eras."""
    transport = StdioTransport(sys.executable, [str(server_file)], log_file=tmp_path / "log.txt")
    async with Client(transport, mode=mode) as client:
        listed = await client.list_tools()
        assert {tool.name: tool.meta["ui"]["resourceUri"] for tool in listed} == {
            "list_years": TABLE,
            "list_cars": TABLE,
            "get_car": CARD,
        }
        assert all(tool.annotations.read_only_hint for tool in listed)
        for uri in (TABLE, CARD):
            (page,) = await client.read_resource(uri)
            assert page.mime_type == MIME_TYPE
            # The files that both pages share are in each.
            assert "pages.js" not in page.text
            assert "const answerOf" in page.text
        years = await client.call_tool("list_years")
        assert years.structured_content["result"][4] == {
            "year": 1974,
            "cars": 27,
            **MANTA["average"],
        }
        car = await client.call_tool("get_car", {"id": 151})
        assert car.structured_content == MANTA
        (block,) = car.content
        assert json.loads(block.text) == MANTA
        missing = await client.call_tool("get_car", {"id": 999}, raise_on_error=False)
        assert missing.is_error
        assert "There is no such car." in missing.content[0].text


@pytest.mark.browser
async def test_the_pages_call_generated_tools(server_file, mcp_apps_browser):
    """From the years to a year's cars, to one car, and back: each step asks the service."""
    async with mcp_apps_browser(server_file) as browser:
        async with browser.open("list_years") as session:
            await session.wait_for_text("1982")
            button = session.frame.get_by_role("button")
            assert not await session.frame.get_by_role("button", name="Back").is_visible()
            await button.filter(has_text="1974").click()
            await session.wait_for_text("Cars of 1974")
            assert await session.frame.locator("tbody tr").count() == 27
            await button.filter(has_text="opel manta").click()
            await session.wait_for_text("94 on average in 1974")
            await button.filter(has_text="Back").click()
            await session.wait_for_text("Cars of 1974")
            await button.filter(has_text="Back").click()
            await session.wait_for_text("Years")
            assert (session.errors, session.violations, session.refusals) == ([], [], [])
        async with browser.open("get_car", {"id": 151}) as session:
            await session.wait_for_text("2878 on average in 1974")
            assert (session.errors, session.violations, session.refusals) == ([], [], [])
        async with browser.open("get_car", {"id": 999}) as session:
            await session.wait_for_text("There is no such car.")
