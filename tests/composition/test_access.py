"""Pages that a caller may not read: the tool is listed without the link, for that caller only."""

from __future__ import annotations

import asyncio

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import AuthorizationError
from fastmcp.server.dependencies import get_context
from fastmcp.server.middleware import Middleware
from fastmcp.server.transforms import Transform

from mcp_apps_plugin import app_resource, ui

HAS_ACCESS_HOOK = hasattr(Middleware, "check_resource_access")


def who() -> str:
    """Name the caller: in these tests a client is known by the name it introduces itself with."""
    try:
        params = get_context().session.client_params
    except RuntimeError:  # a start has no caller
        return ""
    return "" if params is None else params.client_info.name


def for_alice(_):
    return who() == "alice"


def named(connect, server, name):
    """Connect as somebody."""
    from mcp_types import Implementation

    return connect(server, client_info=Implementation(name=name, version="1"))


def under(server, depth):
    """Mount a server so many times, each with a namespace."""
    for level in range(depth):
        outer = FastMCP(f"outer{level}")
        outer.mount(server, namespace=f"n{level}")
        server = outer
    return server


async def links(client):
    """List the links, whatever the tools are called."""
    return {
        tool.name.rpartition("_")[2]: (tool.meta or {}).get("ui", {}).get("resourceUri")
        for tool in await client.list_tools()
    }


async def link_of_show(connect, kit, server, name):
    """Return the link of the tool `show` as one caller sees it; without link it still works."""
    async with named(connect, server, name) as client:
        (show,) = [t for t in await client.list_tools() if t.name.endswith("show")]
        link = (show.meta or {}).get("ui", {}).get("resourceUri")
        assert await kit.mark(client, show.name) == "crm"
        if link is not None:
            assert "crm" in (await client.read_resource(link))[0].text
        return link


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("how", ["false", "raises"])
async def test_a_page_denied_for_this_caller(connect, kit, depth, how):
    """`auth=` on the page: who may read it sees the link, the next one does not, and again."""

    def refuse(context):
        if not for_alice(context):
            message = "no"
            raise AuthorizationError(message)
        return True

    child = FastMCP("crm")
    kit.tool(child, "show", "crm", kit.page("crm", auth=refuse if how == "raises" else for_alice))
    server = under(child, depth)
    for _ in range(2):
        assert await link_of_show(connect, kit, server, "bob") is None
        assert await link_of_show(connect, kit, server, "alice") is not None


@pytest.mark.parametrize("depth", [0, 1])
async def test_a_registered_page_denied_for_this_caller(connect, kit, depth):
    """The same for a plain `ui://` resource with `auth=`."""
    child = FastMCP("crm")
    kit.tool(child, "show", "crm", kit.view)
    child.resource(kit.view, auth=for_alice)(lambda: "<title>crm</title>")
    server = under(child, depth)
    assert await link_of_show(connect, kit, server, "alice") is not None
    assert await link_of_show(connect, kit, server, "bob") is None


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("where", ["inner", "outer"])
@pytest.mark.parametrize("how", ["components", "tags", "keys"])
async def test_a_page_that_is_switched_off(connect, kit, depth, where, how):
    """A page disabled on any level: no link; enabled again: the link is back."""
    child = FastMCP("crm")
    kit.tool(child, "show", "crm", kit.view)
    child.resource(kit.view, tags={"beta"})(lambda: "<title>crm</title>")
    server = under(child, depth)
    assert await link_of_show(connect, kit, server, "alice") is not None
    target = child if where == "inner" else server
    (page,) = await target.list_resources()
    choice = {
        "components": {"components": {"resource"}},
        "tags": {"tags": {"beta"}},
        "keys": {"keys": {page.key}},
    }[how]
    target.disable(**choice)
    assert await link_of_show(connect, kit, server, "alice") is None
    target.enable(**choice)
    assert await link_of_show(connect, kit, server, "alice") is not None


