"""The installed command, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("mcp-apps")


@pytest.fixture
def mcp_apps(tmp_path):
    """Run `mcp-apps` in an empty folder."""

    def run(*arguments: str, stdin: str = "", **environment: str):
        return subprocess.run(
            [COMMAND, *arguments],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "120", **environment},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def command() -> str:
    """The installed command's file."""
    return str(COMMAND)


@pytest.fixture
def write(tmp_path):
    """Write a file into that folder."""

    def write_file(text: str, name: str = "server.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write_file
