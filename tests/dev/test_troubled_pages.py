"""What the window says of pages that do not work, in a real Chromium, and what it leaves unsaid."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

SERVER = '''
from fastmcp import FastMCP
from mcp_apps_plugin import app_resource, ui

mcp = FastMCP("Trouble")
HEAD = "<!doctype html><title>T</title><style>html, body { margin: 0; height: 100vh }</style>"
APP = """<p id=said>…</p><script src="mcp-app.js"></script><script>
  const app = new McpApp.App({ name: "trouble", version: "1.0" });
  const said = document.getElementById("said");
  const evaluate = () => { try { new Function("") } catch { said.textContent = "stopped" } };
  app.connect().then(async () => { %s });
</script>"""


@app_resource("ui://trouble/silent")
def silent() -> str:
    return HEAD + "<p>loading for ever"


@app_resource("ui://trouble/once")
def once() -> str:
    return HEAD + APP % "evaluate()"


@app_resource("ui://trouble/twice")
def twice() -> str:
    # Elsewhere: a browser reports one place once.
    return HEAD + APP % "evaluate();\\n new Function('1')"


@app_resource("ui://trouble/reader")
def reader() -> str:
    read = """await app.readServerResource({ uri: "data+song://one" }).then(
      ({ contents }) => { said.textContent = contents[0].text },
      (error) => { said.textContent = error.message })"""
    return HEAD + APP % read


@mcp.resource("data+song://one")
def song() -> str:
    return "la la"


for page in (silent, once, twice, reader):
    @mcp.tool(name=page.__name__)
    @ui(page)
    def show() -> str:
        return "shown"
'''


@pytest.fixture
async def window(start, tab, tmp_path):
    """A window of a server with pages in trouble; it runs their tools."""
    path = tmp_path / "server.py"
    path.write_text(SERVER, encoding="utf-8")
    page = await tab(start(path))

    async def run(tool):
        await page.click(f"[role=option][data-name={tool}]")
        await page.click("#tool button.primary")
        await page.locator("#tool .badge", has_text="done").wait_for()
        return page

    return run


def inner(page):
    """The page in its two frames."""
    return page.frame_locator("iframe.app").frame_locator("iframe")


async def test_a_page_without_a_handshake_is_named(window):
    """It is not said to be loading for ever, and has a height to be seen in."""
    page = await window("silent")
    badge = page.locator(".identity .badge.warn", has_text="no handshake")
    await badge.wait_for()
    assert "ui/initialize" in await badge.get_attribute("title")
    assert (await page.locator("iframe.app").bounding_box())["height"] == 400
    await window("once")
    await page.locator(".identity .badge.ok", has_text="trouble 1.0").wait_for()


async def test_a_library_that_looks_for_eval_is_no_fault(window):
    """Once is counted without alarm; a page that goes on needs it, and that is said."""
    page = await window("once")
    count = page.locator("#tab-page .tab-count")
    await inner(page).get_by_text("stopped").wait_for()
    await count.wait_for()
    assert "bad" not in await count.get_attribute("class")
    assert not await page.is_visible("#notice")
    await window("twice")
    await page.locator("#notice", has_text="stopped eval").wait_for()
    assert "bad" in await count.get_attribute("class")


async def test_a_page_may_be_let_read_more(window):
    """What other hosts may let through is refused, named, and let through when the author says."""
    page = await window("reader")
    said = inner(page).locator("#said")
    await said.get_by_text("Pages may read ui:// only, not 'data+song://one'.").wait_for()
    await page.click("#notice >> text=Let it read data+song://")
    await said.get_by_text("la la").wait_for()
    assert not await page.is_visible("#notice")
