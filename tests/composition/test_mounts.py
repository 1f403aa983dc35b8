"""Links after mounts, namespaces and transforms: listed, readable, and the right page."""

from __future__ import annotations

import pytest
from fastmcp import FastMCP
from fastmcp.apps import AppConfig
from fastmcp.server.middleware.caching import ResponseCachingMiddleware
from fastmcp.server.providers import FastMCPProvider, LocalProvider
from fastmcp.server.providers.aggregate import AggregateProvider
from fastmcp.server.transforms import Namespace, ToolTransform
from fastmcp.server.transforms.version_filter import VersionFilter
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import ToolTransformConfig

from mcp_apps_plugin import AppsConfigurationError, AppsExtension, attach_ui, audit, ui


@pytest.mark.parametrize("depth", [1, 2, 3])
async def test_nested_mounts(connect, kit, depth):
    """A link passes one, two and three namespaces, as its page does."""
    server = kit.team("crm")
    for level in range(depth):
        outer = FastMCP(f"level{level}")
        outer.mount(server, namespace=f"n{level}")
        server = outer
    async with connect(server) as client:
        seen = await kit.look(client)
        prefix = "".join(f"n{level}_" for level in reversed(range(depth)))
        path = "/".join(f"n{level}" for level in reversed(range(depth)))
        assert seen.links == {
            f"{prefix}show": f"ui://{path}/team/view",
            f"{prefix}refresh": None,
        }
        assert seen.addresses == [f"ui://{path}/team/view"]
        assert seen.shows == {f"{prefix}show": "crm"}
        assert await kit.mark(client, f"{prefix}refresh") == "crm"


@pytest.mark.parametrize("depth", [1, 2, 3])
async def test_nested_mounts_of_which_some_have_no_namespace(connect, kit, depth):
    """A level without namespace changes nothing, wherever it stands."""
    for bare in range(depth):
        server = kit.team("crm")
        for level in range(depth):
            outer = FastMCP(f"level{level}")
            outer.mount(server, namespace=None if level == bare else f"n{level}")
            server = outer
        async with connect(server) as client:
            seen = await kit.look(client)
        assert list(seen.shows.values()) == ["crm"]


async def test_a_namespace_on_the_server_itself(connect, kit):
    """`add_transform(Namespace(…))` on a server renames its links, its mounts' too."""
    server = kit.team("root")
    server.mount(kit.team("crm"), namespace="crm")
    server.add_transform(Namespace("api"))
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.links == {
        "api_show": "ui://api/team/view",
        "api_refresh": None,
        "api_crm_show": "ui://api/crm/team/view",
        "api_crm_refresh": None,
    }
    assert seen.shows == {"api_show": "root", "api_crm_show": "crm"}


@pytest.mark.parametrize("wrapped", [False, True])
async def test_providers_with_a_namespace(connect, kit, wrapped):
    """`add_provider(…, namespace=)` renames links, also of a namespace on the provider itself."""
    provider = LocalProvider()
    kit.tool(provider, "show", "crm", kit.view)
    provider.resource(kit.view)(lambda: "<title>crm</title>")
    if wrapped:
        provider.add_transform(Namespace("inner"))
    server = FastMCP("root")
    server.add_provider(provider, namespace="crm")
    async with connect(server) as client:
        seen = await kit.look(client)
    assert list(seen.links.values()) == [f"ui://crm/{'inner/' if wrapped else ''}team/view"]
    assert list(seen.shows.values()) == ["crm"]


async def test_a_declared_page_of_a_provider_with_a_namespace(connect, kit):
    """A tool below a provider's namespace brings its page: readable at the link it has."""
    provider = LocalProvider()
    kit.tool(provider, "show", "crm", kit.page("crm"))
    server = FastMCP("root")
    server.add_provider(provider, namespace="crm")
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.shows == {"crm_show": "crm"}
    assert seen.links["crm_show"] in seen.addresses


