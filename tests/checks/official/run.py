"""Checks the official example servers by their address: none of them may have an error.

    npm install --prefix tests/checks/official
    python tests/checks/official/run.py [--browser] [FOLDER]

`FOLDER` is where the servers were installed, if that is another one. Every tool is called but those
that are marked as destructive; one in need of a web site that does not answer, or of arguments
that nobody can make up, is said to have failed, and is no error here.

FastMCP's own apps are checked as well where `prefab-ui` is installed. Not part of the test run: it
needs Node and a registry.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_apps_plugin.checks import CallPlan, CheckCode, Options, check_url

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
SCOPE = "@modelcontextprotocol"
UNKNOWN = {CheckCode.CALL_FAILED, CheckCode.CALL_ARGUMENTS}
"""What says that a result could not be had, and nothing about the server."""
FASTMCP_APPS = """
import sys
from fastmcp import FastMCP
from fastmcp.apps.approval import Approval
from fastmcp.apps.choice import Choice
from fastmcp.apps.file_upload import FileUpload
from fastmcp.apps.generative import GenerativeUI
mcp = FastMCP("FastMCP's own apps")
for app in (Approval(), Choice(), FileUpload(), GenerativeUI()):
    mcp.add_provider(app)
mcp.run(transport="http", port=int(sys.argv[1]), show_banner=False)
"""


def commands(installed: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each server's name and how it is started; the port is in `PORT` and comes last."""
    for folder in sorted((installed / "node_modules" / SCOPE).glob("server-*")):
        yield folder.name, ["node", str(folder / "dist" / "index.js")]
    if importlib.util.find_spec("prefab_ui") is not None:
        yield "FastMCP's own apps", [sys.executable, "-c", FASTMCP_APPS]


@contextmanager
def serving(command: list[str]) -> Iterator[str]:
    """Run a server on a free port; yield its address when it listens there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PORT": str(port)}
    process = subprocess.Popen(
        [*command, str(port)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(120):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.25)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    """Check them all; say what was found, and how many have errors."""
    given = sys.argv[1:]
    browser = "--browser" in given
    folders = [Path(each) for each in given if not each.startswith("--")] or [HERE]
    options = Options(browser=browser, plan=CallPlan(policy="all"))
    failed = 0
    for name, command in commands(folders[0]):
        with serving(command) as url:
            report = asyncio.run(check_url(url, options))
        failed += any(finding.code not in UNKNOWN for finding in report.errors)
        print(f"{name}\n  {report}", flush=True)
    print(f"{failed} with errors")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
