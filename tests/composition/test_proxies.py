"""Proxies: link, MIME type, page and this client's own declaration pass through, per request."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import httpx2
import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.server import create_proxy
from fastmcp.server.middleware import Middleware
from fastmcp.server.providers.proxy import ProxyProvider
from fastmcp.server.transforms import Namespace
from fastmcp.tools import Tool
from mcp.client.extension import advertise

from mcp_apps_plugin import Csp, Support, client_ui_settings, supports_apps

EXTENSION = "io.modelcontextprotocol/ui"
APPS = {"mimeTypes": ["text/html;profile=mcp-app"]}
ERAS = ["auto", "legacy"]


def backend(kit, name="crm"):
    """A server with a page that has options, and a tool that says what it knows of the client."""
    server = FastMCP(name)
    page = kit.page(name, csp=Csp(connect_domains=["https://api.example"]), prefers_border=True)
    kit.tool(server, "show", name, page)
    kit.tool(server, "refresh", name, visibility="app")

    @server.tool
    async def declared(ctx: Context) -> dict[str, object]:
        await asyncio.sleep(0)
        return {
            "settings": client_ui_settings(ctx),
            "support": supports_apps(ctx).value,
            "fastmcp": ctx.client_supports_extension(EXTENSION),
        }

    return server


def with_apps(server, mode="auto", **settings):
    """Connect as a client that shows pages."""
    return Client(server, mode=mode, extensions=[advertise(EXTENSION, {**APPS, **settings})])


@asynccontextmanager
async def behind_http(server):
    """Serve a back end over streamable HTTP, in this process; gives what a proxy connects with."""
    app = server.http_app()

    def make(**options):
        options.pop("transport", None)
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), **options)

    async with app.router.lifespan_context(app):
        yield StreamableHttpTransport("http://127.0.0.1:8000/mcp", httpx_client_factory=make)


@pytest.mark.parametrize("back", ["auto", "legacy", None])
@pytest.mark.parametrize("shape", ["proxy", "mounted", "provider"])
async def test_links_and_pages_pass_through(connect, kit, shape, back):
    """Link, MIME type and complete page options are those of the back end, in every era."""
    server = FastMCP("root")
    prefix, path = ("", "") if shape == "proxy" else ("far_", "far/")
    if shape == "proxy":
        server = create_proxy(backend(kit), mode=back)
    elif shape == "mounted":
        server.mount(create_proxy(backend(kit), mode=back), namespace="far")
    else:
        target = backend(kit)
        provider = ProxyProvider(lambda: Client(target, mode=back or "auto"))
        server.add_provider(provider, namespace="far")
    async with connect(server) as client:
        for _ in range(2):
            seen = await kit.look(client)
            assert seen.links[f"{prefix}show"] == f"ui://{path}team/view"
            assert seen.shows == {f"{prefix}show": "crm"}
        assert await kit.mark(client, f"{prefix}refresh") == "crm"
        (item,) = await client.read_resource(f"ui://{path}team/view")
        assert item.meta["ui"]["csp"]["connectDomains"] == ["https://api.example"]
        assert item.meta["ui"]["prefersBorder"] is True


@pytest.mark.parametrize("depth", [1, 2])
async def test_a_proxy_of_mounts(connect, kit, depth):
    """The addresses of a composed back end are passed on as they are."""
    server = FastMCP("composed")
    server.mount(backend(kit), namespace="a")
    server.mount(backend(kit, "shop"), namespace="b")
    for _ in range(depth):
        server = create_proxy(server)
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.shows == {"a_show": "crm", "b_show": "shop"}


@pytest.mark.parametrize("namespaces", [("a", "b"), (None, None)])
@pytest.mark.parametrize("how", ["mount", "provider"])
async def test_two_proxies_with_one_address(connect, kit, namespaces, how):
    """Each shows its own page, or, where one hides the other, none; never the wrong one."""
    server = FastMCP("root")
    for name, namespace in zip(("crm", "shop"), namespaces, strict=True):
        target = FastMCP(name)
        kit.tool(target, f"{name}_show", name, kit.page(name))
        if how == "mount":
            server.mount(create_proxy(target), namespace=namespace)
        else:
            server.add_provider(_provider(target), namespace=namespace or "")
    async with connect(server) as client:
        seen = await kit.look(client)
    if namespaces[0]:
        assert seen.shows == {"a_crm_show": "crm", "b_shop_show": "shop"}
    else:
        assert seen.shows == {"crm_show": "crm"}
        assert seen.links["shop_show"] is None


def _provider(target):
    return ProxyProvider(lambda: Client(target))


@pytest.mark.parametrize("prefix", ["", "api_"])
async def test_a_servers_own_page_before_a_back_ends(connect, kit, prefix):
    """A back end's tool never shows the page of the server in front, renamed or not."""
    server = create_proxy(backend(kit))
    kit.tool(server, "own", "front", kit.page("front"))
    if prefix:
        server.add_transform(Namespace("api"))
    async with connect(server) as client:
        seen = await kit.look(client)
    assert seen.shows == {f"{prefix}own": "front"}
    assert seen.links[f"{prefix}show"] is None


async def test_a_tool_made_from_a_proxys_beside_the_proxy(connect, kit):
    """A link is only trusted to the back end where that one serves the pages as they are."""
    front, server = create_proxy(backend(kit)), FastMCP("root")
    server.add_tool(Tool.from_tool(await front.get_tool("show"), name="kept"))
    server.mount(front, namespace="far")
    async with connect(server) as client:
        assert (await kit.look(client)).links == {
            "kept": None,
            "far_show": "ui://far/team/view",
            "far_refresh": None,
            "far_declared": None,
        }
        assert await kit.mark(client, "kept") == "crm"