async def test_a_page_below_a_providers_namespace_and_beside_it(connect, kit):
    """A page registered in a provider stands below its namespace, and where another tool has it."""
    page, provider, server = kit.page("crm"), LocalProvider(), FastMCP("root")
    provider.add_resource(page)
    kit.tool(provider, "show", "crm", page)
    server.add_provider(provider, namespace="crm")
    async with connect(server) as client:
        seen = await kit.look(client)
        assert seen.addresses == ["ui://crm/team/view"]
        assert seen.shows == {"crm_show": "crm"}
        kit.tool(server, "open", "root", page)
        seen = await kit.look(client)
        assert seen.links == {"open": kit.view, "crm_show": "ui://crm/team/view"}
        assert set(seen.shows.values()) == {"crm"}


async def test_servers_given_as_providers(connect, kit):
    """A server in `add_provider`, wrapped or not, and in the constructor, is a mount."""
    server = FastMCP("root", providers=[FastMCPProvider(kit.team("first", "ui://first/view"))])
    second = FastMCPProvider(kit.team("second"))
    second.add_transform(Namespace("own"))
    server.add_provider(second, namespace="two")
    server.add_provider(kit.team("third"), namespace="three")
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.shows == {"show": "first", "two_own_show": "second", "three_show": "third"}


async def test_an_aggregate_of_mounts(connect, kit):
    """Mounts below an `AggregateProvider` with namespaces of its own."""
    aggregate = AggregateProvider()
    aggregate.add_provider(FastMCPProvider(kit.team("crm")), namespace="crm")
    aggregate.add_provider(FastMCPProvider(kit.team("shop")), namespace="shop")
    server = FastMCP("root")
    server.add_provider(aggregate, namespace="all")
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.shows == {"all_crm_show": "crm", "all_shop_show": "shop"}


async def test_a_mount_after_start(connect, kit):
    """What is mounted, and added to a mount, while a client is connected is right at once."""
    server, crm = kit.team("root"), kit.team("crm")
    async with connect(server) as client:
        assert (await kit.look(client)).shows == {"show": "root"}
        server.mount(crm, namespace="crm")
        assert (await kit.look(client)).shows == {"show": "root", "crm_show": "crm"}
        kit.tool(crm, "late", "crm", kit.page("late", "ui://late/view"))
        shows = (await kit.look(client)).shows
        assert shows == {"show": "root", "crm_show": "crm", "crm_late": "late"}


async def test_a_page_that_goes_while_another_comes(connect, kit):
    """A removed page takes its link along, though the number of components is as before."""
    server = FastMCP("root")
    kit.tool(server, "show", "root", kit.view)
    server.resource(kit.view)(lambda: "<title>root</title>")
    outer = FastMCP("outer")
    outer.mount(server, namespace="a")
    async with connect(outer) as client:
        assert (await kit.look(client)).shows == {"a_show": "root"}
        server.local_provider.remove_resource(kit.view)
        server.resource("ui://other/view")(lambda: "<title>other</title>")
        assert (await kit.look(client)).links == {"a_show": None}


async def test_a_link_that_was_broken_and_is_not_any_more(connect, kit):
    """A page added later gets the links that were written for it."""
    server = kit.root(audit="off")
    kit.tool(server, "show", "root", kit.view)
    async with connect(server) as client:
        assert (await kit.look(client)).links == {"show": None}
        server.resource(kit.view)(lambda: "<title>root</title>")
        assert (await kit.look(client)).shows == {"show": "root"}


@pytest.mark.parametrize("namespace", [None, "a"])
async def test_a_child_that_links_a_page_of_its_parent(connect, kit, namespace):
    """The parent's page is linked by its own address, under every namespace of the child."""
    child, middle, server = FastMCP("child"), FastMCP("middle"), kit.team("root")
    kit.tool(child, "open", "child", kit.view)
    middle.mount(child, namespace=namespace)
    server.mount(middle, namespace="m")
    async with connect(server) as client:
        seen = await kit.look(client)
    name = f"m_{namespace}_open" if namespace else "m_open"
    assert seen.links[name] == kit.view
    assert seen.shows[name] == "root"


