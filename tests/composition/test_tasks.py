"""Background tasks: link, words, addresses and questions, in this process and in another one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import textwrap
import time
from datetime import timedelta
from uuid import uuid4

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server import create_proxy
from fastmcp.tools.base import ToolResult
from mcp.client.extension import advertise
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    InputRequiredResult,
    ResourceLink,
    TextResourceContents,
)

from mcp_apps_plugin import elicit, elicits, ui

tasks = pytest.importorskip("fastmcp_tasks", reason="needs fastmcp-tasks, of FastMCP's version")
from fastmcp.utilities.tasks import TaskConfig  # noqa: E402
from fastmcp_tasks.client import call_tool_task  # noqa: E402

# FastMCP's own store says it to Redis; the worker would end without a word.
pytestmark = pytest.mark.filterwarnings("ignore:Call to deprecated setex:DeprecationWarning")

VIEW = "ui://team/view"
APPS = {"mimeTypes": ["text/html;profile=mcp-app"]}
TASK = TaskConfig(mode="optional", poll_interval=timedelta(milliseconds=10))


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory):
    """A Redis server of its own, that keeps nothing."""
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("needs redis-server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    with (folder / "log.txt").open("w") as log, subprocess.Popen(command, stdout=log) as server:
        try:
            while not _answers(port):
                assert server.poll() is None, (folder / "log.txt").read_text()
                time.sleep(0.02)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()


def _answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(7) == b"+PONG\r\n"
    except OSError:
        return False


@pytest.fixture(params=["memory", "redis"])
def run(request):
    """Let a server run tasks, with one back end after the other."""
    url = "memory://" if request.param == "memory" else request.getfixturevalue("redis_url")

    def add(server):
        server.add_extension(tasks.TasksExtension(url=url, name=f"test-{uuid4()}"))
        return server

    return add


def under(server, depth):
    """Mount a server so many times, each with a namespace; return what it and names become."""
    prefix = path = ""
    for level in range(depth):
        outer = FastMCP(f"outer{level}")
        outer.mount(server, namespace=f"n{level}")
        server, prefix, path = outer, f"n{level}_{prefix}", f"n{level}/{path}"
    return server, prefix, path


async def in_background(client, name):
    """Call a tool as a task; fails where it is not one."""
    return await (await call_tool_task(client, name, raise_on_error=False)).result()


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("apps", [True, False])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_link_and_words(kit, run, mode, apps, depth):
    """`text=` and `fallback=` are the final result's words, as this client declares itself."""
    server = FastMCP("crm")

    @server.tool(task=TASK)
    @ui(kit.page("crm"), text="{mark} in words", fallback="{mark} without pages")
    async def report() -> dict[str, str]:
        return {"mark": "crm"}

    server, prefix, path = under(server, depth)
    run(server)
    declared = [advertise("io.modelcontextprotocol/ui", APPS)] if apps else []
    async with Client(server, mode=mode, extensions=declared) as client:
        seen = await kit.look(client)
        assert seen.links == {f"{prefix}report": f"ui://{path}team/view"}
        assert seen.shows == {f"{prefix}report": "crm"}
        # In the older era there are no tasks: the tool runs at once.
        name = f"{prefix}report"
        ask = client.call_tool(name) if mode == "legacy" else in_background(client, name)
        result = await ask
    expected = "crm in words" if apps else "crm without pages"
    assert [block.text for block in result.content] == [expected]
    assert result.structured_content == {"mark": "crm"}


