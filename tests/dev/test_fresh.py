"""A versioned page that changes under `mcp-apps dev`: its address moves, and clients are told."""

from __future__ import annotations

import re

import pytest

from mcp_apps_plugin.view import build_page

SERVER = """
from fastmcp import FastMCP
from mcp_apps_plugin import ui

mcp = FastMCP("Fresh")


@mcp.tool
@ui("ui://fresh/page", html="page.html", versioned=True)
def show() -> dict[str, str]:
    return {"a": "b"}


@mcp.tool
@ui("ui://fresh/plain", html="plain.html")
def plain() -> dict[str, str]:
    return {"a": "b"}
"""
PAGE = '<!doctype html><title>{0}</title><p>{0}</p><script src="part.js"></script>'
LINK = re.compile(r"ui://(team/)?fresh/page\?v=[0-9a-f]{16}")


@pytest.fixture
def folder(tmp_path):
    """A server with a versioned page of two files, and one that is not versioned."""
    write(tmp_path, "server.py", SERVER)
    write(tmp_path, "page.html", PAGE.format("one"))
    write(tmp_path, "part.js", "const one = 1;")
    write(tmp_path, "plain.html", "<!doctype html><title>P</title><p>plain</p>")
    return tmp_path


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")


def link_of(server, name="show"):
    return next(tool["page"] for tool in server["tools"] if tool["name"] == name)


def told(window, method):
    """Return how often the server said something."""
    return sum(
        message["type"] == "wire"
        and message["entry"]["direction"] == "in"
        and message["entry"]["method"] == method
        for message in window.heard
    )


def starts(window):
    return sum(m["type"] == "server" and m["state"] == "starting" for m in window.heard)


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_clients_are_told_that_the_page_moved(start, another_window, folder, era):
    """Both lists have changed; the server goes on running, and the new link has the new page."""
    async with another_window(start(folder / "server.py")) as window:
        before = link_of(await window.connect(era=era))
        assert LINK.fullmatch(before)
        for name, text in (
            ("page.html", PAGE.format("another")),
            ("part.js", "const another = 2;"),
        ):
            told_before = told(window, "notifications/tools/list_changed")
            write(folder, name, text)
            await window.hear("pages_changed")
            while told(window, "notifications/tools/list_changed") == told_before:
                await window.hear("wire")
            while (
                after := link_of((await window.hear("server", state="ready"))["server"])
            ) == before:
                pass
            assert LINK.fullmatch(after)
            before = after
        assert told(window, "notifications/resources/list_changed") == 2
        assert starts(window) == 0
        await window.run("show")
        shown = (await window.hear("show"))["frame"]["page"]
        assert shown["uri"] == before
        newest = build_page(folder / "page.html").html
        assert shown["size"] == len(newest.encode())


async def test_below_a_namespace(start, another_window, folder):
    """What is mounted is built anew, too."""
    async with another_window(start(folder / "server.py")) as window:
        await window.connect()
        await window.say("mount", namespace="team")
        ready = await window.hear("server", state="ready", namespace="team")
        before = link_of(ready["server"], "team_show")
        assert LINK.fullmatch(before)
        write(folder, "page.html", PAGE.format("two"))
        await window.hear("pages_changed")
        while (
            link_of((await window.hear("server", state="ready"))["server"], "team_show") == before
        ):
            pass


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain.html", "<!doctype html><title>P</title><p>other</p>"),
        ("other.css", "p { color: red }"),
        ("page.html", '<!doctype html><script src="missing.js"></script>'),
    ],
)
async def test_the_rest_starts_the_server_anew(start, another_window, folder, name, text):
    """A page without a version, a file of no page, and a page that cannot be built."""
    async with another_window(start(folder / "server.py")) as window:
        await window.connect()
        write(folder, name, text)
        state = await window.hear("server", state="starting")
        assert state["pagesOnly"]
        broken = "missing.js" in text
        after = await window.hear("server", state="failed" if broken else "ready")
        assert not broken or "missing.js" in after["detail"]
        assert told(window, "notifications/tools/list_changed") == 0


@pytest.mark.browser
async def test_the_window_shows_the_new_page(start, tab, folder):
    """The page is shown anew with the result there was: the tool does not run again."""
    page = await tab(start(folder / "server.py"))
    await page.click("[role=option][data-name=show]")
    await page.click("#tool button.primary")
    shown = page.frame_locator("iframe.app").frame_locator("iframe")
    await shown.get_by_text("one", exact=True).wait_for()
    write(folder, "page.html", PAGE.format("another"))
    await shown.get_by_text("another", exact=True).wait_for()
    for method in ("notifications/resources/list_changed", "notifications/tools/list_changed"):
        assert await page.locator(".wire > li", has_text=method).count() == 1
    assert await page.locator(".wire > li.request", has_text="tools/call").count() == 1