@pytest.mark.parametrize("mounted", [False, True])
async def test_a_back_ends_page_that_is_switched_off_in_front(connect, kit, mounted):
    """What the proxy hides is not linked by what the proxy lists."""
    server = front = create_proxy(backend(kit))
    if mounted:
        server = FastMCP("root")
        server.mount(front, namespace="far")
    async with connect(server) as client:
        assert (await kit.look(client)).shows
        front.disable(components={"resource"})
        assert not (await kit.look(client)).shows
        front.enable(components={"resource"})
        assert (await kit.look(client)).shows


@pytest.mark.parametrize("front", ERAS)
@pytest.mark.parametrize("back", [*ERAS, None])
@pytest.mark.parametrize("transport", ["memory", "http"])
async def test_what_this_client_declared_reaches_the_back_end(kit, front, back, transport):
    """Settings arrive as declared; a client without Apps is not said to have them."""
    target = backend(kit)
    async with behind_http(target) as over_http:
        proxy = create_proxy(target if transport == "memory" else over_http, mode=back)
        root = FastMCP("root")
        root.mount(proxy, namespace="far")
        async with (
            with_apps(root, front, acme={"x": 1}) as rich,
            Client(root, mode=front) as plain,
        ):
            for _ in range(2):
                told = (await rich.call_tool("far_declared", {})).structured_content
                assert told == {
                    "settings": {**APPS, "acme": {"x": 1}},
                    "support": Support.YES.value,
                    "fastmcp": True,
                }
                told = (await plain.call_tool("far_declared", {})).structured_content
                assert told == {"settings": None, "support": Support.NO.value, "fastmcp": False}


@pytest.mark.parametrize("mode", ERAS)
async def test_declarations_of_interleaved_clients_are_never_mixed(kit, mode):
    """Calls of two clients through one proxy at once each carry their own declaration."""
    server = create_proxy(create_proxy(backend(kit)))

    async def ask(client, times=3):
        answers = [client.call_tool("declared", {}) for _ in range(times)]
        return {(a.structured_content or {})["support"] for a in await asyncio.gather(*answers)}

    async with with_apps(server, mode) as rich, Client(server, mode=mode) as plain:
        assert await asyncio.gather(ask(rich), ask(plain), ask(rich)) == [{"yes"}, {"no"}, {"yes"}]


async def test_an_over_claiming_proxy_client_is_corrected(kit):
    """`ProxyClient(extensions=[…])` does not claim for a client what that one did not declare."""
    target = backend(kit)
    provider = ProxyProvider(lambda: Client(target, extensions=[advertise(EXTENSION, APPS)]))
    server = FastMCP("front", providers=[provider])
    async with Client(server) as plain, with_apps(server) as rich:
        told = (await plain.call_tool("declared", {})).structured_content
        assert told["settings"] is None
        told = (await rich.call_tool("declared", {})).structured_content
        assert told["settings"] == APPS


async def test_other_extensions_of_a_proxy_client_stay(kit):
    """Only the Apps entry is this client's; what else the proxy declares is its own affair."""
    target = backend(kit)

    @target.tool
    async def other(ctx: Context) -> bool:
        return ctx.client_supports_extension("acme/other")

    provider = ProxyProvider(lambda: Client(target, extensions=[advertise("acme/other", {})]))
    server = FastMCP("front", providers=[provider])
    async with Client(server) as client:
        assert (await client.call_tool("other", {})).data is True


@pytest.mark.parametrize("mode", ERAS)
async def test_a_proxy_declares_the_capability(kit, mode):
    """The endpoint in front says that it serves pages, in both eras."""
    server = create_proxy(backend(kit))
    async with Client(server, mode=mode) as client:
        assert EXTENSION in (client.server_capabilities.extensions or {})


async def test_a_dead_back_end_leaves_the_others_alone(connect, kit):
    """Tools and pages of what runs are listed; nothing is remembered of the failure."""
    server, target = FastMCP("root"), backend(kit)
    dead = True

    def factory():
        if dead:
            message = "refused"
            raise RuntimeError(message)
        return Client(target)

    server.mount(kit.team("shop"), namespace="shop")
    server.add_provider(ProxyProvider(factory), namespace="far")
    async with connect(server) as client:
        assert (await kit.look(client)).shows == {"shop_show": "shop"}
        dead = False
        assert (await kit.look(client)).shows == {"shop_show": "shop", "far_show": "crm"}


async def test_a_link_that_a_back_end_completes_later(connect, kit):
    """A page that the back end gets later is linked then."""
    target, server = kit.root("target", audit="off"), FastMCP("root")
    kit.tool(target, "show", "crm", kit.view)
    server.add_provider(ProxyProvider(lambda: Client(target), cache_ttl=0), namespace="far")
    outer = FastMCP("outer")
    outer.mount(server)
    async with connect(outer) as client:
        assert (await kit.look(client)).links == {"far_show": None}
        target.resource(kit.view)(lambda: "<title>crm</title>")
        assert (await kit.look(client)).shows == {"far_show": "crm"}


@pytest.mark.parametrize("shape", ["proxy", "mounted"])
async def test_a_list_in_the_steady_state_asks_a_back_end_once(kit, shape):
    """As without this package: one `tools/list` there for one here, and nothing else."""
    asked = []

    class Log(Middleware):
        async def on_request(self, context, call_next):
            asked.append(context.method)
            return await call_next(context)

    target = backend(kit)
    target.add_middleware(Log())
    server = create_proxy(target)
    if shape == "mounted":
        front, server = server, FastMCP("root")
        server.mount(front, namespace="far")
    async with Client(server) as client:
        await client.list_tools()
        asked.clear()
        for _ in range(3):
            await client.list_tools()
    assert asked.count("tools/list") == 3
    assert set(asked) <= {"tools/list", "server/discover"}