@pytest.mark.parametrize("depth", [0, 1, 2])
async def test_addresses_and_words_of_a_whole_result(kit, run, depth):
    """A `ToolResult` and content blocks name the pages as this endpoint serves them."""
    server = FastMCP("crm")
    link = ResourceLink(type="resource_link", name="page", uri=VIEW)
    other = ResourceLink(type="resource_link", name="file", uri="file:///etc/hosts")

    @server.tool(task=TASK)
    @ui(kit.page("crm"))
    async def blocks() -> list[ResourceLink]:
        return [link, other]

    @server.tool(task=TASK)
    @ui(VIEW)
    async def whole() -> ToolResult:
        contents = TextResourceContents(uri=VIEW, mime_type="text/html", text="<p>")
        embedded = EmbeddedResource(type="resource", resource=contents)
        meta = {"ui": {"resourceUri": VIEW}, "acme/key": VIEW}
        return ToolResult([link, embedded], structured_content={"mark": "crm"}, meta=meta)

    @server.tool(task=TASK)
    @ui(VIEW, text="{mark} in words")
    async def worded() -> ToolResult:
        return ToolResult([link], structured_content={"mark": "crm"})

    server, prefix, path = under(server, depth)
    run(server)
    seen = f"ui://{path}team/view"
    async with Client(server) as client:
        result = await in_background(client, f"{prefix}blocks")
        assert [str(block.uri) for block in result.content] == [seen, "file:///etc/hosts"]
        result = await in_background(client, f"{prefix}whole")
        assert str(result.content[0].uri) == str(result.content[1].resource.uri) == seen
        assert result.meta == {"ui": {"resourceUri": seen}, "acme/key": VIEW}
        result = await in_background(client, f"{prefix}worded")
        assert [block.text for block in result.content] == ["crm in words"]
        assert result.structured_content == {"mark": "crm"}
        assert "crm" in (await client.read_resource(seen))[0].text


async def test_a_task_that_fails(kit, run):
    """An error is the error's words, not those of a result."""
    server = FastMCP("crm")

    @server.tool(task=TASK)
    @ui(kit.page("crm"), text="all is well")
    async def report() -> dict[str, str]:
        message = "no such report"
        raise ToolError(message)

    async with Client(run(server)) as client:
        result = await in_background(client, "report")
    assert result.is_error
    assert [block.text for block in result.content] == ["no such report"]


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("apps", [None, APPS, {**APPS, "elicitation": {}}])
async def test_a_task_that_asks(kit, run, apps, depth):
    """Its question names its page to a client that knows such questions; the answer is used."""
    server = FastMCP("crm")

    @server.tool(task=TASK)
    @elicits(VIEW)
    @ui(kit.page("crm"), text="{mark} in words")
    async def report(ctx: Context) -> dict[str, str] | InputRequiredResult:
        if ctx.input_responses:
            return {"mark": ctx.input_responses["whose"].content["value"]}
        schema = {"type": "object", "properties": {"value": {"type": "string"}}}
        meta = {"ui": {"resourceUri": VIEW}, "acme/key": 1}
        params = ElicitRequestFormParams(message="Whose?", requested_schema=schema, _meta=meta)
        return InputRequiredResult(input_requests={"whose": ElicitRequest(params=params)})

    server, prefix, path = under(server, depth)
    run(server)
    asked = []

    async def answer(_message, _type, params, _context):
        asked.append(params.meta)
        return {"value": "shop"}

    declared = [] if apps is None else [advertise("io.modelcontextprotocol/ui", apps)]
    async with Client(server, extensions=declared, elicitation_handler=answer) as client:
        result = await in_background(client, f"{prefix}report")
        assert [block.text for block in result.content] == ["shop in words"]
        if apps and "elicitation" in apps:
            seen = f"ui://{path}team/view"
            assert asked == [{"ui": {"resourceUri": seen}, "acme/key": 1}]
            assert "crm" in (await client.read_resource(seen))[0].text
        else:
            assert asked == [{"acme/key": 1}]


async def test_a_task_that_waits_for_an_answer(kit, run):
    """`elicit()` has nobody to ask there, and says so, and what to do instead."""
    server = FastMCP("crm")

    @server.tool(task=TASK)
    @ui(kit.page("crm"))
    async def report(ctx: Context) -> dict[str, str]:
        return {"mark": (await elicit(ctx, "Whose?", str)).action}

    async with Client(run(server)) as client:
        result = await in_background(client, "report")
    assert result.is_error
    for word in ("elicit-usage", "background task", "InputRequiredResult"):
        assert word in result.content[0].text


async def test_a_task_by_its_bare_name(kit, run):
    """A page calls a mounted server's task as it was written."""
    server = FastMCP("crm")

    @server.tool(task=TASK)
    @ui(kit.page("crm"), text="{mark} in words")
    async def report() -> dict[str, str]:
        return {"mark": "crm"}

    server, _, _ = under(server, 2)
    async with Client(run(server)) as client:
        result = await in_background(client, "report")
    assert [block.text for block in result.content] == ["crm in words"]


