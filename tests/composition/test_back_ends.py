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
from fastmcp.client.transports import (
    MCPConfigTransport,
    StdioTransport,
    StreamableHttpTransport,
)
from fastmcp.exceptions import ToolError
from fastmcp.server import create_proxy
from fastmcp.server.providers.proxy import ProxyClient, ProxyProvider
from mcp.client.extension import advertise

from mcp_apps_plugin import AppsExtension
from mcp_apps_plugin.server.connections import is_kept, shared_connection, shared_settings

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
            kept = isinstance(target, StdioTransport)
            settings = {"mimeTypes": APPS["mimeTypes"]} if kept else APPS
            for _ in range(2):
                answer = await told(rich)
                pids.add(answer.pop("pid"))
                assert answer == {"settings": settings, "support": "yes", "fastmcp": True}
                answer = await told(plain)
                pids.discard(answer.pop("pid"))
                assert answer == {"settings": None, "support": "no", "fastmcp": False}
            # Over stdio a process is one connection, and that declares itself once.
            assert len(pids) == (1 if kept else 0)


def config_of(transport):
    """The same back end, as a configuration names it."""
    entry = {"command": transport.command, "args": transport.args, "env": transport.env}
    return MCPConfigTransport({"mcpServers": {"backend": entry}})


KEPT = {"stdio": lambda transport: transport, "config": config_of}


@pytest.mark.parametrize(("given", "mode"), [("stdio", "auto"), ("config", "legacy")])
async def test_a_kept_back_end_has_a_process_for_each_kind(program, given, mode):
    """One for clients that show pages, one for the others; neither tells what one client said."""
    log = program.with_name("stdio.txt")
    target = StdioTransport(sys.executable, [str(program)], env=dict(os.environ), log_file=log)
    root = FastMCP("root")
    root.mount(create_proxy(KEPT[given](target)), namespace="far")
    processes = {True: set(), False: set()}
    shown = {"mimeTypes": ["text/html", *APPS["mimeTypes"]]}
    others = ({"mimeTypes": [f"text/x-{number}"]} for number in range(3))
    for settings in (APPS, {}, shown, None, *others, APPS):
        declared = [] if settings is None else [advertise(EXTENSION, settings)]
        async with Client(root, mode=mode, extensions=declared) as client:
            answer = await told(client)
        shows = settings in (APPS, shown)
        processes[shows].add(answer.pop("pid"))
        normal = {"mimeTypes": APPS["mimeTypes"]} if shows else None
        assert answer == {
            "settings": normal,
            "support": "yes" if shows else "no",
            "fastmcp": shows,
        }
    assert [len(pids) for pids in processes.values()] == [1, 1]
    assert not processes[True] & processes[False]


async def test_a_client_that_is_used_again_connects_as_its_next_request_declares(program):
    """A factory may hand out one client for every request."""
    log = program.with_name("stdio.txt")
    target = StdioTransport(sys.executable, [str(program)], env=dict(os.environ), log_file=log)
    again = ProxyClient(target, mode="auto")
    root = FastMCP("root")
    root.add_provider(ProxyProvider(lambda: again), namespace="far")
    seen = []
    for _ in range(2):
        async with Client(root, extensions=[advertise(EXTENSION, APPS)]) as rich:
            seen.append(await told(rich))
        async with Client(root) as plain:
            seen.append(await told(plain))
    assert [answer["support"] for answer in seen] == ["yes", "no"] * 2
    assert len({answer["pid"] for answer in seen}) == 2


PAGES = {"mimeTypes": ["text/html;profile=mcp-app"]}
RICH = PAGES | {"elicitation": {}}


def test_a_kept_connection_knows_kinds_of_clients_only():
    """Whatever a client declares, it is one of four, and told nothing of its own."""
    declared = (None, {}, {"mimeTypes": ["text/html"]}, PAGES, APPS, RICH, RICH | APPS)
    own = StdioTransport(sys.executable, ["-c", "pass"])
    kinds = {}
    for settings in declared:
        for asks in (False, True):
            shared = shared_settings(settings, asks=asks)
            assert shared in (None, PAGES, RICH)
            kinds[id(shared_connection(own, shared, asks=asks))] = shared, asks
    assert len(kinds) == 4
    assert (RICH, False) not in kinds.values()  # pages render questions only where some are taken


