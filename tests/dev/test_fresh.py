"""Pages that change under `mcp-apps dev`: the server goes on, and no tool is called again."""

from __future__ import annotations

import asyncio
import re

import pytest

from mcp_apps_plugin.view import build_page

SERVER = """
from dataclasses import dataclass
from pathlib import Path

from fastmcp import Context, FastMCP
from mcp_apps_plugin import app_resource, elicit, once, ui

mcp = FastMCP("Fresh")
OWN = Path(__file__).with_name("own.html").read_text()


@mcp.tool
@ui("ui://fresh/page", html="page.html", versioned=True)
def show() -> dict[str, str]:
    return {"a": "b"}


@mcp.tool
@ui("ui://fresh/plain", html="plain.html")
def plain() -> dict[str, str]:
    return {"a": "b"}


@mcp.tool
@ui("ui://fresh/own")
def own() -> dict[str, str]:
    return {"a": "b"}


@app_resource("ui://fresh/own")
def own_page() -> str:
    return OWN


mcp.resource("ui://fresh/own")(own_page)


@app_resource("ui://fresh/question", html="question.html")
def question() -> None:
    pass


def write() -> None:
    with Path(__file__).with_name("rows.txt").open("a") as rows:
        rows.write("row\\n")


@dataclass
class Answer:
    word: str


@mcp.tool
@ui("ui://fresh/insert", html="insert.html")
async def insert(ctx: Context) -> str:
    await once(ctx, "row", write)
    answer = await elicit(ctx, "Which word?", Answer, app=question)
    return f"{answer.action}: {answer.data.word if answer.action == 'accept' else ''}"
"""
QUESTION = """<!doctype html><title>Q</title><p id="q">{0}</p><script src="mcp-app.js"></script>
<script>
  const app = new McpApp.App({{ name: "q", version: "1" }});
  app.onelicit = ({{ message }}) => new Promise(() => {{ q.textContent = "{0} " + message; }});
  app.connect();
</script>"""
PAGE = '<!doctype html><title>{0}</title><p>{0}</p><script src="part.js"></script>'
LINK = re.compile(r"ui://(team/)?fresh/page\?v=[0-9a-f]{16}")


@pytest.fixture
def folder(tmp_path):
    """A server with a versioned page of two files, and one that is not versioned."""
    write(tmp_path, "server.py", SERVER)
    write(tmp_path, "page.html", PAGE.format("one"))
    write(tmp_path, "part.js", "const one = 1;")
    write(tmp_path, "plain.html", "<!doctype html><title>P</title><p>plain</p>")
    write(tmp_path, "own.html", "<!doctype html><title>O</title><p>own</p>")
    write(tmp_path, "question.html", QUESTION.format("first"))
    write(tmp_path, "insert.html", PAGE.format("before"))
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


async def test_a_page_without_a_version_is_built_anew_as_well(start, another_window, folder):
    """Its address stays, so nobody is told; the window shows it again."""
    async with another_window(start(folder / "server.py")) as window:
        await window.connect()
        write(folder, "plain.html", "<!doctype html><title>P</title><p>quite another one</p>")
        await window.hear("pages_changed")
        await window.hear("server", state="ready")
        assert starts(window) == 0
        assert told(window, "notifications/tools/list_changed") == 0
        await window.run("plain")
        shown = (await window.hear("show"))["frame"]["page"]
        assert shown["size"] == len(build_page(folder / "plain.html").html.encode())


async def test_files_that_are_no_ones_are_nothing(start, another_window, folder):
    """A picture of the screen, a style nobody links, and what the server itself writes."""
    async with another_window(start(folder / "server.py")) as window:
        await window.connect()
        (folder / "shot.png").write_bytes(b"\x89PNG")
        write(folder, "other.css", "p { color: red }")
        await asyncio.sleep(0.5)  # a change of its own: what follows is not to be told with it
        write(folder, "part.js", "const another = 2;")
        await window.hear("pages_changed")
        assert starts(window) == 0
        assert sum(message["type"] == "pages_changed" for message in window.heard) == 1


