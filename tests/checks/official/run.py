"""Checks the official example servers by their address: none of them may have an error.

    npm install --prefix tests/checks/official
    python tests/checks/official/run.py [--browser]

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

from mcp_apps_plugin.checks import check_url
from mcp_apps_plugin.checks.run import Options

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
SERVERS = HERE / "node_modules" / "@modelcontextprotocol"
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


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield each server's name and how it is started; the port is in `PORT` and comes last."""
    for folder in sorted(SERVERS.glob("server-*")):
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
    options = Options(browser="--browser" in sys.argv)
    failed = 0
    for name, command in commands():
        with serving(command) as url:
            report = asyncio.run(check_url(url, options))
        failed += bool(report.errors)
        print(f"{name}\n  {report}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
