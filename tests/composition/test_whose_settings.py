"""Whose `AppsExtension` counts where servers are mounted; `dialects` are in `tests/plugins`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server import create_proxy

from mcp_apps_plugin import AppsConfigurationError, AppsExtension, Code, app_resource, audit, ui

if TYPE_CHECKING:
    from collections.abc import Callable

API = "https://api.example.com"
DEFAULTS = {"csp": {"connect_domains": [API]}, "prefers_border": True}


def make_team(link: Any = None, **settings: Any) -> FastMCP[Any]:
    """Make a server with a page and a helper of it, and with settings of its own."""
    server: FastMCP[Any] = FastMCP("Team")

    @app_resource("ui://team/view")
    def page() -> str:
        return "<!doctype html><title>T</title>"

    server.tool(ui(link or page)(lambda: "shown"), name="show")
    server.tool(ui(visibility="app")(lambda: "refreshed"), name="refresh")
    if settings:
        server.add_extension(AppsExtension(**settings))
    return server


def _mount(root: FastMCP[Any], team: FastMCP[Any]) -> None:
    root.mount(team, namespace="a")


def _nest(root: FastMCP[Any], team: FastMCP[Any]) -> None:
    middle: FastMCP[Any] = FastMCP("Middle")
    middle.mount(team)
    root.mount(middle, namespace="a")


def _proxy(root: FastMCP[Any], team: FastMCP[Any]) -> None:
    root.mount(create_proxy(team), namespace="a")


def make_root(put: Callable[[FastMCP[Any], FastMCP[Any]], None], team: Any, **settings: Any) -> Any:
    root: FastMCP[Any] = FastMCP("Root")
    if settings:
        root.add_extension(AppsExtension(**settings))
    put(root, team)
    return root


every_way = pytest.mark.parametrize("put", [_mount, _nest, _proxy])
in_process = pytest.mark.parametrize("put", [_mount, _nest])


async def options(server: FastMCP[Any], mode: str) -> dict[str, Any]:
    """Return the page's `_meta.ui`, which a list and a read show alike."""
    async with Client(server, mode=mode) as client:
        (listed,) = await client.list_resources()
        (read,) = await client.read_resource(listed.uri)
    assert listed.meta["ui"] == read.meta["ui"]
    return read.meta["ui"]


@every_way
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_defaults_are_those_of_the_pages_server(put: Any, mode: str) -> None:
    """They come along wherever it is mounted, and those of a server in front are not for it."""
    alone = await options(make_team(defaults=DEFAULTS), mode)
    assert alone["csp"]["connectDomains"] == [API]
    team = make_team(defaults=DEFAULTS)
    assert await options(make_root(put, team, defaults={"prefers_border": False}), mode) == alone
    without = await options(make_team(), mode)
    assert without != alone
    assert await options(make_root(put, make_team(), defaults=DEFAULTS), mode) == without


@in_process
async def test_defaults_that_no_page_takes_are_said(
    put: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """One warning, and none as soon as the server has a page of its own."""
    root = make_root(put, make_team(), defaults=DEFAULTS)
    (finding,) = (await audit(root)).findings
    assert finding.code == Code.EXTENSION_SETTINGS
    assert finding.subject == "AppsExtension of server 'Root'"
    assert "all are those of 'Team'." in finding.problem
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        async with Client(root):
            pass
    assert [r.message for r in caplog.records if r.name == "mcp_apps_plugin"] == [str(finding)]
    root.add_resource(app_resource("ui://root/own")(lambda: "<p>"))
    assert (await audit(root)).findings == ()
    assert (await audit(make_team(defaults=DEFAULTS))).findings == ()
    assert (await audit(make_root(put, make_team(defaults=DEFAULTS)))).findings == ()


@in_process
async def test_the_audit_is_that_of_the_outermost(put: Any) -> None:
    """A mounted server's `off` is for when it runs alone."""
    async with Client(make_root(put, make_team("ui://no/where"), audit="off")):
        pass
    quiet = make_team("ui://no/where", audit="off")
    async with Client(quiet):
        pass
    with pytest.raises((AppsConfigurationError, RuntimeError), match="link-dangling"):
        async with Client(make_root(put, quiet)):
            pass


@every_way
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_bare_names_are_those_of_the_outermost(put: Any, mode: str) -> None:
    """A mounted server's `False` is for the servers mounted on itself."""
    async with Client(make_root(put, make_team(bare_names=False)), mode=mode) as client:
        assert (await client.call_tool("refresh")).content[0].text == "refreshed"
    async with Client(make_root(put, make_team(), bare_names=False), mode=mode) as client:
        with pytest.raises(ToolError, match="refresh"):
            await client.call_tool("refresh")
