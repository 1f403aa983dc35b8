"""Examples whose point is not one page: two teams in one window, and what a plugin changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def _data():
    pytest.importorskip("vega_datasets")


async def shown(page, tool, words):
    """Run a tool and wait for what its page says; return what is in the inner frame."""
    await page.click(f"[role=option][data-name={tool}]")
    await page.click("#tool button.primary")
    view = page.frame_locator("iframe.app").frame_locator("iframe")
    await view.get_by_text(words).wait_for()
    return view


async def test_two_teams_in_one_window(start, tab, picture):
    """Each team's tool shows its own page, whose list of years asks its own server."""
    page = await tab(start(EXAMPLES / "composed" / "server.py"))
    view = await shown(page, "energy_show", "Iowa, 2015")
    calls = page.locator(".wire > li.view.request", has_text="energy_reload")
    await view.get_by_label("Period").select_option("2016")
    await view.get_by_text("Iowa, 2016").wait_for()
    assert await calls.count() == 1
    view = await shown(page, "stocks_show", "Shares, Dec 2009")
    await page.screenshot(path=picture("composed-light.png"))


async def test_what_a_plugin_changes(start, tab, picture, company_plugin, monkeypatch):
    """The company's origin is in the policy of a page that says nothing of it."""
    monkeypatch.setenv("PYTHONPATH", str(company_plugin), prepend=os.pathsep)
    page = await tab(start(EXAMPLES / "weather" / "server.py"))
    await shown(page, "get_weather", "December 2015")
    await page.click("#tab-page")
    listed = page.locator("[data-list=resourceDomains]", has_text="https://cdn.company.example")
    await listed.wait_for()
    await page.screenshot(path=picture("company-plugin-light.png"))
