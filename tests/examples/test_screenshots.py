"""The pictures of the documentation, taken anew: `pytest tests/examples --screenshots`."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
themes = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.fixture
def take(examples, mcp_apps_browser, picture):
    """Take a picture of an example's page."""

    async def taking(name, theme, tool, arguments, ready):
        context = {"theme": theme, "available_display_modes": ["inline", "fullscreen"]}
        server = examples / name / "server.py"
        async with (
            mcp_apps_browser(server, context=context, width=720) as browser,
            browser.open(tool, arguments) as session,
        ):
            await ready(session)
            shot = await session.screenshot(picture(f"{name}-{theme}.png"))
            assert session.errors == []
        assert len(shot) > 10_000

    return taking


@themes
async def test_the_weather_example(examples, show, theme, picture):
    """The picture in README.md is what the example looks like today."""
    server = examples / "weather" / "server.py"
    async with show(server, "get_weather", {"month": "2015-11"}, theme=theme, height=380) as shown:
        tab, view = shown
        await view.get_by_text("Seattle, November 2015").wait_for()
        # The only thing on the page that changes from one picture to the next.
        await view.locator("#note").evaluate("(note) => { note.textContent = '' }")
        shot = await tab.screenshot(path=picture(f"weather-{theme}.png"))
    assert len(shot) > 10_000


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs Linux's /proc")
@themes
async def test_the_dashboard_example(take, theme, request):
    """A minute of the machine it was taken on; a moment, where the picture is not kept."""
    bars = 57 if request.config.getoption("screenshots") else 3

    async def ready(session):
        await session.frame.get_by_label("Time between").select_option("1")
        await session.frame.locator("#chart rect").nth(bars - 1).wait_for(timeout=90_000)

    await take("dashboard", theme, "show_machine", {}, ready)


@themes
async def test_the_openapi_example(take, theme):
    """The table of the years."""
    await take("openapi", theme, "list_years", {}, lambda it: it.wait_for_text("1982"))


@themes
async def test_the_vite_example(take, theme):
    """The airports of Texas."""

    async def ready(session):
        await session.frame.get_by_label("Find").fill("county")
        await session.wait_for_text("County")

    await take("vite", theme, "show_airports", {"state": "TX"}, ready)
