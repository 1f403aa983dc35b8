"""One page, word for word the same, on its own server and below two names of another one."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

SERVER = '''
from fastmcp import FastMCP
from mcp_apps_plugin import ui

def branch(place: str) -> FastMCP:
    """A server that knows where it is, with a page that does not."""
    server = FastMCP(place)

    @server.tool
    @ui("ui://stock/page", html="page.html")
    def show() -> dict[str, str]:
        return {"place": place}

    @server.tool
    @ui(visibility="app")
    def order(amount: int) -> dict[str, str]:
        return {"text": f"{amount} for {place}"}

    return server

alone = branch("alone")
both = FastMCP("Both")
both.mount(branch("north"), namespace="north")
both.mount(branch("south"), namespace="south")
'''
PAGE = """<!doctype html><title>Stock</title><p id="place">…</p><p id="said">…</p>
<button id="order">Order</button><script src="mcp-app.js"></script><script>
  const app = new McpApp.App({ name: "stock", version: "1.0" });
  const write = (id, text) => { document.getElementById(id).textContent = text; };
  app.ontoolresult = ({ structuredContent }) => write("place", structuredContent.place);
  document.getElementById("order").onclick = async () => {
    const ordered = await app.callServerTool({ name: "order", arguments: { amount: 3 } });
    write("said", ordered.structuredContent.text);
  };
  app.connect();
</script>"""


@pytest.fixture
def server(tmp_path):
    """The file of the servers, beside their page."""
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    (path := tmp_path / "server.py").write_text(SERVER, encoding="utf-8")
    return path


async def use(page, tool, place):
    """Show the page, press its button, and see whose server answered."""
    await page.click(f"[role=option][data-name={tool}]")
    await page.click("#tool button.primary")
    view = page.frame_locator("iframe.app").frame_locator("iframe")
    await view.locator("#place", has_text=place).wait_for()
    await view.locator("#order").click()
    await view.locator("#said", has_text=f"3 for {place}").wait_for()


async def test_the_same_page_on_its_own_and_below_two_names(start, tab, server):
    """The page says `order`; each time it is the order of the server that the page came from."""
    page = await tab(start(f"{server}:alone"))
    await use(page, "show", "alone")
    await page.close()
    page = await tab(start(f"{server}:both"))
    for era in ("modern", "legacy"):
        await page.click(f"#switches >> text={era}")
        await page.wait_for_selector(".state.ready")
        for place in ("north", "south", "north"):
            await use(page, f"{place}_show", place)
