"""`FileSystemProvider(reload=True)`: each request reads the files again, and makes all anew."""

from __future__ import annotations

import asyncio
import os
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP
from fastmcp.server.providers import FileSystemProvider

from mcp_apps_plugin import Code, app_resource, audit, ui

if TYPE_CHECKING:
    from pathlib import Path

URI = "ui://folder/page"
TOOLS = {
    "file": """
        from fastmcp.tools import tool
        from mcp_apps_plugin import ui
        @tool
        @ui("ui://folder/page", html="page.html", csp={"connect_domains": ["https://one.example"]})
        def show() -> dict: return {}
    """,
    "function": """
        from fastmcp.tools import tool
        from mcp_apps_plugin import app_resource, ui
        @app_resource("ui://folder/page", csp={"connect_domains": ["https://one.example"]})
        def page() -> str: return "<!doctype html>one"
        @tool
        @ui(page)
        def show() -> dict: return {}
    """,
    "function that a function made": """
        from fastmcp.tools import tool
        from mcp_apps_plugin import app_resource, ui
        def said(): return "one"
        def make(kinds, *, say):
            @app_resource("ui://folder/page", csp={"connect_domains": ["https://one.example"]})
            def page(start="<!doctype html>") -> str: return start + say()
            return page
        @tool
        @ui(make(("a", "b"), say=said))
        def show() -> dict: return {}
    """,
    "registered function": """
        from fastmcp.resources import resource
        from fastmcp.tools import tool
        from mcp_apps_plugin import app_resource, ui
        @resource("ui://folder/page")
        @app_resource(csp={"connect_domains": ["https://one.example"]})
        def page() -> str: return "<!doctype html>one"
        @tool
        @ui(page)
        def show() -> dict: return {}
    """,
}


def write(folder: Path, kind: str, word: str) -> None:
    """Write the folder's files, with a word in page and options."""
    code = textwrap.dedent(TOOLS[kind]).replace("one", word)
    for name, text in (("page.html", f"<!doctype html>{word}"), (f"{folder.name}.py", code)):
        (folder / name).write_text(text, encoding="utf-8")
        # Files of one second and one size are the same to Python's cache.
        os.utime(folder / name, (len(word), len(word)))


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    # A module's name is its file's, and stays with the process.
    path = tmp_path / f"f{abs(hash(request.node.name))}"
    path.mkdir()
    return path


async def seen(client: Any) -> tuple[str, str, str]:
    """Return the listed link, the page's origin, and what the page says."""
    (tool,) = await client.list_tools()
    (page,) = await client.list_resources()
    link = tool.meta["ui"]["resourceUri"]
    (read,) = await client.read_resource(link)
    assert str(page.uri) == link
    assert read.meta["ui"] == page.meta["ui"]
    return link, page.meta["ui"]["csp"]["connectDomains"][0], read.text


@pytest.mark.parametrize("place", ["provider", "namespace", "mount"])
@pytest.mark.parametrize("kind", list(TOOLS))
async def test_a_folder_that_is_read_again(
    connect: Any, folder: Path, kind: str, place: str
) -> None:
    """The server starts without a word, and shows what the files say now."""
    write(folder, kind, "one")
    provider = FileSystemProvider(folder, reload=True)
    server = FastMCP("s")
    if place == "mount":
        server.mount(FastMCP("child", providers=[provider]), namespace="m")
    else:
        server.add_provider(provider, namespace="n" if place == "namespace" else "")
    assert (await audit(server)).findings == ()
    uri = URI if place == "provider" else f"ui://{place[0]}/folder/page"
    if place == "namespace" and kind in ("file", "function that a function made"):
        uri = URI  # a page that only tools bring is their server's own
    async with connect(server) as client:
        for _ in range(2):
            assert await seen(client) == (uri, "https://one.example", "<!doctype html>one")
        write(folder, kind, "another")
        for _ in range(2):
            assert await seen(client) == (uri, "https://another.example", "<!doctype html>another")


@pytest.mark.parametrize("kind", ["file", "function"])
async def test_many_at_once(connect: Any, folder: Path, kind: str) -> None:
    """While one request has the files read, no other one finds the folder empty."""
    write(folder, kind, "one")
    server = FastMCP("s", providers=[FileSystemProvider(folder, reload=True)])
    async with connect(server) as client:
        asked = [client.list_resources() for _ in range(12)]
        found = await asyncio.gather(*asked, *(client.read_resource(URI) for _ in range(12)))
    assert [len(each) for each in found] == [1] * 24


async def test_two_servers_that_share_two_folders(tmp_path: Path) -> None:
    """Neither waits for the other for ever."""
    folders = []
    for name in ("shared_one", "shared_two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, "file", name)
        folders.append(FileSystemProvider(tmp_path / name, reload=True))
    servers = [FastMCP("a", providers=folders), FastMCP("b", providers=folders[::-1])]
    async with asyncio.timeout(60):
        for server in servers:
            # One address with two sources is still said.
            assert {f.code for f in (await audit(server)).findings} == {Code.PAGE_CONFLICT}
        found = await asyncio.gather(*(s.list_resources() for s in servers * 6))
    assert [len(each) for each in found] == [1] * 12


def made_of(text: str, *, default: str = "") -> Any:
    @app_resource(URI)
    def page(after: str = default) -> str:
        return text + after

    return page


class Pages:
    def __init__(self, text: str) -> None:
        self.text = text

    def page(self) -> str:
        """Make the page."""
        return self.text


def tool_of() -> Any:
    def show() -> dict[str, int]:
        return {}

    return show


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (made_of("one"), made_of("two")),
        (made_of("one", default="1"), made_of("one", default="2")),
        (made_of("one"), app_resource(URI)(lambda: "one")),
        (app_resource(URI)(Pages("one").page), app_resource(URI)(Pages("two").page)),
    ],
    ids=["closure", "default", "code", "object"],
)
async def test_two_functions_that_look_alike(one: Any, two: Any) -> None:
    """Two sources of one address are a conflict, however like each other they are written."""
    server = FastMCP("s")
    server.tool(ui(one)(tool_of()), name="one")
    assert (await audit(server)).findings == ()
    server.tool(ui(two)(tool_of()), name="two")
    (finding,) = (await audit(server)).findings
    assert (finding.code, finding.severity) == (Code.PAGE_CONFLICT, "error")
