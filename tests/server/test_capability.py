"""The capability: in every version, over every transport, and merged with what others declare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.server.extensions import ServerExtension

from mcp_apps_plugin import AppsExtension, AppsValueError, Code, hookimpl
from mcp_apps_plugin.plugins import plugins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UI = "io.modelcontextprotocol/ui"
MIME = "text/html;profile=mcp-app"
LEGACY = ["2025-03-26", "2025-06-18", "2025-11-25"]
VERSIONS = [*LEGACY, "2026-07-28"]


@pytest.mark.parametrize("stateless", [False, True])
@pytest.mark.parametrize("version", VERSIONS)
async def test_over_http(wire: Any, version: str, stateless: bool) -> None:  # noqa: FBT001
    """The entry is in `initialize` and `server/discover`, stateful and stateless."""
    async with wire(FastMCP("s"), version, stateless=stateless) as raw:
        assert raw.negotiated["capabilities"]["extensions"] == {UI: {"mimeTypes": [MIME]}}
        if version != "2026-07-28":
            assert raw.negotiated["protocolVersion"] == version


async def test_in_memory(connect: Any, era: str) -> None:
    """An in-memory client reads the entry in both eras."""
    async with connect(FastMCP("s")) as client:
        capabilities = (
            client.initialize_result.capabilities
            if era == "legacy"
            else client.session.server_capabilities
        )
        assert capabilities.extensions == {UI: {"mimeTypes": [MIME]}}


def test_over_stdio(tmp_path: Path) -> None:
    """The entry is on the wire of stdio, for each version."""
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent("""
        import mcp_apps_plugin
        from fastmcp import FastMCP
        FastMCP("s").run(show_banner=False)
        """),
        encoding="utf-8",
    )
    environment = {**os.environ, "FASTMCP_LOG_LEVEL": "ERROR"}
    for version in VERSIONS:
        info = {"name": "raw", "version": "1"}
        if version == "2026-07-28":
            meta = {
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientInfo": info,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            request = {"method": "server/discover", "params": {"_meta": meta}}
        else:
            hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
            request = {"method": "initialize", "params": hello}
        with subprocess.Popen(
            [sys.executable, str(program)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": "a", **request}) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            process.stdin.close()
        assert answer["id"] == "a"
        assert answer["result"]["capabilities"]["extensions"] == {UI: {"mimeTypes": [MIME]}}


class Other(ServerExtension):
    identifier = "com.acme/other"

    def settings(self) -> dict[str, Any]:
        """One key."""
        return {"own": 1}


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("early", [True, False])
async def test_with_the_authors_settings(wire: Any, version: str, early: bool) -> None:  # noqa: FBT001
    """The author's keys stand beside ours; other extensions keep theirs."""
    extension = AppsExtension(settings={"acme": {"k": 1}, "mimeTypes": ["text/html+x"]})
    server = FastMCP("s")
    if early:
        server.add_extension(extension)
    server.add_extension(Other())
    if not early:
        server.add_extension(extension)
    async with wire(server, version) as raw:
        extensions = raw.negotiated["capabilities"]["extensions"]
    assert extensions[UI]["acme"] == {"k": 1}
    assert sorted(extensions[UI]["mimeTypes"]) == ["text/html+x", MIME]
    if version == "2026-07-28":
        assert extensions["com.acme/other"] == {"own": 1}


class Plugin:
    @hookimpl
    def mcp_apps_customize_capabilities(self, server: FastMCP[Any]) -> dict[str, Any]:
        """One key."""
        return {
            UI: {"acme": {"plugin": True, "who": "plugin"}, "elicitation": {}},
            "com.acme/reports": {"server": server.name},
        }


@pytest.fixture
def plugin() -> Iterator[None]:
    """A plugin of this process, for one test."""
    plugins().register(Plugin(), "acme")
    yield
    plugins().unregister("acme")


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
@pytest.mark.usefixtures("plugin")
async def test_with_plugins(wire: Any, version: str) -> None:
    """Plugins add keys and entries; where author and plugin set one value, the author's stands."""
    server = FastMCP("s")
    server.add_extension(AppsExtension(settings={"acme": {"who": "author"}}))
    async with wire(server, version) as raw:
        assert raw.negotiated["capabilities"]["extensions"] == {
            UI: {
                "mimeTypes": [MIME],
                "acme": {"plugin": True, "who": "author"},
                "elicitation": {},
            },
            "com.acme/reports": {"server": "s"},
        }


async def test_fastmcps_own_extension_class(connect: Any, era: str) -> None:
    """An author's own extension under the Apps identifier is merged, not replaced."""

    class Own(ServerExtension):
        identifier = UI

        def settings(self) -> dict[str, Any]:
            """One key."""
            return {"own": True}

    server = FastMCP("s")
    server.add_extension(Own())
    async with connect(server) as client:
        capabilities = (
            client.initialize_result.capabilities
            if era == "legacy"
            else client.session.server_capabilities
        )
        assert capabilities.extensions[UI] == {"mimeTypes": [MIME], "own": True}


async def test_a_mounted_servers_settings_are_its_own() -> None:
    """What a mounted server declares does not spread to the server it is mounted on."""
    child, parent = FastMCP("child"), FastMCP("parent")
    child.add_extension(AppsExtension(settings={"child": True}))
    parent.mount(child)
    async with Client(parent, mode="legacy") as client:
        capabilities = client.initialize_result.capabilities
    assert capabilities.extensions == {UI: {"mimeTypes": [MIME]}}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"audit": "loud"}, Code.EXTENSION_SETTINGS),
        ({"defaults": {"csp": {"connect_domains": ["x"]}}}, Code.CSP_INVALID),
        ({"defaults": {"border": True}}, Code.PAGE_OPTION_INVALID),
    ],
)
def test_wrong_settings(options: dict[str, Any], code: Code) -> None:
    """Wrong settings are refused where they are written."""
    with pytest.raises(AppsValueError) as caught:
        AppsExtension(**options)
    assert caught.value.code == code
