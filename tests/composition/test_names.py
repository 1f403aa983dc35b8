"""Tool names: the bare ones that a page was written with, and the ones it is told."""

from __future__ import annotations

import pytest
from fastmcp import FastMCP
from fastmcp.exceptions import AuthorizationError, NotFoundError, ToolError
from fastmcp.server import create_proxy
from fastmcp.server.middleware import Middleware
from fastmcp.server.middleware.error_handling import ErrorHandlingMiddleware
from fastmcp.server.providers import LocalProvider
from fastmcp.server.transforms import Namespace, ToolTransform
from fastmcp.tools.tool_transform import ToolTransformConfig

from mcp_apps_plugin import AppsExtension


def two_teams(kit, **options):
    """Two servers written alike, mounted side by side."""
    server = FastMCP("root")
    for name in ("crm", "shop"):
        server.mount(kit.team(name, **options), namespace=name)
    return server


async def test_a_unique_bare_name_reaches_its_own_server(connect, kit):
    """A page calls `refresh` as it was written, at any depth."""
    server, middle = FastMCP("root"), FastMCP("middle")
    middle.mount(kit.team("crm", library=False), namespace="crm")
    server.mount(middle, namespace="deep")
    async with connect(server) as client:
        assert await kit.mark(client, "refresh") == "crm"
        assert await kit.mark(client, "deep_crm_refresh") == "crm"


async def test_an_ambiguous_bare_name_names_its_candidates(connect, kit):
    """Two tools written with one name: the error lists both, and no call is made."""
    async with connect(two_teams(kit, library=False)) as client:
        said = await kit.refusal(client, "refresh")
    for word in ("name-ambiguous", "crm_refresh", "shop_refresh", "page library"):
        assert word in said


async def test_a_page_with_the_library_knows_its_own_mounts_names(connect, kit):
    """Each copy of the page is told the names of its own server's tools."""
    async with connect(two_teams(kit)) as client:
        seen = await kit.look(client)
        assert seen.names == {
            f"{name}_show": {"show": f"{name}_show", "refresh": f"{name}_refresh"}
            for name in ("crm", "shop")
        }
        for tool, names in seen.names.items():
            assert await kit.mark(client, names["refresh"]) == seen.shows[tool]


async def test_the_same_child_twice_is_told_apart(connect, kit):
    """Two mounts of one server: each copy of its page knows its own names."""
    server, child = FastMCP("root"), kit.team("crm")
    server.mount(child, namespace="a")
    server.mount(child, namespace="b")
    outer = FastMCP("outer")
    outer.mount(server, namespace="o")
    async with connect(outer) as client:
        seen = await kit.look(client)
    assert {tool: names["refresh"] for tool, names in seen.names.items()} == {
        "o_a_show": "o_a_refresh",
        "o_b_show": "o_b_refresh",
    }


async def test_a_page_where_nothing_is_renamed_is_untouched(connect, kit):
    """On its own server a page is served byte for byte as it was made."""
    server = kit.team("crm")
    outer = FastMCP("outer")
    outer.mount(server)
    expected = "<!doctype html><title>crm</title><script>McpApp</script>"
    for endpoint in (server, outer):
        async with connect(endpoint) as client:
            assert (await client.read_resource(kit.view))[0].text == expected


async def test_a_page_without_the_library_is_untouched(connect, kit):
    """A foreign page is the same bytes everywhere."""
    async with connect(two_teams(kit, library=False)) as client:
        item = (await client.read_resource("ui://crm/team/view"))[0]
    assert item.text == "<!doctype html><title>crm</title>"


@pytest.mark.parametrize("how", ["namespace", "rename"])
async def test_a_server_that_renames_its_own_tools_tells_its_own_page(connect, kit, how):
    """The names of a server-level transform reach the server's own page, beside equal mounts."""
    server = kit.team("root")
    server.mount(kit.team("crm"), namespace="crm")
    if how == "namespace":
        server.add_transform(Namespace("api"))
        expected = {"api_show": "api_refresh", "api_crm_show": "api_crm_refresh"}
    else:
        config = ToolTransformConfig(name="reload")
        server.add_transform(ToolTransform({"refresh": config}))
        expected = {"show": "reload", "crm_show": "crm_refresh"}
    async with connect(server) as client:
        seen = await kit.look(client)
        assert {t: names.get("refresh") for t, names in seen.names.items()} == expected
        for tool, name in expected.items():
            assert await kit.mark(client, name) == seen.shows[tool]