async def test_a_child_whose_page_has_its_parents_address(connect, kit):
    """A tool's own server comes before its parent."""
    server = kit.team("root")
    server.mount(kit.team("crm"), namespace="crm")
    async with connect(server) as client:
        assert (await kit.look(client)).shows == {"show": "root", "crm_show": "crm"}


async def test_a_child_that_links_a_page_of_a_sibling(connect, kit):
    """A page of a server beside it is linked where its address leads there."""
    server, pages, tools = FastMCP("root"), kit.team("pages"), FastMCP("tools")
    kit.tool(tools, "open", "tools", kit.view)
    server.mount(tools, namespace="t")
    server.mount(pages)
    async with connect(server) as client:
        assert (await kit.look(client)).shows == {"t_open": "pages", "show": "pages"}


@pytest.mark.parametrize("namespaces", [("a", "b"), ("a", None), (None, "a"), (None, None)])
async def test_the_same_child_twice(connect, kit, namespaces):
    """Each copy is linked to its own page."""
    server, child = FastMCP("root"), kit.team("crm")
    for namespace in namespaces:
        server.mount(child, namespace=namespace)
    async with connect(server) as client:
        seen = await kit.look(client)
    expected = {
        f"{n}_show" if n else "show": f"ui://{n}/team/view" if n else kit.view for n in namespaces
    }
    assert {name: link for name, link in seen.links.items() if link} == expected
    assert set(seen.shows.values()) == {"crm"}


async def test_two_mounts_with_one_address_are_a_finding(connect, kit):
    """The start stops, and the message names both servers."""
    server = kit.root(audit="error")
    server.mount(kit.team("crm"))
    server.mount(kit.team("shop"))
    with pytest.raises(RuntimeError) as caught:
        async with connect(server):
            pass
    assert isinstance(caught.value.__cause__ or caught.value.__context__, AppsConfigurationError)
    for word in ("page-conflict", "'crm'", "'shop'", kit.view, "namespace="):
        assert word in str(caught.value)
    deeper = FastMCP("deeper")
    deeper.mount(server, namespace="x")
    (finding,) = (await audit(deeper)).errors
    assert "'crm'" in str(finding)


async def test_servers_of_one_name_do_not_clash(kit):
    """Each has its own page under the address that all of them were written with."""
    server = kit.root(audit="error")
    for namespace in ("north", "south"):
        server.mount(kit.team("depot"), namespace=namespace)
    assert (await audit(server)).findings == ()


async def test_two_mounts_with_one_namespace(connect, kit):
    """They share a namespace like two without: a finding for one address, and nothing for two."""
    server, other = kit.root(audit="off"), FastMCP("other")
    kit.tool(other, "open", "other", kit.page("other", "ui://other/view"))
    kit.tool(other, "reload", "other", visibility="app")
    for child in (kit.team("crm"), other):
        server.mount(child, namespace="a")
    assert not (await audit(server)).errors
    server.mount(kit.team("shop"), namespace="a")
    (finding,) = (await audit(server)).errors
    for word in ("page-conflict", "'crm'", "'shop'", "of its own"):
        assert word in str(finding)
    async with connect(server) as client:
        seen = await kit.look(client)
        assert seen.shows == {"a_show": "crm", "a_open": "other"}
        assert seen.names["a_open"] == {"open": "a_open", "reload": "a_reload"}
        assert await kit.mark(client, "a_refresh") == "crm"


async def test_namespaces_that_begin_alike(connect, kit):
    """`a`, `a_b`, and `b` below `a_c`: each copy of a page knows the tools of its own server."""
    server, middle = FastMCP("root"), FastMCP("middle")
    middle.mount(kit.team("deep"), namespace="b")
    server.mount(kit.team("crm"), namespace="a")
    server.mount(kit.team("shop"), namespace="a_b")
    server.mount(middle, namespace="a_c")
    async with connect(server) as client:
        seen = await kit.look(client)
        assert seen.shows == {"a_show": "crm", "a_b_show": "shop", "a_c_b_show": "deep"}
        for tool, names in seen.names.items():
            assert await kit.mark(client, names["refresh"]) == seen.shows[tool]


