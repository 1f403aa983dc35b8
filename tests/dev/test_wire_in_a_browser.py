"""The panel of messages in a real Chromium: both channels, filtered, opened, copied, cleared."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.browser

SHOWN = """() => [...document.querySelectorAll(".wire > li")].map((row) =>
  [row.classList[0], row.querySelector(".method").textContent])"""


async def test_messages_are_found_opened_and_copied(gallery, tab):
    """By word and by channel; what is copied is what is shown."""
    page = await tab(gallery, permissions=["clipboard-read", "clipboard-write"])
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    await page.reload()
    await page.wait_for_selector(".state.ready")
    await page.click("[role=option][data-name=show]")
    await page.fill("#tool .field input", "looked for")
    await page.click("#tool button.primary")
    await page.locator(".wire > li.view", has_text="ui/notifications/tool-result").wait_for()

    channels = {channel for channel, _ in await page.evaluate(SHOWN)}
    assert channels == {"server", "view"}
    await page.click(".chip.server")
    assert {channel for channel, _ in await page.evaluate(SHOWN)} == {"view"}
    await page.click(".chip.server")

    async def copied(button):
        await button.click()
        await button.get_by_text("Copied").wait_for()
        return await page.evaluate("navigator.clipboard.readText()")

    await page.fill("#pane-wire input[type=search]", "looked request")
    called = page.locator(".wire > li")
    await page.wait_for_function("() => document.querySelectorAll('.wire > li').length === 1")
    assert await page.evaluate(SHOWN) == [["server", "tools/call"]]
    every = await copied(page.locator("#pane-wire .pane-bar button", has_text="Cop"))
    entry = json.loads(every)
    assert (entry["channel"], entry["direction"]) == ("server", "out")
    assert entry["message"]["params"]["arguments"] == {"text": "looked for"}
    await called.locator("summary").first.click()
    assert "looked for" in await called.locator(".json").inner_text()
    assert json.loads(await copied(called.locator(".wire-head button"))) == entry["message"]

    await page.fill("#pane-wire input[type=search]", "")
    await page.click("#pane-wire >> text=Clear")
    await page.wait_for_function("() => document.querySelectorAll('.wire > li').length === 0")
    # Neither window nor page asked anybody but the dev host for anything.
    hosts = {url.split("/")[2].split(":")[0] for url in asked if url.startswith(("http", "ws"))}
    assert hosts == {"127.0.0.1"}