async def test_a_bare_name_never_shadows_a_tool_of_that_name(connect, kit):
    """The root's own `refresh` is the one that is called, with and without a page."""
    server = FastMCP("root")
    server.mount(kit.team("crm"), namespace="crm")
    kit.tool(server, "refresh", "root")
    async with connect(server) as client:
        assert await kit.mark(client, "refresh") == "root"
        assert (await kit.look(client)).names["crm_show"]["refresh"] == "crm_refresh"


async def test_a_bare_name_never_stands_in_for_a_hidden_tool(connect, kit):
    """A tool of that very name that is switched off stays unknown, whoever called before."""
    server = FastMCP("root")
    server.mount(kit.team("crm"), namespace="crm")
    kit.tool(server, "refresh", "root")
    server.disable(names={"refresh"}, components={"tool"})
    async with connect(server) as client:
        assert "Unknown tool" in await kit.refusal(client, "refresh")
        server.enable(names={"refresh"}, components={"tool"})
        assert await kit.mark(client, "refresh") == "root"
        server.local_provider.remove_tool("refresh")
        await client.call_tool("refresh", {}, raise_on_error=False)  # may find it gone, once
        assert await kit.mark(client, "refresh") == "crm"


async def test_only_tools_that_pages_may_call(connect, kit):
    """A tool that only the model may use is not found by its bare name."""
    server, child = FastMCP("root"), kit.team("crm")
    kit.tool(child, "secret", "crm", visibility="model")
    server.mount(child, namespace="crm")
    async with connect(server) as client:
        assert "Unknown tool" in await kit.refusal(client, "secret")
        assert await kit.mark(client, "crm_secret") == "crm"
        assert "secret" not in (await kit.look(client)).names["crm_show"]


async def test_a_tool_below_authorization_is_respected(connect, kit):
    """Who may not call the full name may not call the bare one, and it is no candidate."""
    server = FastMCP("root")

    def denied(_):
        message = "no"
        raise AuthorizationError(message)

    crm, shop = kit.team("crm", library=False), FastMCP("shop")
    kit.tool(shop, "refresh", "shop", visibility="app", auth=denied)
    kit.tool(shop, "locked", "shop", visibility="app", auth=lambda _: False)
    server.mount(crm, namespace="crm")
    server.mount(shop, namespace="shop")
    async with connect(server) as client:
        assert await kit.mark(client, "refresh") == "crm"
        assert "Unknown tool" in await kit.refusal(client, "locked")
        assert "Unknown tool" in await kit.refusal(client, "shop_refresh")


async def test_middleware_sees_the_full_name(connect, kit):
    """The author's middleware, on both servers, sees the call it would see anyway.

    Before that it sees the name that is not listed, and may refuse it, as without this package.
    """
    calls = []

    class Log(Middleware):
        def __init__(self, where):
            self.where = where

        async def on_call_tool(self, context, call_next):
            calls.append((self.where, context.message.name))
            return await call_next(context)

    server, child = FastMCP("root", middleware=[Log("root")]), kit.team("crm")
    child.add_middleware(Log("crm"))
    server.mount(child, namespace="crm")
    async with connect(server) as client:
        await kit.mark(client, "refresh")
        await kit.mark(client, "crm_refresh")
    by_full_name = [("root", "crm_refresh"), ("crm", "refresh")]
    assert calls == [("root", "refresh"), *by_full_name, *by_full_name]


class Counting(Middleware):
    """Counts what a server is asked."""

    def __init__(self):
        self.methods = []

    async def on_request(self, context, call_next):
        """Note it."""
        self.methods.append(context.method)
        return await call_next(context)


class Refusing(Middleware):
    """Refuses lists, or calls."""

    def __init__(self, method):
        self.method = method

    async def on_request(self, context, call_next):
        """Refuse it."""
        if context.method == self.method:
            message = "not for you"
            raise ToolError(message)
        return await call_next(context)


async def test_a_server_with_a_page_lends_no_names_to_one_without(connect, kit):
    """Only where a page was written may its tools be called by the names it knows."""
    server, admin = kit.team("root", library=False), FastMCP("admin")
    kit.tool(admin, "wipe", "admin")
    server.mount(admin, namespace="admin")
    server.mount(create_proxy(admin), namespace="far")
    server.mount(kit.team("crm", library=False), namespace="crm")
    async with connect(server) as client:
        assert "Unknown tool" in await kit.refusal(client, "wipe")
        assert await kit.mark(client, "admin_wipe") == "admin"


@pytest.mark.parametrize("pages", [True, False])
async def test_a_refused_call_asks_nobody(connect, kit, pages):
    """An author's middleware stands before a back end, for names that are not listed, too."""
    back = kit.team("crm", library=False) if pages else FastMCP("plain")
    counting = Counting()
    back.add_middleware(counting)
    front = create_proxy(back)
    front.add_middleware(Refusing("tools/call"))
    async with connect(front) as client:
        counting.methods.clear()
        assert "not for you" in await kit.refusal(client, "nothing")
    assert counting.methods == []