async def test_a_task_behind_a_proxy(kit, run):
    """A back end's task is an ordinary tool in front, with the front's addresses."""
    server = FastMCP("crm")

    @server.tool(task=TASK)
    @ui(kit.page("crm"), text=lambda result: [result["link"]])
    async def report() -> dict[str, object]:
        return {"link": ResourceLink(type="resource_link", name="page", uri=VIEW)}

    front = FastMCP("front")
    front.mount(create_proxy(run(server)), namespace="far")
    async with Client(front) as client:
        assert (await kit.look(client)).shows == {"far_report": "crm"}
        result = await client.call_tool("far_report")
    assert [str(block.uri) for block in result.content] == ["ui://far/team/view"]


async def test_tasks_of_plain_tools_are_untouched(kit, run):
    """Results of tools without pages leave as they were made; so does what is not found."""
    server = kit.team("crm")

    @server.tool(task=TASK)
    async def plain() -> ToolResult:
        return ToolResult([], structured_content={"mark": "crm"})

    async with Client(run(server)) as client:
        result = await in_background(client, "plain")
        assert result.content == []
        assert result.structured_content == {"mark": "crm"}
        task = await call_tool_task(client, "plain")
        task._create_result = task.create_result.model_copy(update={"task_id": "gone"})
        with pytest.raises(Exception, match="gone not found"):
            await task.status()


async def test_a_worker_in_another_process(kit, redis_url, tmp_path, monkeypatch):
    """What another process returned gets its words, and addresses, where it is asked for."""
    (tmp_path / "reports.py").write_text(
        textwrap.dedent("""
        import os

        from fastmcp import FastMCP
        from fastmcp.tools.base import ToolResult
        from fastmcp_tasks import TasksExtension
        from mcp_apps_plugin import app_resource, ui
        from mcp_types import ResourceLink

        crm, server = FastMCP("crm"), FastMCP("root")

        @app_resource("ui://team/view")
        def page() -> str:
            return "<!doctype html><title>crm</title>"

        @crm.tool(task=True)
        @ui(page, text="made by {pid}", fallback="no pages for {pid}")
        async def report() -> dict[str, int]:
            return {"pid": os.getpid()}

        @crm.tool(task=True)
        @ui(page)
        async def whole() -> ToolResult:
            link = ResourceLink(type="resource_link", name="page", uri="ui://team/view")
            return ToolResult([link], structured_content={"pid": os.getpid()})

        server.mount(crm, namespace="crm")
        server.add_extension(TasksExtension())
        """),
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("FASTMCP_DOCKET_URL", redis_url)
    monkeypatch.setenv("FASTMCP_DOCKET_NAME", f"test-{uuid4()}")
    command = [sys.executable, "-m", "fastmcp_tasks.worker_cli", "worker", "reports.py:server"]
    with (tmp_path / "log.txt").open("w") as log:
        worker = subprocess.Popen(  # noqa: ASYNC220  it starts at once
            command, cwd=tmp_path, stdout=log, stderr=log
        )
    try:
        # This process only takes calls: no task can run in it.
        monkeypatch.setenv("FASTMCP_DOCKET_CONCURRENCY", "0")
        from reports import server

        declared = [advertise("io.modelcontextprotocol/ui", APPS)]
        for extensions, words in ((declared, "made by"), ([], "no pages for")):
            async with Client(server, extensions=extensions, timeout=60) as client:
                assert (await kit.look(client)).shows == {"crm_report": "crm", "crm_whole": "crm"}
                result = await client.call_tool("crm_report")
                pid = result.structured_content["pid"]
                assert pid == worker.pid != os.getpid()
                assert [block.text for block in result.content] == [f"{words} {pid}"]
                result = await client.call_tool("crm_whole")
                assert [str(block.uri) for block in result.content] == ["ui://crm/team/view"]
    finally:
        worker.terminate()
        worker.wait()
        sys.modules.pop("reports", None)