async def test_mounts_that_come_go_and_are_exchanged(connect, kit):
    """Whatever is mounted at the moment counts, under the same namespace, too."""
    server = FastMCP("root")

    def mount(team, namespace):
        server.mount(kit.team(team), namespace=namespace)
        return server.providers[-1]

    async with connect(server) as client:
        first = mount("crm", "a")
        assert (await kit.look(client)).shows == {"a_show": "crm"}
        assert await kit.mark(client, "refresh") == "crm"
        second = mount("shop", "b")
        assert (await kit.look(client)).shows == {"a_show": "crm", "b_show": "shop"}
        assert "name-ambiguous" in await kit.refusal(client, "refresh")
        server.providers.remove(second)
        assert (await kit.look(client)).shows == {"a_show": "crm"}
        assert await kit.mark(client, "refresh") == "crm"
        server.providers.remove(first)
        mount("shop", "a")
        assert (await kit.look(client)).shows == {"a_show": "shop"}
        for name in ("refresh", "a_refresh"):
            assert await kit.mark(client, name) == "shop"


@pytest.mark.parametrize("nested", [False, True])
async def test_two_mounts_with_one_address_never_show_the_wrong_page(connect, kit, nested):
    """With the audit off, the second server's tool is listed without link, and works."""
    server = kit.root(audit="off")
    for name in ("crm", "shop"):
        child = FastMCP(name)
        kit.tool(child, f"{name}_show", name, kit.page(name))
        if nested:
            inner, child = child, FastMCP(f"around {name}")
            child.mount(inner)
        server.mount(child)
    async with connect(server) as client:
        seen = await kit.look(client)
        assert seen.links == {"crm_show": kit.view, "shop_show": None}
        assert seen.shows == {"crm_show": "crm"}
        assert await kit.mark(client, "shop_show") == "shop"


@pytest.mark.parametrize("mounted", [False, True])
@pytest.mark.parametrize("how", ["two tools", "resource", "attached"])
async def test_two_pages_of_one_address_on_one_server(connect, kit, caplog, how, mounted):
    """With the audit off, each tool shows its own page or none, and the log says why, once."""
    server = kit.root("crm", audit="off")
    if how == "resource":
        server.resource(kit.view)(lambda: "<title>first</title>")
    else:
        kit.tool(server, "first", "first", kit.page("first"))
    if how == "attached":
        kit.tool(server, "second", "second")
        attach_ui(server, {"second": kit.page("second")})
    else:
        kit.tool(server, "second", "second", kit.page("second"))
    kit.tool(server, "third", "third", kit.view)  # whatever stands there
    prefix = ""
    if mounted:
        outer = kit.root("outer", audit="off")
        outer.mount(server, namespace="a")
        server, prefix = outer, "a_"
    async with connect(server) as client:
        for _ in range(2):
            seen = await kit.look(client)
            expected = {f"{prefix}third": "first"}
            if how != "resource":
                expected[f"{prefix}first"] = "first"
            assert seen.shows == expected
            assert await kit.mark(client, f"{prefix}second") == "second"
    (said,) = [each.getMessage() for each in caplog.records if "page-conflict" in each.message]
    for word in (kit.view, "'crm'", "without a page"):
        assert word in said


async def test_one_page_that_several_tools_bring(connect, kit):
    """The same function or file, declared again, is the same page."""
    page, server = kit.page("crm"), FastMCP("crm")
    for name in ("first", "second"):
        kit.tool(server, name, "crm", page)
    server.add_resource(page)
    kit.tool(server, "third", "crm", page)
    async with connect(server) as client:
        assert set((await kit.look(client)).shows) == {"first", "second", "third"}