def test_the_second_connection_starts_the_same_program():
    """What the author said of the process holds for both; and each knows the other."""
    own = StdioTransport(sys.executable, ["-c", "pass"], env={"A": "1"}, cwd="/", log_file=None)
    second = shared_connection(own, PAGES, asks=True)
    for each in (own, second):
        assert shared_connection(each, None, asks=True) is own
        assert shared_connection(each, PAGES, asks=True) is second
    said = ("command", "args", "env", "cwd", "keep_alive", "log_file")
    assert second is not own
    assert [getattr(second, name) for name in said] == [getattr(own, name) for name in said]
    several = {"mcpServers": {name: {"command": "python"} for name in "ab"}}
    fleeting = StdioTransport(sys.executable, ["-c", "pass"], keep_alive=False)
    assert is_kept(own)
    assert is_kept(config_of(own))
    assert not is_kept(fleeting)
    assert not is_kept(MCPConfigTransport(several))
    assert not is_kept(StreamableHttpTransport("http://127.0.0.1/mcp"))


ASKING = """
    from fastmcp import Context, FastMCP
    from mcp_apps_plugin import app_resource, elicit

    mcp = FastMCP("backend")

    @app_resource("ui://team/ask")
    def page() -> str:
        return "<!doctype html><title>ask</title>"

    @mcp.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=page)).data

    @mcp.tool
    async def ask_plainly(ctx: Context) -> str:
        return (await ctx.elicit("go?", str)).data

    mcp.run(show_banner=False)
"""


def _asking(tmp_path):
    program = tmp_path / "asking.py"
    program.write_text(textwrap.dedent(ASKING), encoding="utf-8")
    return StdioTransport(sys.executable, [str(program)], log_file=tmp_path / "log.txt")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_kept_back_end_asks_with_its_page(tmp_path, mode):
    """At every call of every client, not only at the one that started the process."""
    root = FastMCP("root")
    root.add_extension(AppsExtension(settings={"elicitation": {}}))
    root.mount(create_proxy(_asking(tmp_path)), namespace="far")
    asked = []

    async def answer(_message, _type, params, _ctx):
        asked.append(params.meta["ui"]["resourceUri"])
        return {"value": "yes"}

    for _ in range(2):
        declared = [advertise(EXTENSION, RICH)]
        async with Client(
            root, mode=mode, extensions=declared, elicitation_handler=answer
        ) as client:
            for _ in range(2):
                assert (await client.call_tool("far_ask")).data == "yes"
    assert asked == ["ui://far/team/ask"] * 4


async def _yes(_message, _type, _params, _ctx):
    return {"value": "yes"}


@pytest.mark.parametrize("tool", ["ask", "ask_plainly"])
async def test_a_kept_back_end_asks_clients_that_show_no_pages(tmp_path, tool):
    """FastMCP would ask for the request that opened the connection, which is over."""
    proxy = create_proxy(_asking(tmp_path))
    modern = "auto" if tool == "ask" else "legacy"  # FastMCP's own `elicit` is of the older era
    for mode in ("legacy", modern, "legacy"):
        async with Client(proxy, mode=mode, elicitation_handler=_yes) as client:
            assert [tool.name for tool in await client.list_tools()] == ["ask", "ask_plainly"]
            for _ in range(2):
                assert (await client.call_tool(tool)).data == "yes"


async def test_a_question_that_could_be_anybodys_reaches_nobody(tmp_path):
    proxy = create_proxy(_asking(tmp_path))
    asked = []
    async with Client(proxy, mode="legacy", elicitation_handler=_yes) as other:

        async def answer(message, _type, _params, _ctx):
            asked.append(message)
            with pytest.raises(
                ToolError, match=r"which does not say whose it is.*elicit-unsupported"
            ):
                await other.call_tool("ask")
            return {"value": "yes"}

        async with Client(proxy, mode="legacy", elicitation_handler=answer) as client:
            assert (await client.call_tool("ask")).data == "yes"
        assert asked == ["go?"]
        assert (await other.call_tool("ask")).data == "yes"
