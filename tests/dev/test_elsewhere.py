"""Servers that run elsewhere, by `--url`, and what they ask for: headers, patience, plain words."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest

from mcp_apps_plugin.dev.endpoint import Endpoint

SECRET = "Bearer opens-the-door"
PROGRAM = """
import sys, uvicorn
from fastmcp import FastMCP

mcp = FastMCP("Elsewhere")

@mcp.tool
def look() -> str:
    return "seen"

app = mcp.http_app()
port, secret, status = int(sys.argv[1]), sys.argv[2].encode(), int(sys.argv[3])

async def guarded(scope, receive, send):
    given = dict(scope.get("headers", ())).get(b"authorization", b"")
    if scope["type"] != "http" or given == secret:
        await app(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body"})

class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print("up", flush=True)

Server(uvicorn.Config(guarded, port=port, log_level="error")).run()
"""


@asynccontextmanager
async def elsewhere(port, *, secret="", status=401):
    """Run a server in a process of its own; with a secret, only who says it is let in."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, str(port), secret, str(status)),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert await process.stdout.readline() == b"up\n"
        yield
    finally:
        process.kill()
        await process.wait()


@pytest.fixture
def port():
    """A port that is free."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


@pytest.mark.parametrize(("status", "phrase"), [(401, "Unauthorized"), (403, "Forbidden")])
async def test_who_is_not_let_in_is_told_how(start, another_window, port, status, phrase):
    """Address, status, and the option that is missing; nobody is asked again and again."""
    address = start("--url", f"http://127.0.0.1:{port}/mcp")
    async with elsewhere(port, secret=SECRET, status=status), another_window(address) as window:
        await window.say("connect")
        said = (await window.hear("server", state="failed"))["detail"]
    assert f"http://127.0.0.1:{port}/mcp answers {status} {phrase}" in said
    assert '--header "Authorization: Bearer …"' in said


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_headers_open_the_door_and_are_shown_to_nobody(start, another_window, port, era):
    """Neither in what the window hears nor in its record; below a namespace the proxy has them."""
    async with elsewhere(port, secret=SECRET):
        address = start(
            *("--url", f"http://127.0.0.1:{port}/mcp"),
            *("--header", f"Authorization: {SECRET}", "--header", "X-Team: blue"),
        )
        async with another_window(address) as window:
            assert (await window.connect(era=era))["name"] == "Elsewhere"
            await window.run("look")
            assert (await window.outcome())["result"]["content"][0]["text"] == "seen"
            await window.say("mount", namespace="far")
            server = (await window.hear("server", state="ready", namespace="far"))["server"]
            assert [tool["name"] for tool in server["tools"]] == ["far_look"]
            await window.run("far_look")
            assert (await window.outcome())["result"]["content"][0]["text"] == "seen"
    assert SECRET.removeprefix("Bearer ") not in json.dumps(window.heard)


async def test_a_server_that_comes_goes_and_comes_back(start, another_window, port):
    """It is looked for, connected to, missed at the next call, and connected to again."""
    address = start("--url", f"http://127.0.0.1:{port}/mcp")
    async with another_window(address) as window:
        await window.say("connect")
        said = (await window.hear("server", state="failed"))["detail"]
        assert f"http://127.0.0.1:{port}/mcp cannot be reached" in said
        async with elsewhere(port):
            await window.hear("server", state="ready")
        await window.run("look")
        assert (await window.outcome())["error"]
        await window.hear("server", state="lost")
        async with elsewhere(port):
            await window.hear("server", state="ready")
            await window.run("look")
            assert (await window.outcome())["result"]["content"][0]["text"] == "seen"


async def test_an_address_without_a_server_is_said(start, another_window, port):
    """A path that is no endpoint is told apart from a server that is down."""
    address = start("--url", f"http://127.0.0.1:{port}/nothing")
    async with elsewhere(port), another_window(address) as window:
        await window.say("connect")
        said = (await window.hear("server", state="failed"))["detail"]
    assert f"http://127.0.0.1:{port}/nothing answers 404 Not Found" in said


@pytest.mark.parametrize(
    "header", ["no colon", ": no name", "two words: x", "Name: two\nlines: y", "Näme: x"]
)
def test_what_is_no_header_is_not_repeated(command, header):
    """It may hold a secret; its place is said instead."""
    done = subprocess.run(
        [command, "dev", "--url", "http://127.0.0.1:1/mcp", "--header", "A: b", "--header", header],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "--header number 2 is no header" in done.stderr
    assert header not in done.stderr


async def test_headers_do_not_follow_a_redirection_to_somebody_else(port):
    """The server's word is not enough to hand them on."""
    heard = []

    async def answer(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        heard.append(head.decode().lower())
        to = b"Location: http://localhost:%d/mcp\r\n" % port
        first = len(heard) == 1
        writer.write(b"HTTP/1.1 307 Moved\r\n" + to if first else b"HTTP/1.1 404 No\r\n")
        writer.write(b"Content-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    endpoint = Endpoint(f"http://127.0.0.1:{port}/mcp", {"X-Key": "secret"})
    server = await asyncio.start_server(answer, "127.0.0.1", port)
    async with server:
        make = endpoint.transport().httpx_client_factory
        async with make(headers=dict(endpoint.headers)) as client:
            await client.get(endpoint.url)
    assert ["x-key: secret" in each for each in heard] == [True, False]


async def test_ones_own_machine_is_not_reached_by_a_proxy(start, another_window, port, monkeypatch):
    """Whatever the environment says about the way to others."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    address = start("--url", f"http://127.0.0.1:{port}/mcp")
    async with elsewhere(port), another_window(address) as window:
        assert (await window.connect())["name"] == "Elsewhere"


async def test_a_file_with_a_door_of_its_own(start, another_window, tmp_path):
    """A server that authenticates is shown with a header, and without one says what it wants."""
    (path := tmp_path / "server.py").write_text(
        "from fastmcp import FastMCP\n"
        "from fastmcp.server.auth.providers.jwt import StaticTokenVerifier\n"
        "users = StaticTokenVerifier({'opens-the-door': {'client_id': 'ada', 'scopes': []}})\n"
        "mcp = FastMCP('Guarded', auth=users)\n"
        "@mcp.tool\n"
        "def look() -> str:\n"
        "    return 'seen'\n",
        encoding="utf-8",
    )
    async with another_window(start(path)) as window:
        await window.say("connect")
        said = (await window.hear("server", state="failed"))["detail"]
        assert "401 Unauthorized" in said
    async with another_window(start(path, "--header", f"Authorization: {SECRET}")) as window:
        assert (await window.connect())["name"] == "Guarded"
        await window.run("look")
        assert (await window.outcome())["result"]["content"][0]["text"] == "seen"