@pytest.mark.parametrize("how", ["constructor", "mount"])
async def test_a_servers_own_page_and_a_mount_with_its_address(connect, kit, how):
    """The server's own tool never shows a mounted server's page."""
    child = FastMCP("crm")
    kit.tool(child, "crm_show", "crm", kit.page("crm"))
    server = FastMCP("root", providers=[FastMCPProvider(child)] if how == "constructor" else [])
    server.add_extension(AppsExtension(audit="off"))
    kit.tool(server, "show", "root", kit.page("root"))
    if how == "mount":
        server.mount(child)
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.shows == {"show": "root"}
    assert seen.links["crm_show"] is None


async def test_a_hidden_page_is_not_stood_in_for_by_a_stranger(connect, kit):
    """Where a child's page is switched off, a page of the parent with its address is no match."""
    server, child = kit.team("root"), kit.team("crm")
    server.mount(child, namespace="crm")
    child.disable(components={"resource"})
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.shows == {"show": "root"}
    assert seen.links["crm_show"] is None


async def test_pages_of_templates(connect, kit):
    """A link that a resource template serves is found under a namespace."""
    child, server = FastMCP("crm"), FastMCP("root")
    kit.tool(child, "show", "crm", "ui://card/7")

    @child.resource("ui://card/{number}")
    def card(number: str) -> str:
        return f"<title>card {number}</title>"

    server.mount(child, namespace="crm")
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.links == {"crm_show": "ui://crm/card/7"}
    assert seen.shows == {"crm_show": "card 7"}


async def test_servers_written_with_fastmcps_own_app(connect, kit):
    """`app=AppConfig(…)` and a plain `ui://` resource are composed in the same way."""
    child, server = FastMCP("crm"), FastMCP("root")
    child.tool(app=AppConfig(resource_uri=kit.view), name="show")(lambda: {"mark": "crm"})
    child.resource(kit.view)(lambda: "<title>crm</title>")
    server.mount(child, namespace="a")
    server.mount(child, namespace="b")
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.links == {"a_show": "ui://a/team/view", "b_show": "ui://b/team/view"}
    assert set(seen.shows.values()) == {"crm"}


@pytest.mark.parametrize("where", ["child", "mount", "provider", "parent"])
async def test_renamed_and_described_tools(connect, kit, where):
    """A tool that is renamed and described anew keeps its link, on every level."""
    child, server = kit.team("crm"), FastMCP("root")
    change = ToolTransformConfig(name="orders", description="Shows the orders.")
    if where == "mount":
        server.mount(child, namespace="crm", tool_names={"show": "orders"})
    elif where == "provider":
        provider = FastMCPProvider(child)
        provider.add_transform(ToolTransform({"show": change}))
        server.add_provider(provider, namespace="crm")
    else:
        server.mount(child, namespace="crm")
        renamed = {"child": ("show", child), "parent": ("crm_show", server)}[where]
        if where == "parent":
            change = ToolTransformConfig(name="crm_orders", description="Shows the orders.")
        renamed[1].add_transform(ToolTransform({renamed[0]: change}))
    async with connect(server) as client:
        seen = await kit.look(client)
        assert seen.shows == {"crm_orders": "crm"}
        assert await kit.mark(client, "crm_orders") == "crm"


async def test_tools_made_from_mounted_tools(connect, kit):
    """`Tool.from_tool` over a mounted tool keeps the link, and takes another by `@ui`."""
    child, server = kit.team("crm"), FastMCP("root")
    server.mount(child, namespace="crm")
    fresh = await server.get_tool("crm_show")
    (mounted,) = [tool for tool in await server.list_tools() if tool.name == "crm_show"]
    assert fresh is not None
    server.add_tool(Tool.from_tool(mounted, name="kept"))
    other = Tool.from_tool(fresh, name="other")
    server.add_tool(ui(kit.page("root"))(other))
    async with connect(server) as client:
        shows = (await kit.look(client)).shows
    assert shows == {"crm_show": "crm", "kept": "crm", "other": "root"}


