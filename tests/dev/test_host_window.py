"""The example host: sixty lines, the public API, and a page that works in it."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
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


@pytest.mark.browser
async def test_it_shows_a_page_that_calls_its_server(chromium):
    """The page is rendered in two frames, and its button reaches the server."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-u", PROGRAM, GALLERY, "show"),
        '{"text": "in a window"}',
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "BROWSER": "true"},
    )
    try:
        async with asyncio.timeout(60):
            while not (found := re.search(rb"open (\S+)", await process.stdout.readline())):
                pass
        page = await chromium.new_page()
        await page.goto(found[1].decode())
        view = page.frame_locator("iframe").frame_locator("iframe")
        await view.locator("#text", has_text="in a window").wait_for()
        await view.locator("#helper").click()
        await view.locator("#said", has_text="ABC").wait_for()
    finally:
        process.terminate()
        await process.wait()
