"""The pictures of the documentation, taken anew: `pytest tests/examples --screenshots`."""

from __future__ import annotations

from pathlib import Path

import pytest

IMAGES = Path(__file__).parents[2] / "docs" / "images"


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_weather_example(examples, show, theme, tmp_path, request):
    """The picture in README.md is what the example looks like today."""
    server = examples / "weather" / "server.py"
    keep = request.config.getoption("--screenshots", default=False)
    async with show(server, "get_weather", {"month": "2015-11"}, theme=theme, height=380) as shown:
        tab, view = shown
        await view.get_by_text("Seattle, November 2015").wait_for()
        # The only thing on the page that changes from one picture to the next.
        await view.locator("#note").evaluate("(note) => { note.textContent = '' }")
        path = (IMAGES if keep else tmp_path) / f"weather-{theme}.png"
        shot = await tab.screenshot(path=path)
    assert len(shot) > 10_000
