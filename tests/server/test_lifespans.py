"""What starts with a server has started when the server is looked over, and stops if it cannot."""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.apps import AppConfig
from fastmcp.client.transports import PythonStdioTransport
from fastmcp.server.providers import AggregateProvider, Provider
from fastmcp.tools import Tool

from mcp_apps_plugin import (
    AppsConfigurationError,
    AppsExtension,
    app_resource,
    attach_ui,
    audit,
    elicits,
    ui,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path


@app_resource("ui://a/page")
def page() -> str:
    return "<!doctype html>"


@ui(page)
def show() -> dict[str, int]:
    return {}


def plain() -> dict[str, int]:
    return {}


@ui("ui://a/none")
def broken() -> dict[str, int]:
    return {}


class Database(Provider):
    """A provider of an author's that opens something when the server starts."""

    def __init__(self, notes: list[str], *tools: Tool) -> None:
        super().__init__()
        self.notes, self.tools = notes, tools
        self.opened = False

    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[None]:
        """Open and close."""
        self.notes.append("opened")
        self.opened = True
        try:
            yield
        finally:
            self.opened = False
            self.notes.append("closed")

    async def _list_tools(self) -> Any:
        self.notes.append("asked" if self.opened else "asked too early")
        return self.tools


PLACES = {
    "provider": lambda server, database: server.add_provider(database),
    "namespace": lambda server, database: server.add_provider(database, namespace="n"),
    "aggregate": lambda server, database: server.add_provider(AggregateProvider([database])),
    "mount": lambda server, database: server.mount(FastMCP("c", providers=[database])),
    "nested": lambda server, database: server.mount(below(database), namespace="outer"),
}


def below(database: Database) -> FastMCP[Any]:
    """Mount a server with the database on another one."""
    outer = FastMCP("outer")
    outer.mount(FastMCP("inner", providers=[database]), namespace="inner")
    return outer


@pytest.mark.parametrize("place", list(PLACES))
@pytest.mark.parametrize("transport", ["memory", "http"])
async def test_what_a_provider_opens_is_open(
    connect: Any, wire: Any, transport: str, place: str
) -> None:
    """Every provider is asked after its own lifespan was entered, and before the first request."""
    notes: list[str] = []
    server = FastMCP("s")
    server.tool(show)
    PLACES[place](server, Database(notes))
    async with (connect if transport == "memory" else wire)(server):
        # FastMCP asks, too, for background tasks; nobody asks before.
        assert notes[0] == "opened"
        assert set(notes[1:]) == {"asked"}
    assert notes.count("opened") == notes.count("closed") == 1
    assert notes[-1] == "closed"


@pytest.mark.parametrize("place", list(PLACES))
async def test_a_finding_of_what_was_opened(connect: Any, wire: Any, place: str) -> None:
    """What only an opened provider can list stops the start, and all that was entered is left."""
    notes: list[str] = []

    @asynccontextmanager
    async def own(_: FastMCP[Any]) -> AsyncGenerator[dict[str, Any]]:
        notes.append("begun")
        try:
            yield {}
        finally:
            notes.append("ended")

    server = FastMCP("s", lifespan=own)
    server.tool(show)
    PLACES[place](server, Database(notes, Tool.from_function(broken)))
    PLACES["mount"](server, Database(notes))
    for opening in (connect(server), wire(server), server._lifespan_manager()):
        notes.clear()
        with pytest.raises(Exception, match=r"cannot start, 1 error") as caught:
            async with opening:
                notes.append("served")
        assert "link-dangling" in str(caught.value)
        assert "served" not in notes
        assert "asked too early" not in notes
        closing = [note for note in notes if note != "asked"]
        assert closing == ["begun", "opened", "opened", "closed", "closed", "ended"]
    assert not server._started.is_set()


async def test_a_start_within_a_start_is_looked_over_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A transport that enters a server twice, and one more client, find it looked over."""
    server = FastMCP("s", providers=[Database([])])
    server.tool(app=AppConfig(resource_uri="ui://a/none"))(plain)
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        async with server._lifespan_manager(), server._lifespan_manager(), Client(server):
            pass
        said = [r for r in caplog.records if r.name == "mcp_apps_plugin"]
        assert len(said) == 1
        async with server._lifespan_manager():
            pass
    assert len([r for r in caplog.records if r.name == "mcp_apps_plugin"]) == 2


async def asked(add: Any, mode: str, place: str) -> list[str]:
    """Start a server with a database; return what happened to that."""
    notes: list[str] = []
    server = FastMCP("s")
    server.add_extension(AppsExtension(audit=mode))
    server.tool(plain)
    server.resource("data://x")(plain)
    add(server)
    PLACES[place](server, Database(notes, Tool.from_function(broken)))
    async with server._lifespan_manager():
        return notes


def mounted(server: FastMCP[Any], child: FastMCP[Any]) -> None:
    """Mount a server that is mounted on another one."""
    middle = FastMCP("middle")
    middle.mount(child)
    server.mount(middle, namespace="m")


def registered(server: FastMCP[Any]) -> None:
    """Register a page of FastMCP's own."""
    server.resource("ui://a/page")(plain)


def child_with(tool: Any) -> FastMCP[Any]:
    """Make a server with one tool."""
    child = FastMCP("child")
    child.tool(tool)
    return child


@pytest.mark.parametrize("place", list(PLACES))
async def test_a_server_without_pages_asks_nobody(place: str) -> None:
    """Where nothing takes part, an author's own provider is asked by nobody but FastMCP."""
    for add in (lambda _: None, lambda server: mounted(server, child_with(plain))):
        assert await asked(add, "error", place) == await asked(add, "off", place)


TAKING_PART = {
    "tool": lambda server: server.tool(show),
    "tool of a mounted server": lambda server: mounted(server, child_with(show)),
    "app=": lambda server: server.tool(app=AppConfig(visibility=["app"]))(plain),
    "page": registered,
    "attached": lambda server: attach_ui(server, {"plain": page}),
    "asked with": lambda server: server.prompt(elicits("ui://a/none")(lambda: "p"), name="p"),
}


@pytest.mark.parametrize("how", list(TAKING_PART))
async def test_a_server_with_pages_asks_everybody(how: str) -> None:
    """Where anything takes part, what an author's provider lists is looked over as ever."""
    for place in PLACES:
        assert await asked(TAKING_PART[how], "off", place)  # it starts
        with pytest.raises(AppsConfigurationError, match=r"broken'.*links `ui://a/none`"):
            await asked(TAKING_PART[how], "error", place)


async def test_an_audit_asks_everybody() -> None:
    """Who asks for an audit is told what any provider lists."""
    server = FastMCP("s", providers=[Database([], Tool.from_function(broken))])
    (finding,) = (await audit(server)).findings
    assert "'broken'" in finding.subject


PROGRAM = """
import sys
from contextlib import asynccontextmanager
from fastmcp import FastMCP
from fastmcp.server.providers import Provider
from mcp_apps_plugin import (
    AppsConfigurationError,
    AppsExtension,
    app_resource,
    attach_ui,
    audit,
    elicits,
    ui,
)

def say(word):
    with open(sys.argv[1], "a", encoding="utf-8") as notes:
        notes.write(word + "\\n")

class Database(Provider):
    opened = False
    @asynccontextmanager
    async def lifespan(self):
        say("opened")
        self.opened = True
        try:
            yield
        finally:
            say("closed")
    async def _list_tools(self):
        say("asked" if self.opened else "asked too early")
        return []

mcp = FastMCP("s", providers=[Database()])

@app_resource("ui://a/page")
def page() -> str: return "<!doctype html>"

@mcp.tool
@ui(page if sys.argv[2] == "starts" else "ui://a/none")
def show() -> dict: return {}

mcp.run(show_banner=False)
"""


async def test_on_stdio(tmp_path: Path, era: str) -> None:
    """The order is the same for a process of its own."""
    program, notes = tmp_path / "program.py", tmp_path / "notes"
    program.write_text(PROGRAM, encoding="utf-8")
    transport = PythonStdioTransport(program, args=[str(notes), "starts"], keep_alive=False)
    async with Client(transport, mode="legacy" if era == "legacy" else "auto") as client:
        said = notes.read_text(encoding="utf-8").split("\n")
        assert said[0] == "opened"
        assert "asked" in said
        assert "asked too early" not in said
        assert (await client.list_tools())[0].meta["ui"]["resourceUri"] == "ui://a/page"


async def test_a_stop_on_stdio(tmp_path: Path) -> None:
    """A process that cannot start says so, and closes what it opened."""
    program, notes = tmp_path / "program.py", tmp_path / "notes"
    program.write_text(PROGRAM, encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(program), str(notes), "stops"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode != 0
    assert out == b""
    assert b"cannot start, 1 error" in err
    assert b"_lifespan_manager" not in err
    said = notes.read_text(encoding="utf-8").split()
    assert (said[0], said[-1]) == ("opened", "closed")
    assert "asked too early" not in said
