"""A second distribution changes the wire of a server that does not know it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from mcp_apps_plugin.protocol.constants import EXTENSION_ID, MIME_TYPE

URI = "ui://weather/dashboard"
OURS = {EXTENSION_ID: {"mimeTypes": [MIME_TYPE]}}
THEIRS = {"example.company/support": {"contact": "pages@company.example"}}


@pytest.fixture
def broken(tmp_path):
    """Two plugins beside it: one cannot be imported, one fails whenever it is called."""
    for name, code in (("gone", None), ("fails", "raise RuntimeError('out of order')")):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[mcp_apps_plugin]\n{name} = {name}_plugin\n")
        if code is not None:
            hooks = ("capabilities(): ", "page(ui): ")
            lines = [f"@hookimpl\ndef mcp_apps_customize_{hook}{code}\n" for hook in hooks]
            text = "from mcp_apps_plugin import hookimpl\n" + "".join(lines)
            (tmp_path / f"{name}_plugin.py").write_text(text)
    return tmp_path


async def wire(server, log, *paths, **environment):
    """What a server declares, and what its page says, in one process of its own."""
    path = os.pathsep.join(str(path) for path in paths)
    transport = StdioTransport(
        sys.executable,
        [str(server)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        log_file=log,
    )
    async with Client(transport) as client:
        (page,) = await client.read_resource(URI)
        (listed,) = await client.list_resources()
        assert listed.meta["ui"] == page.meta["ui"]
        return client.server_capabilities.extensions, page.meta["ui"]


async def test_the_wire_changes_without_a_line_in_the_server(examples, company_plugin, tmp_path):
    """Installed, it adds a capability and an origin; switched off, nothing of it is left."""
    server, log = examples / "weather" / "server.py", tmp_path / "log.txt"
    extensions, plain = await wire(server, log)
    assert extensions == OURS
    extensions, ui = await wire(server, log, company_plugin)
    assert extensions == OURS | THEIRS
    csp = plain["csp"] | {"resourceDomains": ["https://cdn.company.example"]}
    assert ui == {"csp": csp, "prefersBorder": False}
    off = await wire(server, log, company_plugin, MCP_APPS_PLUGINS="none")
    assert off == (OURS, plain)


async def test_broken_neighbours_harm_nobody(examples, company_plugin, broken, tmp_path):
    """What fails is named on standard error and left out; the rest works as if it were alone."""
    server, log = examples / "weather" / "server.py", tmp_path / "log.txt"
    alone = await wire(server, log, company_plugin)
    assert await wire(server, log, broken, company_plugin) == alone
    said = log.read_text()
    assert "plugin 'gone' of gone in load" in said
    assert "out of order" in said


def test_the_listing_shows_all_three(mcp_apps, company_plugin, broken):
    """`mcp-apps plugins` has each with its version and its state."""
    path = os.pathsep.join([str(broken), str(company_plugin)])
    done = subprocess.run(
        [mcp_apps, "plugins", "--format", "json"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    listed = {each["name"]: each for each in json.loads(done.stdout)}
    assert listed["company"] == {
        "name": "company",
        "distribution": "company-mcp-apps",
        "version": "1.0",
        "status": "active",
        "hooks": [
            "mcp_apps_audit",
            "mcp_apps_customize_capabilities",
            "mcp_apps_customize_page",
        ],
        "failures": [],
    }
    assert listed["gone"]["status"] == "failed"
    assert listed["fails"]["status"] == "active"  # until it is called
    assert done.returncode == 1


def test_its_audit_rule_runs(mcp_apps, company_plugin, tmp_path):
    """A rule of the plugin is reported like any other."""
    (tmp_path / "camera.html").write_text("<p>smile")
    (tmp_path / "server.py").write_text(
        "from fastmcp import FastMCP\n"
        "from mcp_apps_plugin import Permissions, ui\n"
        "mcp = FastMCP('Camera')\n"
        "@mcp.tool\n"
        "@ui(html='camera.html', permissions=Permissions(camera=True))\n"
        "def look() -> str: ...\n"
    )
    done = subprocess.run(
        [mcp_apps, "check", str(tmp_path / "server.py"), "--strict"],
        env={**os.environ, "PYTHONPATH": str(company_plugin)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "asks for the camera." in done.stdout
    assert "[company-camera]" in done.stdout
