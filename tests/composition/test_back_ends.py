"""Back ends in processes of their own, over stdio and HTTP, in both eras on each side."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap
import time

import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
from mcp.client.extension import advertise

from mcp_apps_plugin.server.connections import MAX_KEPT, connect_as_declared

EXTENSION = "io.modelcontextprotocol/ui"
APPS = {"mimeTypes": ["text/html;profile=mcp-app"], "acme": {"x": 1}}
PROGRAM = """
    import os, sys
    from fastmcp import Context, FastMCP
    from fastmcp.tools.base import ToolResult
    from mcp_apps_plugin import Csp, app_resource, client_ui_settings, supports_apps, ui
    from mcp_types import ResourceLink

    inner, mcp = FastMCP("inner"), FastMCP("backend")

    @app_resource(
        "ui://team/view", csp=Csp(connect_domains=["https://api.example"]), prefers_border=True
    )
    def page() -> str:
        return "<!doctype html><title>crm</title><script>McpApp</script>"

    @inner.tool
    @ui(page)
    async def show(ctx: Context) -> ToolResult:
        link = ResourceLink(type="resource_link", name="page", uri="ui://team/view")
        data = {
            "settings": client_ui_settings(ctx),
            "support": supports_apps(ctx).value,
            "fastmcp": ctx.client_supports_extension("io.modelcontextprotocol/ui"),
            "pid": os.getpid(),
        }
        return ToolResult([link], structured_content=data)

    @inner.tool
    @ui(visibility="app")
    def refresh() -> dict:
        return {"mark": "crm"}

    mcp.mount(inner, namespace="inner")
    if len(sys.argv) > 1:
        mcp.run(transport="http", port=int(sys.argv[1]), show_banner=False)
    else:
        mcp.run(show_banner=False)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The back end, as a file."""
    path = tmp_path_factory.mktemp("backend") / "backend.py"
    path.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def url(program):
    """The back end, served over HTTP."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = program.with_name("http.txt")
    command = [sys.executable, str(program), str(port)]
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out) as server:
        try:
            while not _listens(port):
                assert server.poll() is None, log.read_text()
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.terminate()


def _listens(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.fixture(params=["stdio", "http"])
def target(request, program):
    """What a proxy connects with."""
    if request.param == "http":
        return request.getfixturevalue("url")
    log = program.with_name("stdio.txt")
    return StdioTransport(sys.executable, [str(program)], env=dict(os.environ), log_file=log)


async def told(client):
    """Call the tool that says what its server knows of the client."""
    result = await client.call_tool("far_inner_show")
    assert [str(block.uri) for block in result.content] == ["ui://far/inner/team/view"]
    return result.structured_content


@pytest.mark.parametrize(
    "back",
    [
        pytest.param("auto", marks=pytest.mark.slow),
        pytest.param("legacy", marks=pytest.mark.slow),
        None,  # as in front
    ],
)
async def test_everything_passes_through(kit, target, back):
    """Link, MIME type, page options, names, capability; and each client's own declaration."""
    root = FastMCP("root")
    root.mount(create_proxy(target, mode=back), namespace="far")
    for front in ("auto", "legacy"):
        async with (
            Client(root, mode=front, extensions=[advertise(EXTENSION, APPS)]) as rich,
            Client(root, mode=front) as plain,
        ):
            for client in (rich, plain):
                assert EXTENSION in (client.server_capabilities.extensions or {})
                seen = await kit.look(client)
                assert seen.links == {
                    "far_inner_show": "ui://far/inner/team/view",
                    "far_inner_refresh": None,
                }
                assert seen.shows == {"far_inner_show": "crm"}
                assert seen.names["far_inner_show"]["refresh"] == "far_inner_refresh"
                assert await kit.mark(client, "far_inner_refresh") == "crm"
                (item,) = await client.read_resource("ui://far/inner/team/view")
                assert item.meta["ui"]["csp"]["connectDomains"] == ["https://api.example"]
                assert item.meta["ui"]["prefersBorder"] is True
            pids = set()
            for _ in range(2):
                answer = await told(rich)
                pids.add(answer.pop("pid"))
                assert answer == {"settings": APPS, "support": "yes", "fastmcp": True}
                answer = await told(plain)
                pids.discard(answer.pop("pid"))
                assert answer == {"settings": None, "support": "no", "fastmcp": False}
            # Over stdio a process is one connection, and that declares itself once.
            assert len(pids) == (1 if isinstance(target, StdioTransport) else 0)


async def test_clients_that_declare_alike_share_a_process(program):
    """There are as many processes as declarations, not as clients or requests."""
    log = program.with_name("stdio.txt")
    target = StdioTransport(sys.executable, [str(program)], env=dict(os.environ), log_file=log)
    root = FastMCP("root")
    root.mount(create_proxy(target), namespace="far")
    pids = []
    for settings in (APPS, {}, APPS, None, {}, None):
        declared = [] if settings is None else [advertise(EXTENSION, settings)]
        async with Client(root, extensions=declared) as client:
            answer = await told(client)
            assert answer["settings"] == settings
            pids.append(answer["pid"])
    assert pids[0] == pids[2]
    assert pids[1] == pids[4]
    assert pids[3] == pids[5]
    assert len(set(pids)) == 3


def test_the_number_of_processes_has_a_limit():
    """A client that declares something else each time takes the place of the one unused longest."""
    target = StdioTransport(sys.executable, ["-c", "pass"])

    def connection(number):
        client = Client(target, extensions=[advertise(EXTENSION, {"acme": number})])
        connect_as_declared(client)
        return client.transport

    first = connection(0)
    assert first is target
    others = [connection(number) for number in range(1, MAX_KEPT + 1)]
    assert connection(1) is others[0]  # used again: now the second is the one unused longest
    assert connection(MAX_KEPT + 1) not in others
    assert connection(1) is others[0]
    assert connection(2) is not others[1]
    assert connection(0) is target
    alone = StdioTransport(sys.executable, ["-c", "pass"], keep_alive=False)
    for number in range(2):
        client = Client(alone, extensions=[advertise(EXTENSION, {"acme": number})])
        connect_as_declared(client)
        assert client.transport is alone
