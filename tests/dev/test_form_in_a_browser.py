"""The form in a real Chromium: run from anywhere, what a new default changes, no character lost."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.browser

SERVER = '''
from typing import Annotated

from fastmcp import FastMCP
from pydantic import BaseModel, Field

mcp = FastMCP("Defaults")


class Range(BaseModel):
    low: int = 1
    high: int = 9


@mcp.tool
def count(
    city: str = "Oslo",
    days: int = 3,
    span: Range = Range(),
    label: str = "old",
    {more}
) -> str:
    """Count."""
    return f"{{city}} {{days}} {{span.low}}-{{span.high}} {{label}}"


@mcp.tool
def write(
    song: str = {song!r},
    at: Annotated[str, Field(json_schema_extra={{"format": "date-time"}})] = {at!r},
) -> str:
    """Write."""
    return repr(song)
'''
SONG = "X:1\nT:Two lines\r\nK:C\n"
AT = "2026-05-01T10:00:00.250+02:00"


@pytest.fixture
def server(tmp_path):
    """A server whose defaults a test changes: its file."""
    path = tmp_path / "server.py"
    path.write_text(SERVER.format(song=SONG, at=AT, more=""), encoding="utf-8")
    return path


def sent(page):
    """Return the arguments of the call that was sent last."""
    return page.evaluate(
        """async () => {
          const rows = [...document.querySelectorAll(".wire > li.server.request")];
          const row = rows.filter((each) => each.textContent.includes("tools/call")).at(-1);
          row.querySelector("details").open = true;
          while (!row.querySelector(".json")) await new Promise((done) => setTimeout(done, 20));
          row.querySelector(".wire-head button").click();
          return new Promise((done) => setTimeout(async () =>
            done(JSON.parse(await navigator.clipboard.readText()).params.arguments), 100));
        }"""
    )


async def done(page, times):
    """Wait until a tool has been called so often, and has answered."""
    await page.wait_for_function(
        """times => [...document.querySelectorAll(".wire > li.server.result")].filter(
            (each) => each.textContent.includes("tools/call")).length === times""",
        arg=times,
    )


async def test_it_runs_from_anywhere(start, tab, server):
    """Ctrl+Enter, wherever the focus is: in the list, the search, a pane, the bar, nowhere."""
    page = await tab(start(server))
    await page.click("[role=option][data-name=count]")
    places = ("[role=listbox]", "input[type=search]", "#tab-log", "#switches button", "#tool input")
    for times, place in enumerate(places, start=1):
        await page.focus(place)
        await page.keyboard.press("Control+Enter")
        await done(page, times)
        # It runs, and does nothing else besides.
        assert await page.evaluate("place => document.activeElement.matches(place)", place)
    await page.evaluate("document.activeElement.blur()")
    await page.keyboard.press("Meta+Enter")
    await done(page, len(places) + 1)
    await page.focus("[role=listbox]")
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.closest('form') !== null")


async def test_an_untouched_field_follows_the_server(start, tab, server):
    """A new default fills what was left alone; what was changed or emptied stays, in groups too."""
    page = await tab(start(server), permissions=["clipboard-read", "clipboard-write"])
    await page.click("[role=option][data-name=count]")
    await page.get_by_label("days").fill("7")
    await page.get_by_label("high").fill("8")
    await page.get_by_label("label").fill("")
    await page.click("#tool button.primary")
    await done(page, 1)
    text = SERVER.format(song=SONG, at=AT, more="new: bool = True,")
    for old, new in (
        ('"Oslo"', '"Bergen"'),
        ("days: int = 3", "days: int = 4"),
        ("low: int = 1", "low: int = 2"),
        ("high: int = 9", "high: int = 10"),
        ('"old"', '"other"'),
    ):
        text = text.replace(old, new)
    server.write_text(text, encoding="utf-8")
    expected = {"city": "Bergen", "days": 7, "span": {"low": 2, "high": 8}, "new": True}
    await page.get_by_label("new").wait_for()
    await done(page, 2)  # it runs again, with what the form shows
    assert await sent(page) == expected
    assert await page.get_by_label("city").input_value() == "Bergen"
    assert await page.get_by_label("label").input_value() == ""
    # What is remembered for the next window knows the difference as well.
    server.write_text(text.replace('"Bergen"', '"Tromsø"'), encoding="utf-8")
    await done(page, 3)
    await page.reload()
    await page.wait_for_selector(".state.ready")
    assert await page.get_by_label("city").input_value() == "Tromsø"
    assert await page.get_by_label("days").input_value() == "7"


async def test_a_text_keeps_its_lines(start, tab, server):
    """Defaults reach the server as they are; pasted and written lines stay lines."""
    page = await tab(start(server), permissions=["clipboard-read", "clipboard-write"])
    await page.click("[role=option][data-name=write]")
    await page.click("#tool button.primary")
    await done(page, 1)
    assert await sent(page) == {"song": SONG, "at": AT}

    await page.click("[role=option][data-name=count]")
    await page.evaluate("navigator.clipboard.writeText('two\\nlines')")
    await page.get_by_label("city").fill("All: ")
    await page.get_by_label("city").press("End")
    await page.keyboard.press("Control+v")
    await page.keyboard.type("!")
    await page.click("#tool button.primary")
    await done(page, 2)
    assert (await sent(page))["city"] == "All: two\nlines!"

    await page.click("#tool >> text=JSON")
    await page.fill("#tool textarea.raw", json.dumps({"label": "one\ntwo"}))
    await page.click("#tool >> text=JSON")
    await page.click("#tool button.primary")
    await done(page, 3)
    assert (await sent(page))["label"] == "one\ntwo"
