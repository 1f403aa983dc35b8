"""How the command starts: `--open` opens the printed address, `--port` takes that port or none."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

BROWSER = """#!{python}
import pathlib, sys
pathlib.Path({file!r}).write_text(sys.argv[1])
"""


@pytest.fixture
def server():
    """A server's file."""
    return Path(__file__).with_name("gallery.py")


def test_the_printed_address_is_opened(command, server, tmp_path, monkeypatch):
    """By the browser that the user has chosen."""
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(BROWSER.format(python=sys.executable, file=str(opened)))
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(browser))
    with subprocess.Popen(
        [command, "dev", server, "--open"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            printed = ""
            for line in process.stdout:
                printed += line
                if "ready after" in line:
                    break
            assert opened.read_text() == re.search(r"open (\S+)", printed)[1]
        finally:
            process.terminate()


def test_a_port_that_was_asked_for_is_taken_or_nothing(command, start, server):
    """The window is there, on this machine alone; a second one there is refused in a sentence."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    assert start(server, "--port", port).startswith(f"http://127.0.0.1:{port}/")
    second = subprocess.run(
        [command, "dev", server, "--port", port],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert second.returncode == 2
    assert f"port {port} cannot be listened on" in second.stderr
    assert "Traceback" not in second.stderr


def test_the_terminal_follows_the_server(command, tmp_path):
    """A change that breaks it, its way back, and its own end are printed as in the window."""
    file = tmp_path / "server.py"
    code = "from fastmcp import FastMCP\n\nmcp = FastMCP('s')\n"
    file.write_text(code)
    with subprocess.Popen(
        [command, "dev", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            read_until(process, "ready after")
            file.write_text(f"{code}x(\n")
            assert "the server did not start:" in read_until(process, "was never closed")
            file.write_text(f"{code}\n")
            read_until(process, "started anew in")
            file.write_text(
                f"{code}import os, threading\nthreading.Timer(1, os._exit, [3]).start()\n"
            )
            assert "started anew in" in read_until(process, "the server ended:")
        finally:
            process.terminate()


def read_until(process, said):
    """Return what is printed until something is said."""
    printed = ""
    for line in process.stdout:
        printed += line
        if said in line:
            return printed
    raise AssertionError(printed)
