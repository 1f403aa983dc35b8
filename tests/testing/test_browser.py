"""`AppsBrowser`: the same in a real Chromium."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
PNG = b"\x89PNG"


async def test_a_page_is_rendered(weather, mcp_apps_browser):
    """Its text, after a call of its own; no violation, no error; and a picture of it."""
    async with (
        mcp_apps_browser(weather()) as browser,
        browser.open("get_weather", {"city": "Oslo"}) as session,
    ):
        await session.wait_for_text("Oslo 4")
        assert (session.violations, session.errors, session.console) == ([], [], [])
        assert session.result.structured_content == {"city": "Oslo"}
        assert (await session.screenshot()).startswith(PNG)
        assert await session.frame.locator("#t").text_content() == "Oslo 4"
        assert 0 < session.handshake_seconds < 15
        assert await session.teardown()


async def test_what_a_policy_forbids_is_seen(weather, mcp_apps_browser):
    """A fetch that the page did not declare, an error, and what it logs."""
    html = """<!doctype html><p>x<script src="mcp-app.js"></script><script>
      const app = new McpApp.App({ name: "weather", version: "1" });
      app.connect().then(async () => {
        console.warn("careful");
        await fetch("https://api.example/").catch(() => {});
        document.body.append("done");
        throw new Error("broken on purpose");
      });
    </script>"""
    async with (
        mcp_apps_browser(weather(html)) as browser,
        browser.open("get_weather", {"city": "Oslo"}) as session,
    ):
        await session.wait_for_text("done")
        assert [(v.directive, v.blocked) for v in session.violations] == [
            ("connect-src", "https://api.example/")
        ]
        assert ("warning", "careful") in session.console
        assert any("broken on purpose" in error for error in session.errors)
        with pytest.raises(AssertionError, match="connect-src"):
            await session.wait_for_text("never", seconds=0.2)


async def test_a_text_that_does_not_come_says_what_came(weather, mcp_apps_browser):
    """The page library catches a handler's fault; it is said all the same."""
    html = """<!doctype html><p>waiting<script src="mcp-app.js"></script><script>
      const app = new McpApp.App({ name: "weather", version: "1" });
      app.ontoolresult = ({ structuredContent }) => { nowhere.textContent = structuredContent; };
      app.connect();
    </script>"""
    async with (
        mcp_apps_browser(weather(html)) as browser,
        browser.open("get_weather", {"city": "Oslo"}) as session,
    ):
        with pytest.raises(AssertionError, match="'waiting'") as raised:
            await session.wait_for_text("Oslo", seconds=2)
    assert "nowhere is not defined" in str(raised.value)
