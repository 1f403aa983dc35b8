"""Which pages a server may ask with is known before its first request, and audited."""

from __future__ import annotations

import functools
from types import SimpleNamespace

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.tools import Tool

import mcp_apps_plugin
from mcp_apps_plugin import (
    AppResource,
    AppsTypeError,
    AppsValueError,
    app_resource,
    audit,
    elicit,
    elicits,
)
from mcp_apps_plugin.declarations.elicits import address_of_page
from mcp_apps_plugin.server.elicitation.declared import elicitations, elicits_pages


@app_resource("ui://declared/one")
def one() -> str:
    """One."""
    return "<h1>One</h1>"


@app_resource("ui://declared/two")
def two() -> str:
    """Two."""
    return "<h1>Two</h1>"


PAGES = {"two": two}
three = AppResource("ui://declared/three", html="program.py")


async def ask_with_one(ctx: Context) -> str:
    """Ask on somebody's behalf."""
    return (await elicit(ctx, "go?", bool, app=one)).action


def pages_of(server: FastMCP) -> list[str | None]:
    """List the addresses."""
    return [address_of_page(page) for _, page in elicitations(server)]


def test_a_page_in_the_handlers_code_is_found() -> None:
    server = FastMCP("s")

    @server.tool
    async def direct(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=one)).action

    @server.tool
    async def by_address(ctx: Context) -> str:
        return (await mcp_apps_plugin.elicit(ctx, "go?", bool, app="ui://declared/four")).action

    @server.tool
    async def by_helper(ctx: Context) -> str:
        return await ask_with_one(ctx)

    @server.tool
    async def in_a_closure(ctx: Context) -> list[str]:
        async def each(name: str) -> str:
            return (await elicit(ctx, name, bool, app=three)).action

        return [await each(name) for name in "ab"]

    @server.prompt
    async def prompt(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=one)).action

    @server.resource("x://y")
    async def resource(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=one)).action

    @server.tool
    async def plain(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool)).action

    @server.tool
    async def names_a_page_but_does_not_ask(ctx: Context) -> str:
        return f"{one} {(await ctx.elicit('go?', bool)).action}"

    assert pages_of(server) == [
        "ui://declared/one",
        "ui://declared/four",
        "ui://declared/one",
        "ui://declared/three",
        "ui://declared/one",
        "ui://declared/one",
    ]


def test_methods_and_wrappers_are_looked_through() -> None:
    server = FastMCP("s")

    class Desk:
        async def method(self, ctx: Context) -> str:
            return (await elicit(ctx, "go?", bool, app=one)).action

        async def __call__(self, ctx: Context) -> str:
            return (await elicit(ctx, "go?", bool, app=two)).action

    async def bare(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=one)).action

    @functools.wraps(bare)
    async def wrapped(ctx: Context) -> str:
        return await bare(ctx)

    server.tool(Desk().method)
    server.tool(wrapped)
    server.add_tool(Tool.from_function(Desk(), name="called"))
    assert pages_of(server) == ["ui://declared/one", "ui://declared/one", "ui://declared/two"]


async def test_what_the_code_does_not_tell_is_said() -> None:
    server = FastMCP("s")

    @server.tool
    @elicits(one, "ui://declared/five")
    async def below(name: str, ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=PAGES[name])).action

    @elicits(two)
    @server.tool
    async def above(name: str, ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=PAGES[name])).action

    assert pages_of(server) == ["ui://declared/one", "ui://declared/five", "ui://declared/two"]
    listed = {str(each.uri) for each in await server.list_resources()}
    assert {"ui://declared/one", "ui://declared/two"} <= listed


def test_a_server_without_questions_says_nothing() -> None:
    server = FastMCP("s")

    @server.tool
    def plain() -> str:
        return "plain"

    assert not elicits_pages(server)
    server.mount(FastMCP("below"))
    assert not elicits_pages(server)


async def test_a_page_that_is_not_served_stops_the_start() -> None:
    server = FastMCP("s")

    @server.tool
    async def asks(ctx: Context) -> str:
        await elicit(ctx, "go?", bool, app=one)
        return (await elicit(ctx, "go?", bool, app="ui://declared/onne")).action

    report = await audit(server)
    (finding,) = report.errors
    assert finding.code == "link-dangling"
    assert "asks with `ui://declared/onne`" in finding.problem
    assert "Did you mean `ui://declared/one`?" in finding.problem
    assert finding.subject.endswith("asks")
    with pytest.raises(RuntimeError, match="ui://declared/onne"):
        async with Client(server):
            pass


async def test_an_address_that_nobody_is_asked_with() -> None:
    """A handler that asks without a page may know addresses for another reason."""
    server = FastMCP("s")

    @server.tool
    async def asks(link: str, ctx: Context) -> str:
        if link == "ui://some/where":
            return "remote"
        return (await elicit(ctx, "go?", bool)).action

    assert (await audit(server)).findings == ()
    assert not elicits_pages(server)


async def test_a_page_of_a_mounted_server_is_audited_there() -> None:
    server, below = FastMCP("s"), FastMCP("below")
    server.mount(below, namespace="b")

    @below.tool
    async def asks(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=one)).action

    assert (await audit(server)).findings == ()
    assert elicits_pages(server)


def test_misuse_is_refused_where_it_is_written() -> None:
    with pytest.raises(AppsTypeError, match="names no page"):
        elicits()
    with pytest.raises(AppsTypeError, match="which is no page"):
        elicits(SimpleNamespace())
    with pytest.raises(AppsValueError, match="does not start with `ui://`"):
        elicits("https://example.com")
