"""What a page has for the window's user, in a real Chromium: tools, questions, its own end."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

SERVER = '''
from fastmcp import FastMCP
from mcp_apps_plugin import app_resource, ui

mcp = FastMCP("Offers")


@app_resource("ui://offers/page")
def page() -> str:
    return """<!doctype html><title>Offers</title><p id="said">…</p><p id="mode">…</p>
<button id="ask">Ask</button><button id="leave">Leave</button>
<script src="mcp-app.js"></script><script>
  const modes = { availableDisplayModes: ["inline", "pip"] };
  const app = new McpApp.App({ name: "offers", version: "1.0" }, modes);
  const say = (text) => { document.getElementById("said").textContent = text; };
  const inputSchema = {
    type: "object", properties: { word: { type: "string", default: "hey" } }, required: ["word"] };
  app.registerTool("shout", { inputSchema, annotations: { readOnlyHint: true } },
    async ({ word }) => ({ content: [{ type: "text", text: word.toUpperCase() }] }));
  app.onhostcontextchanged = ({ displayMode }) => {
    if (displayMode) document.getElementById("mode").textContent = displayMode; };
  const messages = [{ role: "user", content: { type: "text", text: "How many?" } }];
  document.getElementById("ask").onclick = () =>
    app.createSamplingMessage({ messages, maxTokens: 9 }).then(
      ({ content }) => say(content.text), (error) => say("refused: " + error.message));
  document.getElementById("leave").onclick = () => app.requestTeardown();
  app.connect();
</script>"""


@mcp.tool
@ui(page)
def show() -> str:
    return "shown"
'''


async def test_what_a_page_has_for_the_user(start, tab, tmp_path):
    """Its tools are called in a form, its question is answered or not, and it may end itself."""
    path = tmp_path / "server.py"
    path.write_text(SERVER, encoding="utf-8")
    page = await tab(start(path))
    await page.click("#tool button.primary")
    await page.locator(".identity .badge.ok", has_text="offers 1.0").wait_for()
    view = page.frame_locator("iframe.app").frame_locator("iframe")

    await page.locator("#tab-app-tools .tab-count", has_text="1").wait_for()
    await page.click("#tab-app-tools")
    offered = page.locator(".app-tool", has_text="shout")
    assert await offered.locator("input").input_value() == "hey"
    await offered.locator("input").fill("loud")
    await offered.get_by_role("button", name="Call").click()
    await offered.get_by_text("LOUD").wait_for()

    await view.locator("#ask").click()
    await page.locator("dialog", has_text="How many?").wait_for()
    await page.fill("dialog textarea", "Seven")
    # In a dialog it runs no tool behind it.
    await page.keyboard.press("Control+Enter")
    await page.click("dialog >> text=Answer")
    await view.locator("#said", has_text="Seven").wait_for()
    await view.locator("#ask").click()
    await page.click("dialog >> text=Refuse")
    await view.locator("#said", has_text="refused").wait_for()
    calls = page.locator(".wire > li.server.request", has_text="tools/call")
    assert await calls.count() == 1

    assert await page.locator("#stage .segments button", has_text="fullscreen").is_disabled()
    await page.click("#stage >> text=pip")
    await view.locator("#mode", has_text="pip").wait_for()
    box = await page.locator("iframe.app").bounding_box()
    assert (box["width"], box["height"]) == (400, 300)

    await view.locator("#leave").click()
    await page.get_by_text("The page was torn down.").wait_for()
    assert await page.locator("iframe.app").count() == 0