async def test_an_unknown_name_costs_nothing_more_where_no_page_can_be(kit):
    """A server without pages is asked what plain FastMCP asks: for a list at most, or for none."""
    counting = Counting()
    server, child = FastMCP("root"), FastMCP("plain", middleware=[counting])
    kit.tool(child, "work", "plain")
    server.mount(child)
    with pytest.raises(NotFoundError, match="Unknown tool: 'nothing'"):
        await server.call_tool("nothing", {})
    assert counting.methods in ([], ["tools/list"])  # FastMCP 4.0 asks for none


async def test_a_list_that_refuses_knows_no_other_names(connect, kit):
    """What an author's middleware says of a list is no answer to a call."""
    server = FastMCP("root", middleware=[Refusing("tools/list")])
    server.mount(kit.team("crm", library=False), namespace="crm")
    async with connect(server) as client:
        assert "Unknown tool" in await kit.refusal(client, "refresh")


async def test_a_middleware_may_turn_the_error_into_another(connect, kit):
    """A page's name is found behind FastMCP's own middleware for errors, too."""
    server = FastMCP("root", middleware=[ErrorHandlingMiddleware()])
    server.mount(kit.team("crm", library=False), namespace="crm")
    async with connect(server) as client:
        assert await kit.mark(client, "refresh") == "crm"


async def test_arguments_are_checked_as_for_the_full_name(connect, kit):
    """The schema of the tool holds for its bare name."""
    server, child = FastMCP("root"), kit.team("crm")

    @child.tool
    def add(a: int) -> dict[str, int]:
        return {"a": a + 1}

    server.mount(child, namespace="crm")
    async with connect(server) as client:
        assert (await client.call_tool("add", {"a": 1})).data == {"a": 2}
        for name in ("add", "crm_add"):
            answer = await client.call_tool(name, {"a": "x"}, raise_on_error=False)
            assert answer.is_error


async def test_the_switch(connect, kit):
    """`AppsExtension(bare_names=False)`: an unlisted name is unknown."""
    server = FastMCP("root")
    server.add_extension(AppsExtension(bare_names=False))
    server.mount(kit.team("crm"), namespace="crm")
    async with connect(server) as client:
        assert "Unknown tool" in await kit.refusal(client, "refresh")
        assert (await kit.look(client)).names["crm_show"]["refresh"] == "crm_refresh"


async def test_servers_without_pages_know_listed_names_only(connect, kit):
    """Nothing changes for servers that have nothing to do with pages."""
    server, child = FastMCP("root"), FastMCP("plain")
    kit.tool(child, "work", "plain")
    server.mount(child, namespace="p")
    async with connect(server) as client:
        assert "Unknown tool" in await kit.refusal(client, "work")
        assert await kit.mark(client, "p_work") == "plain"


@pytest.mark.parametrize("shape", ["proxy of mount", "mount of proxy", "proxy of proxy"])
async def test_names_are_composed_through_proxies(connect, kit, shape):
    """What a back end told a page is mapped on to the names of the endpoint in front."""
    backend = two_teams(kit)
    if shape == "mount of proxy":
        front = FastMCP("front")
        front.mount(create_proxy(backend), namespace="far")
        prefix = "far_"
    else:
        if shape == "proxy of proxy":
            backend = create_proxy(backend)
        front = create_proxy(backend)
        front.add_transform(Namespace("far"))
        prefix = "far_"
    async with connect(front) as client:
        seen = await kit.look(client)
        for name in ("crm", "shop"):
            told = seen.names[f"{prefix}{name}_show"]
            assert told["refresh"] == f"{prefix}{name}_refresh"
            assert await kit.mark(client, told["refresh"]) == name