@pytest.mark.skipif(not HAS_ACCESS_HOOK, reason="FastMCP has no check_resource_access yet")
@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("where", ["inner", "outer"])
async def test_a_page_hidden_by_middleware(connect, kit, depth, where):
    """A middleware's `check_resource_access` counts, on every level, whatever it raises."""

    class Guard(Middleware):
        async def check_resource_access(self, context):
            if who() != "alice":
                raise PermissionError(context.message.uri)

        async def on_read_resource(self, context, call_next):
            await self.check_resource_access(context)
            return await call_next(context)

    child = FastMCP("crm")
    kit.tool(child, "show", "crm", kit.page("crm"))
    server = under(child, depth)
    (child if where == "inner" else server).add_middleware(Guard())
    assert await link_of_show(connect, kit, server, "alice") is not None
    assert await link_of_show(connect, kit, server, "bob") is None


async def test_a_page_hidden_by_a_transform_of_the_author(connect, kit):
    """A transform that hides a page from some callers is asked on every list."""

    class ForAlice(Transform):
        async def list_resources(self, resources):
            return resources if who() == "alice" else []

        async def get_resource(self, uri, call_next, *, version=None):
            return await call_next(uri, version=version) if who() == "alice" else None

    child, server = kit.team("crm"), FastMCP("root")
    server.mount(child, namespace="a")
    server.add_transform(ForAlice())
    for _ in range(2):
        assert await link_of_show(connect, kit, server, "alice") is not None
        assert await link_of_show(connect, kit, server, "bob") is None


@pytest.mark.skipif(not HAS_ACCESS_HOOK, reason="FastMCP has no check_resource_access yet")
async def test_a_guarded_page_of_a_sibling(connect, kit):
    """A page that another mounted server guards is linked for those who may read it."""

    class Guard(Middleware):
        async def check_resource_access(self, context):
            if who() != "alice":
                raise PermissionError(context.message.uri)

    pages, tools, server = FastMCP("pages"), FastMCP("tools"), FastMCP("root")
    pages.resource(kit.view)(lambda: "<title>crm</title>")
    pages.add_middleware(Guard())
    kit.tool(tools, "show", "crm", kit.view)
    server.mount(pages)
    server.mount(tools, namespace="t")
    for _ in range(2):
        assert await link_of_show(connect, kit, server, "bob") is None
        assert await link_of_show(connect, kit, server, "alice") is not None


@pytest.mark.parametrize("depth", [0, 1])
async def test_per_session_visibility_of_pages(kit, depth):
    """A page that one session switched off loses its link there, and nowhere else."""
    child = FastMCP("crm")
    kit.tool(child, "show", "crm", kit.page("crm"))

    @child.tool
    async def hide(ctx: Context) -> str:
        await ctx.disable_components(components={"resource"})
        return "hidden"

    @child.tool
    async def back(ctx: Context) -> str:
        await ctx.reset_visibility()
        return "back"

    server = under(child, depth)
    prefix = "n0_" if depth else ""
    async with Client(server, mode="legacy") as one, Client(server, mode="legacy") as two:
        for client in (one, two, one):
            assert (await links(client))["show"] is not None
        await one.call_tool(f"{prefix}hide", {})
        for _ in range(2):
            assert (await links(one))["show"] is None
            assert (await links(two))["show"] is not None
        await one.call_tool(f"{prefix}back", {})
        assert (await links(one))["show"] is not None


async def test_links_follow_what_a_session_sees(connect, kit):
    """A link is there with its page; in the modern era FastMCP has one session for all, or none."""
    server = FastMCP("crm")
    kit.tool(server, "show", "crm", kit.page("crm"))

    @server.tool
    async def hide(ctx: Context) -> str:
        await ctx.disable_components(components={"resource"})
        return "hidden"

    async with connect(server) as one, connect(server) as two:
        assert (await links(one))["show"] is not None
        await one.call_tool("hide", {})
        for client in (one, two):
            listed = [str(page.uri) for page in await client.list_resources()]
            assert (await links(client))["show"] == (listed[0] if listed else None)


async def test_tools_enabled_for_one_session(kit):
    """A tool that a session switched on has its link there."""
    server = FastMCP("crm")
    kit.tool(server, "show", "crm", kit.page("crm"), tags={"extra"})
    server.disable(tags={"extra"})

    @server.tool
    async def unlock(ctx: Context) -> str:
        await ctx.enable_components(tags={"extra"})
        return "unlocked"

    async with Client(server, mode="legacy") as one, Client(server, mode="legacy") as two:
        await one.call_tool("unlock", {})
        assert (await links(one))["show"] == kit.view
        assert "show" not in await links(two)


