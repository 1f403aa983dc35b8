"""The pictures of the documentation, taken anew: `pytest tests/examples --screenshots`."""

from __future__ import annotations

from pathlib import Path

import pytest

IMAGES = Path(__file__).parents[2] / "docs" / "images"
#: What the documentation shows of examples that it shows in one theme.
SHOWN = {"dashboard-dark.png", "openapi-light.png", "vite-light.png"}
themes = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.fixture
def keep(request):
    return request.config.getoption("--screenshots", default=False)


@pytest.fixture
def picture(examples, mcp_apps_browser, keep, tmp_path):
    """Take a picture of an example's page."""

    async def take(name, theme, tool, arguments, ready):
        context = {"theme": theme, "available_display_modes": ["inline", "fullscreen"]}
        server = examples / name / "server.py"
        file = f"{name}-{theme}.png"
        async with (
            mcp_apps_browser(server, context=context, width=720) as browser,
            browser.open(tool, arguments) as session,
        ):
            await ready(session)
            path = IMAGES if keep and file in SHOWN else tmp_path
            shot = await session.screenshot(path / file)
            assert session.errors == []
        assert len(shot) > 10_000

    return take


@pytest.mark.browser
@themes
async def test_the_weather_example(examples, show, theme, tmp_path, keep):
    """The picture in README.md is what the example looks like today."""
    server = examples / "weather" / "server.py"
    async with show(server, "get_weather", {"month": "2015-11"}, theme=theme, height=380) as shown:
        tab, view = shown
        await view.get_by_text("Seattle, November 2015").wait_for()
        # The only thing on the page that changes from one picture to the next.
        await view.locator("#note").evaluate("(note) => { note.textContent = '' }")
        path = (IMAGES if keep else tmp_path) / f"weather-{theme}.png"
        shot = await tab.screenshot(path=path)
    assert len(shot) > 10_000


@pytest.mark.browser
@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="needs Linux's /proc")
@themes
async def test_the_dashboard_example(picture, theme, keep):
    """A minute of the machine it was taken on; a moment, where the picture is not kept."""

    async def ready(session):
        await session.frame.get_by_label("Time between").select_option("1")
        bars = session.frame.locator("#chart rect")
        await bars.nth(56 if keep else 2).wait_for(timeout=90_000)

    await picture("dashboard", theme, "show_machine", {}, ready)


@pytest.mark.browser
@themes
async def test_the_openapi_example(picture, theme):
    """The table of the years."""
    await picture("openapi", theme, "list_years", {}, lambda it: it.wait_for_text("1982"))


@pytest.mark.browser
@themes
async def test_the_vite_example(picture, theme):
    """The airports of Texas."""

    async def ready(session):
        await session.frame.get_by_label("Find").fill("county")
        await session.wait_for_text("County")

    await picture("vite", theme, "show_airports", {"state": "TX"}, ready)
