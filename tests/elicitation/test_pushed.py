"""What a back end of the older era asks through a proxy: with its pages, or as ever."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import FastMCPTransport
from fastmcp.exceptions import ToolError
from fastmcp.server import create_proxy
from fastmcp.server.providers.proxy import FastMCPProxy, ProxyClient, StatefulProxyClient
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import ArgTransform

from mcp_apps_plugin import AppsExtension, app_resource, elicit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Peers = Any
URI = "ui://pushed/page"
DECLARED = {"elicitation": {}}


@app_resource(URI)
def page() -> str:
    """Ask."""
    return "<h1>Page</h1>"


@app_resource("ui://pushed/hidden", auth=[lambda _: False])
def hidden() -> str:
    """Ask, where nobody may look."""
    return "<h1>Hidden</h1>"


def back_end() -> FastMCP:
    """Make a back end that asks in every way."""
    server = FastMCP("back")

    @server.tool
    async def ask(ctx: Context, name: str = "go") -> str:
        return (await elicit(ctx, f"{name}?", str, app=page)).data

    @server.tool
    async def ask_hidden(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=hidden)).data

    @server.tool
    async def ask_plainly(ctx: Context) -> str:
        return (await ctx.elicit("go?", str)).data

    @server.tool
    async def ask_by_address(ctx: Context) -> str:
        return (await ctx.session.elicit_url("go?", "https://example.com/", "1")).action

    @server.tool
    async def ask_if_possible(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=page, default="unasked")).data

    @server.prompt
    async def brief(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=page)).data

    @server.resource("crm://main")
    async def main(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=page)).data

    return server


def declared(server: FastMCP) -> FastMCP:
    """Say that a server asks with pages."""
    server.add_extension(AppsExtension(settings=DECLARED))
    return server


def mounted() -> FastMCP:
    """Make a proxy that is mounted twice deep."""
    inner, outer = FastMCP("inner"), FastMCP("outer")
    inner.mount(create_proxy(back_end(), name="relay"), namespace="a")
    outer.mount(inner, namespace="b")
    return outer


def stateful() -> FastMCP:
    """Make a proxy that keeps one connection for each of its own."""
    client = StatefulProxyClient(back_end())
    return FastMCPProxy(client_factory=client.new_stateful, name="front")


async def awaited() -> FastMCP:
    """Make a proxy whose clients take time to make."""

    async def make() -> Any:
        await asyncio.sleep(0)
        return ProxyClient(backend)

    backend = back_end()
    return FastMCPProxy(client_factory=make, name="front")


@pytest.mark.parametrize(
    ("make", "name", "uri"),
    [
        (lambda: create_proxy(back_end(), name="front"), "ask", URI),
        (lambda: create_proxy(ProxyClient(back_end()), name="front"), "ask", URI),
        (lambda: create_proxy(declared(create_proxy(back_end())), name="front"), "ask", URI),
        (mounted, "b_a_ask", "ui://b/a/pushed/page"),
        (stateful, "ask", URI),
        (awaited, "ask", URI),
    ],
    ids=["proxy", "client", "two proxies", "mounted", "stateful", "awaited"],
)
async def test_the_page_is_named_through_every_proxy(
    peer: Peers, make: Any, name: str, uri: str
) -> None:
    server = make()
    server = declared(await server if asyncio.iscoroutine(server) else server)
    user = await peer(server, "legacy")
    user.will(lambda params: {"value": params.message})
    calls = [user.call(name, name=each) for each in "abc"]
    assert await asyncio.gather(*calls) == ["a?", "b?", "c?"]
    assert user.hints == [uri] * 3
    (content,) = await user.client.read_resource(uri)
    assert "<h1>Page</h1>" in content.text


async def test_prompts_and_resources_are_asked_for_with_pages(peer: Peers) -> None:
    user = await peer(declared(mounted()), "legacy")
    user.will({"value": "yes"})
    prompt = await user.client.get_prompt("b_a_brief")
    assert prompt.messages[0].content.text == "yes"
    (item,) = await user.client.read_resource("crm://b/a/main")
    assert item.text == "yes"
    assert user.hints == ["ui://b/a/pushed/page"] * 2


class OneConnection(FastMCPTransport):
    """A transport that carries one connection at a time, as a process does."""

    taken = False

    @asynccontextmanager
    async def connect_session(self, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        """Connect, if nobody else is."""
        assert not self.taken, "a second connection"
        self.taken = True
        try:
            async with super().connect_session(*arguments, **options) as session:
                yield session
        finally:
            self.taken = False


async def test_the_page_is_looked_up_over_the_connection_that_asks(peer: Peers) -> None:
    user = await peer(declared(create_proxy(OneConnection(back_end()), name="front")), "legacy")
    user.will({"value": "yes"})
    assert await user.call("ask") == "yes"
    assert user.hints == [URI]


@pytest.mark.parametrize("client", ["form only", "apps without elicitation"])
async def test_this_clients_own_gates_count(peer: Peers, client: str) -> None:
    server = declared(create_proxy(back_end(), name="front"))
    full, other = await peer(server, "legacy"), await peer(server, "legacy", client)
    for user in (full, other):
        user.will({"value": "yes"})
        assert await user.call("ask") == "yes"
    assert (full.hints, other.hints) == ([URI], [None])
    (with_page,), (without,) = (
        [q.model_dump(by_alias=True, exclude_none=True, exclude={"meta"}) for q in user.questions]
        for user in (full, other)
    )
    assert with_page == without


async def test_a_proxy_that_did_not_declare_it_names_no_page(peer: Peers) -> None:
    user = await peer(create_proxy(back_end(), name="front"), "legacy")
    user.will({"value": "yes"})
    assert await user.call("ask") == "yes"
    assert user.hints == [None]


async def test_tools_looked_up_before_the_first_request(peer: Peers, era: str) -> None:
    server, below = FastMCP("front"), create_proxy(back_end(), name="relay")
    found = await below.get_tool("ask")
    below.add_tool(
        Tool.from_tool(found, name="renamed", transform_args={"name": ArgTransform(name="who")})
    )
    server.mount(below)
    user = await peer(declared(server), era)
    user.will({"value": "yes"})
    assert await user.call("ask") == "yes"
    assert await user.call("renamed", who="you") == "yes"
    assert [q.message for q in user.questions] == ["go?", "you?"]
    assert user.hints == [URI, URI]


async def test_a_page_that_cannot_be_read_is_not_named(peer: Peers) -> None:
    back, server = back_end(), FastMCP("front")
    server.mount(create_proxy(back, name="relay"), namespace="back")
    user = await peer(declared(server), "legacy")
    user.will({"value": "yes"})
    assert await user.call("back_ask_hidden") == "yes"
    back.disable(keys={f"resource:{URI}@"})
    assert await user.call("back_ask") == "yes"
    assert user.hints == [None, None]


async def test_an_invalid_answer_reaches_whoever_asked(peer: Peers) -> None:
    user = await peer(declared(create_proxy(back_end(), name="front")), "legacy")
    user.will({"value": 7}, {"value": "yes"})
    assert await user.call("ask") == "yes"
    assert "/content/value: Expected a string." in user.questions[1].message
    assert user.hints == [URI, URI]


async def test_other_questions_are_left_to_fastmcp(peer: Peers) -> None:
    user = await peer(declared(create_proxy(back_end(), name="front")), "legacy")
    user.will({"value": "yes"})
    assert await user.call("ask_plainly") == "yes"
    assert user.hints == [None]
    user.will("accept")
    assert await user.call("ask_by_address") == "accept"
    assert user.hints == [None]


async def test_an_authors_own_handler_answers_itself(peer: Peers) -> None:
    async def answers(*_: Any) -> ElicitResult[Any]:
        return ElicitResult(action="accept", content={"value": "the proxy"})

    client = ProxyClient(back_end(), elicitation_handler=answers)
    for capabilities in ("all four gates", "no elicitation"):
        user = await peer(declared(create_proxy(client, name="front")), "legacy", capabilities)
        assert await user.call("ask") == "the proxy"
        assert user.questions == []


async def test_a_back_end_hears_that_nobody_can_be_asked(peer: Peers, era: str) -> None:
    server = declared(create_proxy(back_end(), name="front"))
    user = await peer(server, era, "no elicitation")
    assert await user.call("ask_if_possible") == "unasked"
    with pytest.raises(ToolError, match="elicit-unsupported"):
        await user.call("ask")
    asked = await peer(server, era)
    asked.will({"value": "yes"})
    assert await asked.call("ask_if_possible") == "yes"


async def test_a_client_that_fails_to_ask(peer: Peers) -> None:
    def fails(_: Any) -> Any:
        message = "the window is gone"
        raise RuntimeError(message)

    user = await peer(declared(create_proxy(back_end(), name="front")), "legacy")
    user.will(fails)
    with pytest.raises(ToolError):
        await user.call("ask")
    user.will({"value": "yes"})
    assert await user.call("ask") == "yes"