@pytest.mark.parametrize("depth", [1, 2])
async def test_tools_made_from_mounted_tools_before_anything_was_listed(connect, kit, depth):
    """`Tool.from_tool` over a tool that was only looked up has its link all the same."""
    server, prefix = kit.team("crm"), ""
    for level in range(depth):
        outer = FastMCP(f"outer{level}")
        outer.mount(server, namespace=f"n{level}")
        server, prefix = outer, f"n{level}_{prefix}"
    server.add_tool(Tool.from_tool(await server.get_tool(f"{prefix}show"), name="kept"))
    server.add_tool(Tool.from_tool(await server.get_tool(f"{prefix}refresh"), name="again"))
    async with connect(server) as client:
        for _ in range(2):
            seen = await kit.look(client)
            assert seen.shows == {f"{prefix}show": "crm", "kept": "crm"}
            assert seen.links["kept"] == seen.links[f"{prefix}show"]
            for name in ("kept", "again"):
                assert await kit.mark(client, name) == "crm"


async def test_tools_made_from_plain_tools_stay_plain(connect, kit):
    """A tool made from one without a page has none, whatever else is listed."""
    server = kit.team("crm")
    kit.tool(server, "work", "crm")
    server.mount(kit.team("shop"), namespace="shop")
    server.add_tool(Tool.from_tool(await server.get_tool("work"), name="again"))
    async with connect(server) as client:
        tools = {tool.name: tool.meta for tool in await client.list_tools()}
        assert "ui" not in (tools["again"] or {})
        assert "ui" not in (tools["work"] or {})
        assert set((await kit.look(client)).shows) == {"show", "shop_show"}


async def test_attach_ui_on_mounted_tools(connect, kit):
    """`attach_ui` gives a tool a page of the server it was called on."""
    plain, server = FastMCP("plain"), FastMCP("root")
    for name in ("one", "two"):
        kit.tool(plain, name, "plain")
    attach_ui(plain, {"one": kit.page("plain")})
    server.mount(plain, namespace="p")
    attach_ui(server, {"p_two": kit.page("root")})
    async with connect(server) as client:
        assert (await kit.look(client)).shows == {"p_one": "plain", "p_two": "root"}


async def test_versioned_tools(connect, kit):
    """Each version has its own page, and the one that is listed is linked."""
    child, server = FastMCP("crm"), FastMCP("root")
    kit.tool(child, "show", "1", kit.page("one", "ui://one/view"), version="1.0")
    kit.tool(child, "show", "2", kit.page("two", "ui://two/view"), version="2.0")
    server.mount(child, namespace="new")
    old = FastMCPProvider(child)
    old.add_transform(VersionFilter(version_lt="2.0"))
    server.add_provider(old, namespace="old")
    async with connect(server) as client:
        assert (await kit.look(client)).shows == {"new_show": "two", "old_show": "one"}


async def test_tools_filtered_by_tag(connect, kit):
    """A tag that hides some tools leaves the others linked."""
    child, server = FastMCP("crm"), FastMCP("root")
    kit.tool(child, "show", "crm", kit.page("crm"), tags={"public"})
    kit.tool(child, "secret", "crm", kit.page("secret", "ui://secret/view"), tags={"internal"})
    server.mount(child, namespace="crm")
    server.disable(tags={"internal"})
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.shows == {"crm_show": "crm"}


async def test_lists_that_a_middleware_cached(connect, kit):
    """The plain copies of tools that FastMCP's caching middleware keeps have right links."""
    server, middle = FastMCP("root"), FastMCP("middle")
    middle.mount(kit.team("crm"), namespace="crm")
    middle.mount(kit.team("shop"), namespace="shop")
    middle.add_middleware(ResponseCachingMiddleware())
    server.mount(middle, namespace="m")
    server.add_middleware(ResponseCachingMiddleware())
    async with connect(server) as client:
        for _ in range(3):
            shows = (await kit.look(client)).shows
            assert shows == {"m_crm_show": "crm", "m_shop_show": "shop"}
