"""When a server starts: the audit stops it, warns, or stays away; a back end is never asked."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.apps import AppConfig
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.server import create_proxy

from mcp_apps_plugin import (
    AppsConfigurationError,
    AppsExtension,
    Code,
    app_resource,
    attach_ui,
    audit,
    ui,
)

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager


@app_resource("ui://w/page")
def page() -> str:
    return "<!doctype html>"


def echo() -> dict[str, int]:
    return {}


def broken() -> FastMCP[Any]:
    server = FastMCP("weather")
    for name in ("one", "two"):

        @server.tool(name=name)
        @ui(f"ui://w/{name}")
        def show() -> dict[str, int]:
            return {}

    return server


def start(server: FastMCP[Any]) -> AbstractAsyncContextManager[None]:
    return server._lifespan_manager()


async def test_errors_stop_the_start() -> None:
    """All errors stand in one exception, numbered, with the server's name."""
    with pytest.raises(AppsConfigurationError) as caught:
        async with start(broken()):
            pass
    assert [f.code for f in caught.value.findings] == [Code.LINK_DANGLING] * 2
    lines = str(caught.value).splitlines()
    assert lines[0] == "MCP Apps: server 'weather' cannot start, 2 errors:"
    assert lines[1].startswith("  1. tool 'one' of ")
    assert lines[2].startswith("     Hosts would show an empty frame. Declare")
    assert lines[3].startswith("  2. tool 'two' of ")


async def test_every_transport(connect: Any, wire: Any) -> None:
    """In memory and over HTTP the start fails alike, before the first request."""
    with pytest.raises(Exception, match="cannot start, 2 error"):
        async with connect(broken()):
            pass
    with pytest.raises(AppsConfigurationError):
        async with wire(broken()):
            pass


@pytest.mark.parametrize("transport", ["stdio", "http", "sse"])
def test_what_a_terminal_shows(run_python: Any, transport: str) -> None:
    """`mcp.run()` shows the author's line and the message, without the way between them."""
    code = f"""
        from fastmcp import FastMCP
        from mcp_apps_plugin import ui
        mcp = FastMCP("weather")
        @mcp.tool
        @ui("ui://w/one")
        def show() -> dict: return {{}}
        mcp.run(transport={transport!r}, show_banner=False)
    """
    # The SDK's part for SSE is deprecated, and says so.
    stderr = run_python(code, fails="cannot start", warnings="default")
    _, _, shown = stderr.partition("Traceback (most recent call last):\n")
    assert shown.count('  File "') <= 3
    assert "asyncio" not in shown
    assert 'program.py", line 8, in <module>' in shown
    last = shown.splitlines()[-3:]
    assert last[0] == (
        "mcp_apps_plugin.AppsConfigurationError: MCP Apps: server 'weather' cannot start, 1 error:"
    )
    assert "tool 'show' of __main__.show (" in last[1]
    assert "program.py:5): links `ui://w/one`" in last[1]
    assert last[2].endswith("[link-dangling]")


def test_other_errors_of_a_run_keep_their_traceback(run_python: Any) -> None:
    """Only this package's own error is shortened."""
    code = """
        from contextlib import asynccontextmanager
        from fastmcp import FastMCP
        import mcp_apps_plugin
        @asynccontextmanager
        async def lifespan(server):
            1 / 0
            yield {}
        FastMCP("weather", lifespan=lifespan).run(show_banner=False)
    """
    stderr = run_python(code, fails="ZeroDivisionError")
    assert "in lifespan" in stderr


@pytest.mark.parametrize("where", ["environment", "extension"])
@pytest.mark.parametrize("mode", ["warn", "off"])
async def test_modes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mode: str, where: str
) -> None:
    """`warn` logs every finding and starts, `off` looks at nothing; the extension wins."""
    server = broken()
    if where == "environment":
        monkeypatch.setenv("MCP_APPS_AUDIT", mode)
    else:
        monkeypatch.setenv("MCP_APPS_AUDIT", "error")
        server.add_extension(AppsExtension(audit=mode))
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        async with start(server):
            pass
    said = [r.message for r in caplog.records if r.name == "mcp_apps_plugin"]
    assert len(said) == (2 if mode == "warn" else 0)
    assert all("link-dangling" in message for message in said)