@pytest.mark.parametrize(
    ("name", "loads", "detail"),
    [
        ("own.html", "data:,", ""),
        ("page.html", "missing.js", "missing.js"),
        ("plain.html", "https://cdn.example/a.js", "[page-origin]"),
    ],
)
async def test_the_rest_starts_the_server_anew(  # noqa: PLR0917  three of them are fixtures
    start, another_window, folder, name, loads, detail
):
    """A file that the server's code has read, and pages that it would not start with."""
    async with another_window(start(folder / "server.py")) as window:
        await window.connect()
        write(folder, name, f'<!doctype html><title>O</title><script src="{loads}"></script>')
        state = await window.hear("server", state="starting")
        assert state["pagesOnly"]
        after = await window.hear("server", state="failed" if detail else "ready")
        assert detail in after.get("detail", "")
        assert told(window, "notifications/tools/list_changed") == 0


def rows(folder):
    return (folder / "rows.txt").read_text(encoding="utf-8").count("row")


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_an_open_question_is_shown_with_its_new_page(start, another_window, folder, era):
    """The call that asks goes on: its row is not written a second time."""
    async with another_window(start(folder / "server.py")) as window:
        await window.connect(era=era)
        await window.run("insert")
        asked = await window.hear("ask", kind="elicitation")
        view = asked["frame"]["view"]
        for text in ("second", "the third"):
            write(folder, "question.html", '<script src="not-there-yet.js"></script>')
            await window.hear("pages_changed")  # cannot be built: what is shown stays
            write(folder, "question.html", QUESTION.format(text))
            await window.hear("pages_changed")
            again = await window.hear("ask_again", was=view)
            view = again["frame"]["view"]
            newest = build_page(folder / "question.html").html
            assert again["frame"]["page"]["size"] == len(newest.encode())
        write(folder, "part.js", "const other = 5;")
        await window.hear("pages_changed")
        answer = {"action": "accept", "content": {"word": "yes"}}
        await window.say("answer", question=asked["question"], value=answer)
        outcome = await window.outcome()
        assert outcome["result"]["content"][0]["text"] == "accept: yes"
        kinds = [message["type"] for message in window.heard]
        assert (kinds.count("ask"), kinds.count("ask_again")) == (1, 2)
        assert (rows(folder), starts(window)) == (1, 0)


@pytest.mark.parametrize("name", ["own.html", "page.html"])
async def test_a_start_for_pages_waits_for_the_call(start, another_window, folder, name):
    """What only a new start takes in, or refuses, is no reason to end a call."""
    async with another_window(start(folder / "server.py")) as window:
        await window.connect()
        await window.run("insert")
        asked = await window.hear("ask", kind="elicitation")
        write(folder, name, '<!doctype html><title>O</title><script src="gone.js"></script>')
        await asyncio.sleep(1)  # longer than a change takes to be seen
        answer = {"action": "accept", "content": {"word": "yes"}}
        await window.say("answer", question=asked["question"], value=answer)
        outcome = await window.outcome()
        assert outcome["result"]["content"][0]["text"] == "accept: yes"
        assert starts(window) == 0
        assert (await window.hear("server", state="starting"))["pagesOnly"]
        assert rows(folder) == 1


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


@pytest.mark.browser
async def test_the_window_calls_nothing_again(start, tab, folder):
    """With a question open and after it: one call, its page anew, and the form as it was."""
    page = await tab(start(folder / "server.py"))
    await page.click("[role=option][data-name=insert]")
    await page.click("#tool button.primary")
    question = page.frame_locator(".question iframe").frame_locator("iframe")
    await question.get_by_text("first Which word?").wait_for()
    await page.click(".question .segments button:has-text('Form')")
    await page.locator(".question form input").first.fill("mine")
    write(folder, "question.html", QUESTION.format("second"))
    write(folder, "insert.html", PAGE.format("after"))
    await page.click(".question .segments button:has-text('Page')")
    await question.get_by_text("second Which word?").wait_for()
    (folder / "shot.png").write_bytes(b"\x89PNG")
    await page.click(".question .segments button:has-text('Form')")
    assert await page.locator(".question form input").first.input_value() == "mine"
    await page.click(".question form button.primary")
    await page.locator("#tool .status", has_text="done").wait_for()
    await page.locator("#pane-result", has_text="accept: mine").wait_for(state="attached")
    shown = page.frame_locator("iframe.app").frame_locator("iframe")
    await shown.get_by_text("after", exact=True).wait_for()
    write(folder, "insert.html", PAGE.format("at last"))
    await shown.get_by_text("at last", exact=True).wait_for()
    assert rows(folder) == 1
