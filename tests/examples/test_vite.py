"""A page that npm built, with the official SDK: served as it was built, and shown."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

from mcp_apps_plugin.protocol.constants import MIME_TYPE

URI = "ui://airports/map"


@pytest.fixture
def folder(examples):
    return examples / "vite"


@pytest.fixture
def rebuilt(folder, tmp_path):
    """The example beside a page that was built just now."""
    npm = shutil.which("npm")
    if npm is None or not (folder / "node_modules" / "vite").exists():
        pytest.skip("needs npm, and `npm install` in examples/vite")
    for name in ("server.py", "airports.py"):
        shutil.copy(folder / name, tmp_path)
    built = tmp_path / "built"
    command = [npm, "run", "build", "--", "--outDir", str(built), "--emptyOutDir"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return tmp_path


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_is_served_byte_for_byte(folder, mode, tmp_path):
    """The file on the wire is the file that was built; tools and texts are as everywhere."""
    server = str(folder / "server.py")
    transport = StdioTransport(sys.executable, [server], log_file=tmp_path / "log.txt")
    async with Client(transport, mode=mode) as client:
        tools = {tool.name: tool.meta["ui"] for tool in await client.list_tools()}
        assert tools == {
            "show_airports": {"resourceUri": URI, "visibility": ["model", "app"]},
            "airports_of": {"visibility": ["app"]},
        }
        (item,) = await client.read_resource(URI)
        assert item.mime_type == MIME_TYPE
        assert item.text.encode() == (folder / "built" / "index.html").read_bytes()
        called = await client.call_tool("show_airports", {"state": "RI"})
        assert [block.text for block in called.content] == ["RI: 6 airports"]
        codes = [airport["code"] for airport in called.structured_content["airports"]]
        assert codes == ["BID", "OQU", "PVD", "SFZ", "UUU", "WST"]
        again = await client.call_tool("airports_of", {"state": "RI"})
        assert again.structured_content == called.structured_content


def test_what_is_committed_is_small_and_names_no_registry(folder):
    """One page, whose parts are fetched by whoever builds it, from where they like."""
    assert (folder / "built" / "index.html").stat().st_size < 1_000_000
    assert not (folder / "package-lock.json").exists()


async def use(browser_of, folder):
    """Look at the page, and use it as somebody would."""
    async with (
        browser_of(folder / "server.py", context={"theme": "dark"}) as browser,
        browser.open("show_airports", {"state": "RI"}) as session,
    ):
        await session.wait_for_text("6 airports in RI")
        frame = session.frame
        assert await frame.locator("circle").count() == 6
        await frame.get_by_label("Find").fill("providence")
        await session.wait_for_text("PVD Theodore F Green State, Providence")
        assert await frame.locator("circle.shown, circle.fits").count() == 1
        await frame.get_by_label("State").select_option("HI")
        await session.wait_for_text("16 airports in HI")
        assert await frame.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
        assert (session.errors, session.violations, session.refusals) == ([], [], [])
        assert await session.teardown()


@pytest.mark.browser
async def test_the_built_page_works(folder, mcp_apps_browser):
    """The official SDK of the page and this package's host understand each other."""
    await use(mcp_apps_browser, folder)


@pytest.mark.browser
async def test_it_works_where_it_is_mounted(folder, mcp_apps_browser):
    """The page calls its tools by the names that they have there."""
    whole = FastMCP("Company")
    whole.mount(create_proxy(folder / "server.py"), namespace="air")
    async with (
        mcp_apps_browser(whole) as browser,
        browser.open("air_show_airports", {"state": "RI"}) as session,
    ):
        await session.wait_for_text("6 airports in RI")
        await session.frame.get_by_label("State").select_option("HI")
        await session.wait_for_text("16 airports in HI")
        assert (session.errors, session.violations, session.refusals) == ([], [], [])


@pytest.mark.browser
async def test_the_sources_make_the_same_page(rebuilt, mcp_apps_browser):
    """What is committed as built can be built again, and works the same."""
    assert (rebuilt / "built" / "licenses.md").exists()
    await use(mcp_apps_browser, rebuilt)
