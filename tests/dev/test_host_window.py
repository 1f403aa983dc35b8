"""The example host: sixty lines, the public API, and a page that works in it."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "examples" / "host_window" / "host_window.py"
GALLERY = Path(__file__).with_name("gallery.py")


def test_it_is_short_and_uses_what_everyone_may():
    """At most 60 lines; of this package the host half's front door alone."""
    code = PROGRAM.read_text(encoding="utf-8")
    assert len(code.splitlines()) <= 60
    assert re.findall(r".*mcp_apps_plugin.*", code) == ["from mcp_apps_plugin import host"]


def test_a_tool_that_is_not_there_is_said_in_one_line():
    """With those that are."""
    command = [sys.executable, PROGRAM, GALLERY, "shw"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "There is no tool shw: order, show," in done.stderr.splitlines()[-1]


@asynccontextmanager
async def showing(page, *arguments):
    """Run the program and open its window; give what is in the inner frame."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", PROGRAM, *arguments),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "BROWSER": "true"},
    )
    try:
        async with asyncio.timeout(60):
            while not (found := re.search(rb"open (\S+)", await process.stdout.readline())):
                pass
        await page.goto(found[1].decode())
        yield page.frame_locator("iframe").frame_locator("iframe")
    finally:
        process.terminate()
        await process.wait()


@pytest.mark.browser
async def test_it_shows_a_page_that_calls_its_server(chromium):
    """The page is rendered in two frames, and its button reaches the server."""
    page = await chromium.new_page()
    async with showing(page, GALLERY, "show", '{"text": "in a window"}') as view:
        await view.locator("#text", has_text="in a window").wait_for()
        await view.locator("#helper").click()
        await view.locator("#said", has_text="ABC").wait_for()


@pytest.mark.browser
async def test_it_shows_the_weather_example(chromium, picture):
    """What its README says to run, and its picture in the documentation."""
    pytest.importorskip("vega_datasets")
    page = await chromium.new_page(viewport={"width": 720, "height": 380})
    weather = ROOT / "examples" / "weather" / "server.py"
    async with showing(page, weather, "get_weather", '{"month": "2013-07"}') as view:
        await view.get_by_text("Seattle, July 2013").wait_for()
        await view.get_by_label("Next month").click()
        await view.get_by_text("Seattle, August 2013").wait_for()
        await page.screenshot(path=picture("host-window.png"))
