"""`mcp-apps … | head`: whoever reads the output has gone, and the command goes too."""

from __future__ import annotations

import os
import subprocess

import pytest

SERVER = """
from fastmcp import FastMCP
mcp = FastMCP("Plain")

@mcp.tool
def look() -> str:
    return "seen"
"""
PING = '{"jsonrpc": "2.0", "id": 0, "method": "ping"}\n'

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there pipes close in another way")


@pytest.fixture
def unread(write, command, tmp_path):
    """Run a command whose output, or whose errors too, nobody reads."""
    write(SERVER)

    def run(*arguments: str, errors_too: bool = False, buffered: bool = True):
        reading, writing = os.pipe()
        os.close(reading)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
        environment |= {"FASTMCP_SHOW_SERVER_BANNER": "false", "FASTMCP_LOG_ENABLED": "false"}
        if not buffered:
            environment["PYTHONUNBUFFERED"] = "1"
        try:
            return subprocess.run(
                [command, *arguments],
                cwd=tmp_path,
                env=environment,
                input=PING,
                stdout=writing,
                stderr=writing if errors_too else subprocess.PIPE,
                text=True,
                timeout=60,
                check=False,
            )
        finally:
            os.close(writing)

    return run


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "server.py"),
        ("check", "server.py", "--explain", "look"),
        ("check", "--help"),
        ("dev", "server.py"),
        ("new", "x"),
        ("plugins",),
        ("plugins", "--format", "json"),
        ("run", "server.py"),
        ("types", "server.py"),
        ("--version",),
    ],
    ids=" ".join,
)
def test_a_command_ends_silently(unread, arguments, buffered):
    """With the status that shells give for a closed pipe, and without a traceback."""
    done = unread(*arguments, buffered=buffered)
    assert (done.returncode, done.stderr) == (141, "")


def test_errors_that_nobody_reads(unread):
    """So it is with `2>&1 | head`."""
    assert unread("check", "nowhere.py", errors_too=True).returncode == 141


def test_errors_are_still_told(unread):
    """What goes wrong before anything is printed is said, as ever."""
    done = unread("check", "nowhere.py")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
