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
