"""The server's process: ready, guarded, mounted, failed, gone, ended."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import subprocess
import time
from pathlib import Path

import httpx2
import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from mcp_apps_plugin.dev.nursery import Spawner
from mcp_apps_plugin.dev.order import Order
from mcp_apps_plugin.dev.process import ServerFailedError, ServerProcess

GALLERY = Path(__file__).with_name("gallery.py")
GOES = """
import os, threading
from fastmcp import FastMCP
mcp = FastMCP("Goes")
threading.Timer(1.5, lambda: (print("bye", flush=True), os._exit(3))).start()
"""
STUCK = """
import os, pathlib, time
pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()))
time.sleep(600)
"""
PRINTS = """
from contextlib import asynccontextmanager
from fastmcp import FastMCP
print("at import")

@asynccontextmanager
async def lifespan(server):
    print("at start")
    yield {}

mcp = FastMCP("Prints", lifespan=lifespan)

@mcp.tool
def speak() -> str:
    print("in a call")
    return "spoken"
"""


@pytest.fixture
async def run():
    """Make the process of a file, and end it."""
    made = []

    def make(spec):
        lines, heard, gone = [], asyncio.Queue(), asyncio.Queue()

        def hear(line):
            lines.append(line)
            heard.put_nowait(line)

        process = ServerProcess(
            Spawner("mcp_apps_plugin.cli.dev_child"),
            Order(str(spec), secrets.token_urlsafe()),
            on_line=hear,
            on_gone=gone.put_nowait,
        )
        made.append(process)
        process.lines, process.heard, process.gone = lines, heard, gone
        return process

    yield make
    for process in made:
        await process.stop()


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    # One that has ended and that nobody asked about is still listed.
    return not (state.exists() and state.read_text(encoding="utf-8").rpartition(")")[2][1] == "Z")


def client_of(endpoint):
    return Client(StreamableHttpTransport(endpoint.url, headers=dict(endpoint.headers)))


async def test_a_server_answers_the_holder_of_the_key_alone(run):
    """No other program and no page may call tools behind the dev host's back."""
    process = run(GALLERY)
    endpoint = await process.start()
    async with client_of(endpoint) as client:
        assert "show" in {tool.name for tool in await client.list_tools()}
        await client.call_tool("chat", {})
    async with httpx2.AsyncClient() as http:
        for headers in ({}, {"x-mcp-apps-dev": "guessed"}):
            assert (await http.post(endpoint.url, json={}, headers=headers)).status_code == 403
    await process.stop()
    assert "from the server's print" in process.lines
    with pytest.raises(httpx2.ConnectError):
        async with httpx2.AsyncClient() as http:
            await http.get(endpoint.url)


async def test_what_a_server_prints_is_heard_at_once(run, tmp_path, monkeypatch):
    """Whenever it prints: neither taken for the process's own word nor kept until there is more."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    (file := tmp_path / "prints.py").write_text(PRINTS)
    process = run(file)
    async with client_of(await process.start()) as client:
        await client.call_tool("speak", {})
        async with asyncio.timeout(5):
            while await process.heard.get() != "in a call":
                pass
    assert process.lines[:2] == ["at import", "at start"]


async def test_a_server_below_another(run):
    """With a namespace the server is mounted, as applications of several servers do."""
    async with client_of(await run(GALLERY).start("shop")) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        assert tools["shop_show"].meta["ui"]["resourceUri"] == "ui://shop/gallery/page"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def broken(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("x = 1", "no FastMCP server"),
        (
            (
                "from fastmcp import FastMCP\nfrom mcp_apps_plugin import ui\nmcp = FastMCP('A')\n"
                "@mcp.tool\n@ui('ui://no/page')\ndef look() -> str:\n    return ''\n"
            ),
            "[link-dangling]",
        ),
    ],
)
async def test_a_server_that_does_not_start_says_why(run, tmp_path, code, said):
    """The words of the failure are what the window shows."""
    path = tmp_path / "server.py"
    path.write_text(code, encoding="utf-8")
    with pytest.raises(ServerFailedError, match=r"(?s).+") as failed:
        await run(path).start()
    assert said in str(failed.value)


async def test_a_server_that_goes_is_missed(run, tmp_path):
    """A process that ends unasked is told of, with its last words; one that is ended is not."""
    path = tmp_path / "server.py"
    path.write_text(GOES, encoding="utf-8")
    process = run(path)
    await process.start()
    assert "bye" in await asyncio.wait_for(process.gone.get(), 20)
    await process.stop()
    assert process.gone.empty()


@pytest.fixture
def _interruptible():
    """Let processes end by SIGINT, also where these tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("ends", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_no_process_outlives_the_dev_host(command, tmp_path, ends):
    """However it ends, and whatever the server is at: here a module that is never done."""
    path = tmp_path / "server.py"
    path.write_text(STUCK, encoding="utf-8")
    (noted := tmp_path / "pid").touch()
    nowhere = subprocess.DEVNULL
    with subprocess.Popen([command, "dev", path], stdout=nowhere, stderr=nowhere) as host:
        wait_until(noted.read_text)
        host.send_signal(signal.Signals[ends])
    wait_until(lambda: not is_there(int(noted.read_text())))