async def test_warnings_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A warning does not stop a start; it is logged with code and remedy."""
    server = FastMCP("s")
    server.tool(app=AppConfig(resource_uri="ui://w/none"))(echo)
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        async with start(server):
            pass
    (record,) = [r for r in caplog.records if r.name == "mcp_apps_plugin"]
    assert "link-dangling" in record.message


async def test_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `MCP_APPS_STRICT` what was declared without this package stops a start, too."""
    server = FastMCP("s")
    server.tool(app=AppConfig(resource_uri="ui://w/none"))(echo)
    async with start(server):
        pass
    monkeypatch.setenv("MCP_APPS_STRICT", "1")
    with pytest.raises(AppsConfigurationError):
        async with start(server):
            pass


async def test_once_for_a_whole_tree(caplog: pytest.LogCaptureFixture) -> None:
    """The audit runs once for a server with everything mounted on it."""
    server = FastMCP("root")
    for name in ("a", "b"):
        child = FastMCP(name)
        child.tool(app=AppConfig(resource_uri="ui://w/none"))(echo)
        server.mount(child, namespace=name)
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        async with start(server):
            pass
    assert len([r for r in caplog.records if r.name == "mcp_apps_plugin"]) == 2


async def test_after_a_failed_start() -> None:
    """A server that could not start can be corrected and started."""
    server = broken()
    with pytest.raises(AppsConfigurationError):
        async with start(server):
            pass
    for name in ("one", "two"):
        server.resource(f"ui://w/{name}")(lambda: "<p>")
    async with start(server):
        pass


DEAD = "http://192.0.2.1:9/mcp"  # an address of documentation: nobody answers, nobody refuses


@pytest.mark.parametrize("place", ["itself", "mounted", "mounted deep", "with attach_ui"])
async def test_a_dead_back_end(place: str) -> None:
    """A proxied back end that does not answer neither stops nor delays a start."""
    proxy = create_proxy(Client(StreamableHttpTransport(DEAD), timeout=30), name="proxy")
    server = proxy
    if place != "itself":
        server = FastMCP("front")
        server.mount(proxy, namespace="p")
        if place == "mounted deep":
            outer = FastMCP("outer")
            outer.mount(server, namespace="f")
            server = outer
    server.tool(ui(page)(echo) if place == "itself" else echo)
    if place == "with attach_ui":
        attach_ui(server, {"p_remote": page, "echo": page})
    begin = time.perf_counter()
    async with start(server):
        assert time.perf_counter() - begin < 2
    report = await audit(server)
    assert time.perf_counter() - begin < 2
    assert report.findings == ()


async def test_a_back_end_is_not_asked() -> None:
    """A back end that would answer is not asked at start, either."""
    asked: list[str] = []
    back = FastMCP("back")

    from fastmcp.server.middleware import Middleware

    class Notes(Middleware):
        async def on_message(self, context: Any, call_next: Any) -> Any:
            asked.append(context.method)
            return await call_next(context)

    back.add_middleware(Notes())
    back.tool(app=AppConfig(resource_uri="ui://w/none"))(echo)
    front = create_proxy(back, name="front")
    attach_ui(front, {"missing": page})
    async with start(front):
        pass
    assert asked == []


async def test_a_link_that_a_back_end_may_serve() -> None:
    """A link that only a back end could serve is unknown, not wrong."""
    front = create_proxy(Client(StreamableHttpTransport(DEAD)), name="front")

    @front.tool
    @ui("ui://back/page")
    def show() -> dict[str, int]:
        return {}

    assert (await audit(front)).findings == ()


async def test_a_provider_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    """A provider that cannot list yet does not stop a start."""
    from fastmcp.server.providers import Provider

    class NotReady(Provider):
        async def _list_tools(self) -> Any:
            message = "no database yet"
            raise ConnectionError(message)

    server = FastMCP("s", providers=[NotReady()])
    server.add_resource(page)
    with caplog.at_level(logging.WARNING):
        async with start(server):
            pass
    assert "no database yet" in caplog.text
