"""What is wrong with tools that came while the server ran: each finding is in the log once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.apps import AppConfig
from fastmcp.server import create_proxy
from mcp.shared.exceptions import MCPError

from mcp_apps_plugin import AppsExtension, app_resource, attach_ui, audit, ui

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Log = Callable[[], list[str]]


@app_resource("ui://w/page")
def page() -> str:
    return "<!doctype html><title>W</title>"


def plain() -> Callable[[], str]:
    return lambda: "x"


def late(link: Any = "ui://w/pag") -> Callable[[], str]:
    """Make a tool's function, which links a page that nobody serves if none is given."""
    return ui(link)(plain())


def make_server(name: str = "s") -> FastMCP[Any]:
    server = FastMCP(name)
    server.tool(late(page), name="good")
    return server


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Log:
    """What the package logged so far."""
    caplog.set_level(logging.WARNING, "mcp_apps_plugin")
    return lambda: [r.message for r in caplog.records if r.name == "mcp_apps_plugin"]


async def links(client: Client[Any]) -> dict[str, str | None]:
    return {t.name: t.meta["ui"].get("resourceUri") for t in await client.list_tools()}


@pytest.fixture(params=["alone", "mounted", "two mounts", "nested", "proxied"])
def composed(request: pytest.FixtureRequest) -> tuple[FastMCP[Any], FastMCP[Any]]:
    """A server, and the one in front of it that clients talk to."""
    server, front = make_server(), FastMCP[Any]("front")
    match request.param:
        case "alone":
            return server, server
        case "mounted":
            front.mount(server, namespace="a")
        case "two mounts":
            front.mount(server, namespace="a")
            front.mount(server, namespace="b")
        case "nested":
            middle: FastMCP[Any] = FastMCP("middle")
            middle.mount(server, namespace="b")
            front.mount(middle, namespace="a")
        case _:
            front.mount(create_proxy(server), namespace="a")
    return server, front


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_tool_that_came_later(
    composed: tuple[FastMCP[Any], FastMCP[Any]], log: Log, mode: str
) -> None:
    """It is said what the start would say, once for the tool and not per list."""
    server, front = composed
    # A back end starts once and goes on, as one behind HTTP does.
    async with Client(server), Client(front, mode=mode) as client:
        await links(client)
        assert log() == []
        server.tool(late(), name="zz")
        for _ in range(3):
            seen = await links(client)
            lost = [name for name in seen if name.endswith("zz")]
            assert lost
            assert all(seen[name] is None for name in lost)
        (said,) = log()
        assert said == str((await audit(server)).findings[0])
        assert "tool 'zz' of" in said
        assert "links `ui://w/pag`" in said
        assert "[link-dangling]" in said
        server.tool(late("ui://w/none"), name="yy")
        for _ in range(2):
            await links(client)
    assert len(log()) == 2
    assert "tool 'yy' of" in log()[1]


async def test_whatever_loses_its_page_later(log: Log) -> None:
    """`app=`, `attach_ui` and a mount that comes later are said as `@ui` is."""
    server = make_server()
    async with Client(server) as client:
        server.tool(app=AppConfig(resource_uri="ui://w/app"), name="app")(plain())
        server.tool(plain(), name="attached")
        attach_ui(server, {"attached": "ui://w/attached"})
        child: FastMCP[Any] = FastMCP("child")
        child.tool(late("ui://w/child"), name="below")
        server.mount(child, namespace="n")
        for _ in range(2):
            assert set((await links(client)).values()) == {"ui://w/page", None}
    assert len(log()) == 3
    for name in ("app", "attached", "below"):
        assert sum(f"tool {name!r} of" in said for said in log()) == 1


async def test_what_the_start_said_is_not_repeated(log: Log) -> None:
    """A link that was warned of at the start is not news at a list, and a found one never."""
    server = make_server()
    server.tool(app=AppConfig(resource_uri="ui://w/none"), name="old")(plain())
    server.tool(late("ui://w/secret"), name="guarded")
    server.resource("ui://w/secret", auth=lambda _: False)(plain())
    async with Client(server) as client:
        at_start = log()
        assert [code for said in at_start for code in ("dangling", "hidden") if code in said] == [
            "dangling",
            "hidden",
        ]
        for _ in range(2):
            await links(client)
        server.tool(late(page), name="found")
        await links(client)
    assert log() == at_start


@pytest.mark.parametrize("where", ["environment", "extension"])
async def test_an_audit_that_is_off_says_nothing(
    monkeypatch: pytest.MonkeyPatch, log: Log, where: str
) -> None:
    """`off` looks at nothing, later neither."""
    server = make_server()
    if where == "environment":
        monkeypatch.setenv("MCP_APPS_AUDIT", "off")
    else:
        server.add_extension(AppsExtension(audit="off"))
    async with Client(server) as client:
        server.tool(late(), name="zz")
        assert (await links(client))["zz"] is None
    assert log() == []


async def test_a_page_that_cannot_be_built_is_said_once(
    composed: tuple[FastMCP[Any], FastMCP[Any]], log: Log, tmp_path: Path
) -> None:
    """At the start it would have stopped the server. Who reads it is told as well."""
    server, front = composed
    async with Client(server), Client(front) as client:
        await links(client)
        server.tool(ui("ui://w/late", html=tmp_path / "none.html")(plain()), name="late")
        for _ in range(2):
            listed = await links(client)
        (said,) = log()
        assert said == str((await audit(server)).findings[0])
        assert "[page-file-missing]" in said
        late_ones = [link for name, link in listed.items() if name.endswith("late")]
        assert late_ones
        for link in filter(None, late_ones):  # FastMCP's proxies keep the pages they have seen
            with pytest.raises(MCPError, match="page-file-missing"):
                await client.read_resource(str(link))