@pytest.mark.parametrize("depth", [0, 1])
async def test_authorization_taken_from_the_tools(connect, kit, depth):
    """`auth="inherit"`: who may not use the tool cannot read its page, nor see it listed."""
    child = FastMCP("crm")
    page = kit.page("crm", auth="inherit")
    kit.tool(child, "show", "crm", page, auth=for_alice)
    server = under(child, depth)
    uri = "ui://n0/team/view" if depth else kit.view
    for _ in range(2):
        async with named(connect, server, "bob") as client:
            assert await client.list_tools() == []
            assert await client.list_resources() == []
            with pytest.raises(Exception, match=r"Unknown resource|not found"):
                await client.read_resource(uri)
        assert await link_of_show(connect, kit, server, "alice") == uri


@pytest.mark.parametrize("depth", [0, 1])
@pytest.mark.parametrize("auth", ["inherit", for_alice])
@pytest.mark.parametrize("registered", [False, True])
async def test_a_hash_is_no_way_around(connect, kit, depth, auth, registered):
    """A versioned page is under no address for who may not read it, and has no template."""
    child = FastMCP("crm")
    page = kit.page("crm", auth=auth, versioned=True)
    if registered:
        child.add_resource(page)
    kit.tool(child, "show", "crm", page, **({"auth": for_alice} if auth == "inherit" else {}))
    server = under(child, depth)
    uri = "ui://n0/team/view" if depth else kit.view
    for _ in range(2):
        link = await link_of_show(connect, kit, server, "alice")
        assert link.startswith(f"{uri}?v=")
        async with named(connect, server, "bob") as client:
            assert await client.list_resources() == []
            assert await client.list_resource_templates() == []
            assert set((await links(client)).values()) <= {None}
            for address in (uri, link, f"{uri}?v=0123456789abcdef"):
                with pytest.raises(Exception, match=r"Unknown resource|not found|denied"):
                    await client.read_resource(address)


async def test_a_link_to_a_page_with_inherited_authorization(connect, kit):
    """A tool elsewhere that links such a page has the link for those who may read it."""

    @app_resource("ui://team/view", auth="inherit")
    def page() -> str:
        return "<title>crm</title>"

    server, child = FastMCP("crm"), FastMCP("child")

    @server.tool(auth=for_alice)
    @ui(page)
    def main() -> dict[str, str]:
        return {}

    kit.tool(child, "show", "crm", kit.view)
    server.mount(child, namespace="c")
    assert await link_of_show(connect, kit, server, "bob") is None
    assert await link_of_show(connect, kit, server, "alice") == kit.view


async def test_callers_that_list_at_once_never_see_each_others_links(connect, kit):
    """Lists of two callers that run interleaved are each right for their caller."""

    async def slowly(_):
        await asyncio.sleep(0)
        return who() == "alice"

    server = FastMCP("root")
    for name in "abc":
        child = FastMCP(name)
        for number in range(3):
            page = kit.page("crm", f"ui://{name}/{number}", auth=slowly if number else None)
            kit.tool(child, f"show{number}", "crm", page)
        server.mount(child, namespace=name)

    async def watch(name):
        async with named(connect, server, name) as client:
            return [await links(client) for _ in range(5)]

    alice, bob, carol = await asyncio.gather(watch("alice"), watch("bob"), watch("carol"))
    for seen in alice:
        assert None not in seen.values()
    for seen in (*bob, *carol):
        assert {name for name, link in seen.items() if link} == {"show0"}


async def test_a_hidden_page_is_asked_for_again_on_each_list(connect, kit):
    """What a caller may read may change while it is connected."""
    allowed = True
    server = under(FastMCP("crm"), 0)
    kit.tool(server, "show", "crm", kit.page("crm", auth=lambda _: allowed))
    outer = under(server, 1)
    async with connect(outer) as client:
        for allowed in (True, False, True):
            assert ((await links(client))["show"] is not None) is allowed