async def test_a_bare_name_through_a_proxy(connect, kit):
    """The front endpoint resolves the names that its back end lists."""
    front = FastMCP("front")
    front.mount(create_proxy(kit.team("crm")), namespace="far")
    async with connect(front) as client:
        assert await kit.mark(client, "refresh") == "crm"


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("shape", ["proxy", "mounted", "proxy of proxy"])
async def test_a_bare_name_through_a_proxy_of_mounts(connect, kit, shape, depth):
    """A foreign page's name is found below the back end's mounts, too; two of them are named."""
    backend = FastMCP("backend")
    for team in ("crm", "shop"):
        server = kit.team(team, library=False)
        kit.tool(server, f"only_{team}", team, visibility="app")
        kit.tool(server, "secret", team, visibility="model")
        if depth == 2:
            middle = FastMCP("middle")
            middle.mount(server, namespace="in")
            server = middle
        backend.mount(server, namespace=team)
    kit.tool(backend, "force_reload", "backend", visibility="app")
    kit.tool(backend, "crm_wipe", "backend")  # it only looks like one of crm's
    front, prefix = create_proxy(backend), ""
    if shape == "proxy of proxy":
        front = create_proxy(front)
    elif shape == "mounted":
        outer, prefix = FastMCP("front"), "far_"
        outer.mount(front, namespace="far")
        front = outer
    async with connect(front) as client:
        assert await kit.mark(client, "only_crm") == "crm"
        assert await kit.mark(client, "force_reload") == "backend"
        said = await kit.refusal(client, "refresh")
        for team in ("crm", "shop"):
            full = f"{prefix}{team}_{'in_' if depth == 2 else ''}refresh"
            assert full in said
            assert await kit.mark(client, full) == team
        # No namespace: a name that only ends alike is another tool.
        assert "Unknown tool" in await kit.refusal(client, "reload")
        assert "Unknown tool" in await kit.refusal(client, "secret")
        assert "Unknown tool" in await kit.refusal(client, "wipe")


async def test_a_bare_name_of_a_mount_and_of_a_back_ends_mount(connect, kit):
    """A page of either may mean its own: no call is made to the other's."""
    backend, front = FastMCP("backend"), FastMCP("front")
    backend.mount(kit.team("crm", library=False), namespace="crm")
    front.mount(create_proxy(backend), namespace="far")
    front.mount(kit.team("shop", library=False), namespace="shop")
    async with connect(front) as client:
        said = await kit.refusal(client, "refresh")
    for word in ("name-ambiguous", "far_crm_refresh", "shop_refresh"):
        assert word in said


@pytest.mark.parametrize("shape", ["mounts", "provider", "proxy"])
async def test_the_page_of_a_template_knows_its_own_mounts_names(connect, kit, shape):
    """A page with a part in its address is told names like any other, wherever it is mounted."""

    def team(name, target):
        kit.tool(target, "show", name, "ui://card/7")
        kit.tool(target, "refresh", name, visibility="app")

        @target.resource("ui://card/{number}")
        def card(number: str) -> str:
            return f"<title>{name}</title><script>McpApp</script>{number}"

        return target

    server, prefix = FastMCP("root"), ""
    for name in ("crm", "shop"):
        if shape == "provider":
            server.add_provider(team(name, LocalProvider()), namespace=name)
            continue
        middle = FastMCP("middle")
        middle.mount(team(name, FastMCP(name)), namespace="in")
        server.mount(middle, namespace=name)
    if shape == "proxy":
        front, prefix = FastMCP("front"), "far_"
        front.mount(create_proxy(server), namespace="far")
        server = front
    async with connect(server) as client:
        seen = await kit.look(client)
        inner = "" if shape == "provider" else "in_"
        assert seen.shows == {f"{prefix}{n}_{inner}show": n for n in ("crm", "shop")}
        for tool, names in seen.names.items():
            assert names["refresh"] == tool.replace("show", "refresh")
            assert await kit.mark(client, names["refresh"]) == seen.shows[tool]


@pytest.mark.parametrize("how", ["brought", "registered"])
@pytest.mark.parametrize("mounted", [False, True])
async def test_providers_with_namespaces_are_told_apart(connect, kit, how, mounted):
    """Two providers of one server, written alike: the page of each is told its own names."""
    server, prefix = kit.team("root"), ""
    for name in ("crm", "shop"):
        provider = LocalProvider()
        page = kit.page(name, f"ui://{name}/view" if how == "brought" else kit.view)
        if how == "registered":
            provider.add_resource(page)
        kit.tool(provider, "show", name, page if how == "brought" else kit.view)
        kit.tool(provider, "refresh", name, visibility="app")
        server.add_provider(provider, namespace=name)
    if mounted:
        outer, prefix = FastMCP("outer"), "o_"
        outer.mount(server, namespace="o")
        server = outer
    async with connect(server) as client:
        seen = await kit.look(client)
        names = ("root", "crm", "shop")
        tools = [f"{prefix}{'' if name == 'root' else f'{name}_'}show" for name in names]
        assert seen.shows == dict(zip(tools, names, strict=True))
        for tool in tools:
            refresh = tool.replace("show", "refresh")
            assert seen.names[tool].get("refresh", "refresh") == refresh
            assert await kit.mark(client, refresh) == seen.shows[tool]
