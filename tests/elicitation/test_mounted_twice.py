"""The page of a question is that of the mount through which its call came, in both eras."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.server import create_proxy
from fastmcp.server.dependencies import get_context
from fastmcp.server.middleware import Middleware
from fastmcp.server.providers import FastMCPProvider, LocalProvider
from fastmcp.server.providers.proxy import ProxyProvider, StatefulProxyClient
from fastmcp.server.transforms import Namespace, ToolTransform
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import ToolTransformConfig
from mcp.server.request_state import RequestStateSecurity
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from mcp_apps_plugin import AppResource, AppsExtension, elicit, elicits, once, ui

if TYPE_CHECKING:
    from collections.abc import Callable

Peers = Any
Place = tuple[str, ...]  # the namespaces of a mount, outermost first

HTML = Path(__file__).with_name("page.html")
PAGE = AppResource("ui://places/page", html=HTML)
OWN = AppResource("ui://places/own", html=HTML)
SCHEMA = {"type": "object", "properties": {"value": {"type": "string"}}}


def asking(name: str = "s", own: Place = ()) -> FastMCP:
    """Make a server that asks in every way, and itself calls what it has."""
    server = FastMCP(name)
    for namespace in own:
        server.add_transform(Namespace(namespace))

    @server.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=PAGE)).data

    @server.tool
    async def ask_by_address(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app="ui://places/page")).data

    @server.tool
    async def through_another(ctx: Context) -> str:
        return (await ctx.fastmcp.call_tool(named(own, "ask"), {})).content[0].text

    @server.tool
    @ui(visibility=["app"])
    async def refresh() -> str:
        return "fresh"

    @server.prompt
    async def brief(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=PAGE)).data

    @server.resource("crm://main")
    async def main(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=PAGE)).data

    @server.resource("crm://of/{name}")
    async def record(name: str, ctx: Context) -> str:
        return f"{name} {(await elicit(ctx, 'go?', str, app=PAGE)).data}"

    return server


def named(place: Place, name: str) -> str:
    """Return what a name is called in a mount."""
    return "_".join((*place, name))


def at(place: Place, uri: str) -> str:
    """Return what an address is called in a mount."""
    scheme, _, rest = uri.partition("://")
    return f"{scheme}://{'/'.join((*place, rest))}"


def declared(server: FastMCP) -> FastMCP:
    """Say that a server asks with pages: a proxy does not know it of its back end."""
    server.add_extension(AppsExtension(settings={"elicitation": {}}))
    return server


def mounted(child: FastMCP, *namespaces: str | None) -> FastMCP:
    """Mount a server more than once."""
    server = FastMCP("top")
    for namespace in namespaces:
        server.mount(child, namespace=namespace)
    return server


def twice() -> FastMCP:
    return mounted(asking(), "north", "south")


def nested() -> FastMCP:
    return mounted(mounted(asking(), "in"), "a", "b")


def crossed() -> FastMCP:
    return mounted(mounted(asking(), "x", "y"), "a", "b")


def at_several_depths() -> FastMCP:
    child = asking()
    server = mounted(child, "near")
    server.mount(mounted(child, "in"), namespace="far")
    server.mount(mounted(mounted(child, None), "deep"))
    return server


def names_that_read_alike() -> FastMCP:
    """Mount it so that the end of one namespace is the beginning of another name."""
    child = asking()
    return mounted_as(("a", mounted(child, "b")), ("a_b", mounted(child, "c")), ("c", child))


def mounted_as(*mounts: tuple[str, FastMCP]) -> FastMCP:
    """Mount servers, each under a namespace of its own."""
    server = FastMCP("top")
    for namespace, child in mounts:
        server.mount(child, namespace=namespace)
    return server


def by_transforms() -> FastMCP:
    """Give namespaces by hand: to providers, to the mounted server itself, and to all of it."""
    server, child = FastMCP("top"), asking(own=("own",))
    for namespace in ("north", "south"):
        provider = FastMCPProvider(child)
        provider.add_transform(Namespace(namespace))
        server.add_provider(provider)
    server.add_transform(Namespace("all"))
    return server


def by_providers() -> FastMCP:
    """Add one provider twice."""
    server, provider = FastMCP("top"), FastMCPProvider(asking())
    for namespace in ("north", "south"):
        server.add_provider(provider, namespace=namespace)
    return server


def relays() -> FastMCP:
    """Mount one proxy twice."""
    return declared(mounted(create_proxy(asking(), name="relay"), "north", "south"))


def relays_deep_down() -> FastMCP:
    relay = create_proxy(asking(), name="relay")
    return declared(mounted(mounted(relay, "x", "y"), "a", "b"))


def relaying_providers() -> FastMCP:
    server = declared(FastMCP("top"))
    (provider,) = (p for p in create_proxy(asking()).providers if isinstance(p, ProxyProvider))
    for namespace in ("north", "south"):
        server.add_provider(provider, namespace=namespace)
    return server


def before_and_behind() -> FastMCP:
    """Mount a proxy twice whose back end mounts a server twice."""
    relay = create_proxy(twice(), name="relay")
    return declared(mounted(relay, "a", "b"))


SHAPES: dict[str, tuple[Callable[[], FastMCP], list[Place]]] = {
    "twice": (twice, [("north",), ("south",)]),
    "with and without": (lambda: mounted(asking(), "south", None), [(), ("south",)]),
    "without and with": (lambda: mounted(asking(), None, "south"), [(), ("south",)]),
    "nested": (nested, [("a", "in"), ("b", "in")]),
    "crossed": (crossed, [("a", "y"), ("b", "x"), ("b", "y")]),
    "at several depths": (at_several_depths, [("near",), ("far", "in"), ("deep",)]),
    "names that read alike": (names_that_read_alike, [("a", "b"), ("a_b", "c"), ("c",)]),
    "transforms": (by_transforms, [("all", each, "own") for each in ("north", "south")]),
    "providers": (by_providers, [("north",), ("south",)]),
    "a proxy of it": (
        lambda: declared(create_proxy(twice(), name="front")),
        [("north",), ("south",)],
    ),
    "a proxy twice": (relays, [("north",), ("south",)]),
    "a proxy crossed": (relays_deep_down, [("a", "y"), ("b", "y")]),
    "a proxying provider": (relaying_providers, [("north",), ("south",)]),
    "before and behind a proxy": (
        before_and_behind,
        [("a", "south"), ("b", "south")],
    ),
}


@pytest.fixture(params=SHAPES)
def shape(request: pytest.FixtureRequest) -> tuple[FastMCP, list[Place]]:
    """A server that has another one at several places."""
    make, places = SHAPES[request.param]
    return make(), places


async def asked_everywhere(user: Any, places: list[Place]) -> None:
    """Ask in each way at each place, and compare the pages."""
    client = user.client
    for place in (*reversed(places), places[-1]):
        user.will({"value": "yes"})
        for tool in ("ask", "ask_by_address", "through_another"):
            assert await user.call(named(place, tool)) == "yes"
        prompt = await client.get_prompt(named(place, "brief"))
        assert prompt.messages[0].content.text == "yes"
        (main,) = await client.read_resource(at(place, "crm://main"))
        (record,) = await client.read_resource(at(place, "crm://of/a"))
        assert (main.text, record.text) == ("yes", "a yes")
        assert user.hints == [at(place, "ui://places/page")] * 6


async def test_the_page_is_of_the_mount_that_was_called(peer: Peers, era: str, shape: Any) -> None:
    server, places = shape
    user = await peer(server, era)
    await asked_everywhere(user, places)
    for place in places:
        (page,) = await user.client.read_resource(at(place, "ui://places/page"))
        assert "<h1>Page</h1>" in page.text
        # So the buttons of the page act on that mount, too.
        assert not place or f'"{named(place, "refresh")}"' in page.text


async def test_connections_that_are_kept(peer: Peers) -> None:
    """Of the older era: each call tells its own, if they come one after the other."""
    client = StatefulProxyClient(twice())
    provider = ProxyProvider(client.new_stateful)
    server = declared(FastMCP("top"))
    for namespace in ("a", "b"):
        server.add_provider(provider, namespace=namespace)
    user = await peer(server, "legacy")
    await asked_everywhere(user, [("a", "south"), ("b", "north")])


async def test_calls_side_by_side(peer: Peers, era: str, shape: Any) -> None:
    server, places = shape
    user = await peer(server, era)
    user.will({"value": "yes"})
    calls = [user.call(named(place, "ask")) for place in (*places, *places)]
    assert await asyncio.gather(*calls) == ["yes"] * len(calls)
    assert sorted(user.hints) == sorted([at(place, "ui://places/page") for place in places] * 2)


async def test_a_mount_that_is_added_later(peer: Peers, era: str) -> None:
    child = asking()
    server = mounted(child, "north")
    user = await peer(server, era)
    await asked_everywhere(user, [("north",)])
    server.mount(child, namespace="south")
    await asked_everywhere(user, [("south",), ("north",)])


async def test_a_handler_that_calls_several_mounts(peer: Peers, era: str, shape: Any) -> None:
    server, places = shape
    calls = [named(place, "ask") for place in places]

    @server.tool
    async def each(ctx: Context) -> str:
        for call in calls:
            await ctx.fastmcp.call_tool(call, {})
        return (await elicit(ctx, "last?", str)).data

    @server.tool
    async def together(ctx: Context) -> str:
        await asyncio.gather(*(ctx.fastmcp.call_tool(call, {}) for call in calls))
        return (await elicit(ctx, "last?", str)).data

    user = await peer(server, era)
    (whole,) = {tool.name.removesuffix("each") for tool in await user.client.list_tools()} - {
        tool.name for tool in await user.client.list_tools()
    }
    pages = [at(place, "ui://places/page") for place in places]
    user.will({"value": "yes"})
    assert await user.call(f"{whole}each") == "yes"
    assert user.hints == [*pages, None]
    user.will({"value": "yes"})
    assert await user.call(f"{whole}together") == "yes"
    assert (sorted(user.hints[:-1]), user.hints[-1]) == (sorted(pages), None)


async def test_a_handler_that_calls_from_below(peer: Peers, era: str) -> None:
    """It has the other servers at hand: the one it is mounted on, itself, and any other."""
    child = asking()
    server = mounted(child, "north", "south")
    stranger = asking("stranger")

    @child.tool
    async def around(ctx: Context) -> str:
        await server.call_tool("south_ask", {})
        await elicit(ctx, "mine?", str, app=PAGE)
        await child.call_tool("ask", {})
        await stranger.call_tool("ask", {})
        return (await elicit(ctx, "mine?", str, app=PAGE)).data

    @server.tool
    async def straight_down(ctx: Context) -> str:
        await child.call_tool("ask", {})
        return (await elicit(ctx, "last?", str)).data

    user = await peer(server, era)
    for here in ("north", "south"):
        user.will({"value": "yes"})
        assert await user.call(f"{here}_around") == "yes"
        page = f"ui://{here}/places/page"
        assert user.hints == ["ui://south/places/page", page, page, None, page]
    user.will({"value": "yes"})
    assert await user.call("straight_down") == "yes"
    assert user.hints == ["ui://north/places/page", None]  # no mount was called; either is right


async def test_middleware_of_each_level_asks(peer: Peers, era: str) -> None:
    class Careful(Middleware):
        def __init__(self, question: str) -> None:
            self.question = question

        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            await elicit(context.fastmcp_context, self.question, str, app="ui://places/page")
            return await call_next(context)

    child = asking()
    server = mounted(child, "north", "south")

    @server.tool
    async def own(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=PAGE)).data

    server.add_middleware(Careful("top?"))
    child.add_middleware(Careful("child?"))
    user = await peer(server, era)
    user.will({"value": "yes"})
    assert await user.call("south_ask") == "yes"
    assert [q.message for q in user.questions] == ["top?", "child?", "go?"]
    assert user.hints == ["ui://places/page", *["ui://south/places/page"] * 2]


async def test_tools_that_are_called_otherwise(peer: Peers, era: str) -> None:
    """Renamed on the way, and made from a mounted one: by hand, and with a function."""
    server = twice()
    server.add_transform(ToolTransform({"south_ask": ToolTransformConfig(name="renamed")}))
    found = await server.get_tool("south_ask_by_address")
    server.add_tool(Tool.from_tool(found, name="made"))

    async def first() -> Any:
        await elicit(get_context(), "first?", str, app=OWN)
        return await found.run({})

    server.add_tool(Tool.from_tool(found, name="with_a_function", transform_fn=first))

    @server.tool
    async def own(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=OWN)).data

    user = await peer(declared(server), era)
    page = "ui://south/places/page"
    for tool, pages in (
        ("renamed", [page]),
        ("made", [page]),
        ("with_a_function", ["ui://places/own", page]),
    ):
        user.will({"value": "yes"})
        assert await user.call(tool) == "yes"
        assert user.hints == pages


async def test_tools_of_a_provider_that_has_a_namespace(peer: Peers, era: str) -> None:
    """Its tools are renamed; the pages that they bring are served by the server around."""
    child, tools = FastMCP("child"), LocalProvider()

    @tools.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=PAGE)).data

    for namespace in ("one", "two"):
        child.add_provider(tools, namespace=namespace)
    user = await peer(mounted(child, "north", "south"), era)
    for namespace in ("south", "north"):
        user.will({"value": "yes"})
        assert await user.call(f"{namespace}_two_ask") == "yes"
        assert await user.call(f"{namespace}_one_ask") == "yes"
        assert user.hints == [f"ui://{namespace}/places/page"] * 2


async def test_a_page_of_the_server_around(peer: Peers, era: str) -> None:
    """A mounted handler may ask with a page of the server it is mounted on; its own goes first."""
    child = FastMCP("child")
    both, further, furthest = (f"ui://places/{each}" for each in ("both", "middle", "outer"))

    @child.tool
    @elicits(both, further, furthest)
    async def ask(uri: str, ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=uri)).data

    middle = mounted(child, "x", "y")
    server = mounted(middle, "a", "b")
    for each, uris in ((child, [both]), (middle, [both, further]), (server, [both, furthest])):
        for uri in uris:
            each.resource(uri)(lambda: "<h1>Page</h1>")

    user = await peer(declared(server), era)
    user.will({"value": "yes"})
    for uri in (both, further, furthest):
        await user.call("b_y_ask", uri=uri)
    assert user.hints == ["ui://b/y/places/both", "ui://b/places/middle", "ui://places/outer"]
    # Hidden, it is still the one that is meant: no page of the same address takes its place.
    server.disable(keys={"resource:ui://b/y/places/both@"})
    user.will({"value": "yes"})
    for place in ("b_y", "b_x"):
        await user.call(f"{place}_ask", uri=both)
    assert user.hints == [None, "ui://b/x/places/both"]


async def test_who_may_see_one_mount_only(peer: Peers, era: str) -> None:
    server = twice()

    class OnlySouth(Middleware):
        async def on_read_resource(self, context: Any, call_next: Any) -> Any:
            assert "north" not in str(context.message.uri)
            return await call_next(context)

        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            assert not context.message.name.startswith("north")
            return await call_next(context)

    server.add_middleware(OnlySouth())
    user = await peer(server, era)
    user.will({"value": "yes"})
    assert await user.call("south_ask") == "yes"
    assert user.hints == ["ui://south/places/page"]
    server.disable(keys={"resource:ui://south/places/page@"})
    assert await user.call("south_ask") == "yes"
    assert user.hints[1:] == [None]


@pytest.mark.parametrize("proxied", [False, True])
async def test_results_that_ask_by_hand(peer: Peers, *, proxied: bool) -> None:
    """They come up through every mount as they are, and handlers may hand them on."""
    child = asking()

    @child.tool
    async def by_hand(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses:
            return str(ctx.input_responses["k"].content["value"])
        hint = {"ui": {"resourceUri": "ui://places/page"}}
        asked = {"message": "go?", "requestedSchema": SCHEMA, "_meta": hint}
        params = ElicitRequestFormParams.model_validate(asked)
        return InputRequiredResult(input_requests={"k": ElicitRequest(params=params)})

    server = mounted(mounted(create_proxy(child) if proxied else child, "x", "y"), "a", "b")

    @server.tool
    async def hands_on(place: str, ctx: Context) -> Any:
        return await ctx.fastmcp.call_tool(f"{place}_by_hand", {})

    @server.tool
    async def asks_too(place: str, ctx: Context) -> str:
        found = (await ctx.fastmcp.call_tool(f"{place}_by_hand", {})).content[0].text
        return found + (await elicit(ctx, "more?", str)).data

    user = await peer(declared(server))
    for place in (("b", "y"), ("a", "y"), ("b", "x")):
        page = at(place, "ui://places/page")
        for tool, pages in (("hands_on", [page]), ("asks_too", [page, None])):
            user.will({"value": "yes"})
            assert await user.call(tool, place="_".join(place)) == "yes" * len(pages)
            assert user.hints == pages
        user.will({"value": "yes"})
        assert await user.call(named(place, "by_hand")) == "yes"
        assert user.hints == [page]


@pytest.mark.parametrize("proxied", [False, True])
async def test_another_replica_names_the_same_mount(peer: Peers, *, proxied: bool) -> None:
    security = RequestStateSecurity(keys=[secrets.token_hex(32)])

    def replica() -> FastMCP:
        """Make the servers anew, as another process would."""
        child = FastMCP("child", request_state_security=security)

        @child.tool
        async def order(ctx: Context) -> str:
            first = (await elicit(ctx, "first?", str, app=PAGE)).data
            await once(ctx, "made", lambda: first)
            return first + (await elicit(ctx, "second?", str, app=PAGE)).data

        server = FastMCP("top", request_state_security=security)
        for namespace in ("north", "south"):
            server.mount(create_proxy(child) if proxied else child, namespace=namespace)
        return declared(server)

    for namespace in ("south", "north"):
        answers: dict[str, Any] | None = None
        state = None
        for message in ("first?", "second?"):
            session = (await peer(replica())).client.session
            asked = await session.call_tool(
                f"{namespace}_order",
                {},
                input_responses=answers,
                request_state=state,
                allow_input_required=True,
            )
            ((key, request),) = asked.input_requests.items()
            assert request.params.message == message
            hint = request.params.meta
            assert hint == {"ui": {"resourceUri": f"ui://{namespace}/places/page"}}
            answers = {key: ElicitResult(action="accept", content={"value": message})}
            state = asked.request_state
        session = (await peer(replica())).client.session
        result = await session.call_tool(
            f"{namespace}_order", {}, input_responses=answers, request_state=state
        )
        assert result.content[0].text == "first?second?"
