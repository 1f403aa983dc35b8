"""A handler that calls what asks in turn: beside it, mounted, and behind a proxy, in both eras."""

from __future__ import annotations

import asyncio
import base64
import secrets
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server import create_proxy
from mcp.server.request_state import RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
)

from mcp_apps_plugin import AppsExtension, app_resource, elicit, once

if TYPE_CHECKING:
    from collections.abc import Callable

Peers = Any


@app_resource("ui://calls/page")
def page() -> str:
    """Ask."""
    return "<h1>Page</h1>"


def by_message(**answers: str) -> Callable[[Any], Any]:
    """Answer by the first word of the question."""
    return lambda params: {"value": answers[params.message.split()[0].rstrip("?")]}


class Desk:
    """A back end whose tools ask; it counts what they did."""

    def __init__(self, name: str = "back") -> None:
        self.done: list[str] = []
        self.server = FastMCP(name)

        @self.server.tool
        async def ask(name: str, ctx: Context) -> str:
            """Ask, and then do something."""
            found = (await elicit(ctx, f"{name} ?", str, app=page)).data
            self.done.append(f"{name}={found}")
            return found

        @self.server.tool
        async def ask_twice(name: str, ctx: Context) -> list[str]:
            await once(ctx, "made", lambda: self.done.append("made"))
            first = await elicit(ctx, f"{name}1 ?", str, app=page)
            second = await elicit(ctx, f"{name}2 ?", str, app=page)
            return [first.data, second.data]

        @self.server.tool
        def plain(name: str) -> str:
            self.done.append(name)
            return name.upper()

        @self.server.prompt
        async def brief(name: str, ctx: Context) -> str:
            return (await elicit(ctx, f"{name} ?", str)).data

        @self.server.resource("crm://{name}", mime_type="application/octet-stream")
        async def record(name: str, ctx: Context) -> bytes:
            return (await elicit(ctx, f"{name} ?", str)).data.encode() + b"\xff"


def text(result: Any) -> str:
    """Return the words of a tool's result."""
    return result.content[0].text


@pytest.fixture(params=["proxied", "proxy mounted", "mounted", "beside"])
def desk(request: pytest.FixtureRequest) -> tuple[FastMCP, Desk]:
    """A server that reaches a back end's tools under their own names, in every way there is."""
    made = Desk()
    server: FastMCP
    if request.param == "beside":
        server = made.server
    else:
        server = FastMCP("front")
        if request.param == "mounted":
            server.mount(made.server)
        elif request.param == "proxied":
            server = create_proxy(made.server, name="front")
        else:
            server.mount(create_proxy(made.server, name="relay"))
    server.add_extension(AppsExtension(settings={"elicitation": {}}))
    return server, made


async def test_asking_and_then_calling(peer: Peers, era: str, desk: Any) -> None:
    server, back = desk

    @server.tool
    async def order(ctx: Context) -> list[str]:
        first = (await elicit(ctx, "first?", str)).data
        loud = text(await ctx.fastmcp.call_tool("plain", {"name": first}))
        return [first, loud]

    user = await peer(server, era)
    user.will(by_message(first="a"))
    assert await user.value("order") == ["a", "A"]
    assert back.done == ["a"]


async def test_one_that_asks_calls_one_that_asks(peer: Peers, era: str, desk: Any) -> None:
    server, back = desk

    @server.tool
    async def order(ctx: Context) -> list[str]:
        before = (await elicit(ctx, "before?", str)).data
        inner = text(await ctx.fastmcp.call_tool("ask", {"name": "inner"}))
        after = (await elicit(ctx, "after?", str, app=page)).data
        return [before, inner, after]

    user = await peer(server, era)
    user.will(by_message(before="b", inner="i", after="a"))
    assert await user.value("order") == ["b", "i", "a"]
    assert [q.message for q in user.questions] == ["before?", "inner ?", "after?"]
    assert user.hints == [None, "ui://calls/page", "ui://calls/page"]
    in_process = server is back.server or not _has_proxy(server)
    # What stands behind a proxy is not called again for a later question of its caller.
    assert back.done == ["inner=i"] * (2 if in_process and era == "modern" else 1)


def _has_proxy(server: FastMCP) -> bool:
    from mcp_apps_plugin.server.tree import is_remote, mounted

    return any(is_remote(each) for each in server.providers) or any(
        _has_proxy(below) for _, below in mounted(server)
    )


async def test_calls_first_and_in_a_loop(peer: Peers, era: str, desk: Any) -> None:
    server, _ = desk

    @server.tool
    async def order(ctx: Context) -> list[str]:
        found = [text(await ctx.fastmcp.call_tool("ask", {"name": name})) for name in "aab"]
        return [*found, (await elicit(ctx, "last?", str)).data]

    user = await peer(server, era)
    answers = iter("123")
    user.will(lambda params: {"value": "L" if params.message == "last?" else next(answers)})
    assert await user.value("order") == ["1", "2", "3", "L"]
    assert [q.message for q in user.questions] == ["a ?", "a ?", "b ?", "last?"]


async def test_a_call_that_asks_twice_keeps_its_steps(peer: Peers, era: str, desk: Any) -> None:
    server, back = desk

    @server.tool
    async def order(ctx: Context) -> str:
        result = await ctx.fastmcp.call_tool("ask_twice", {"name": "q"})
        last = await elicit(ctx, "last?", str)
        return f"{result.structured_content['result']} {last.data}"

    user = await peer(server, era)
    user.will(by_message(q1="1", q2="2", last="L"))
    assert await user.call("order") == "['1', '2'] L"
    assert back.done == ["made"]
    assert len(user.questions) == 3


async def test_side_by_side(peer: Peers, era: str, desk: Any) -> None:
    server, back = desk

    @server.tool
    async def order(ctx: Context) -> list[Any]:
        one, two, own = await asyncio.gather(
            ctx.fastmcp.call_tool("ask", {"name": "one"}),
            ctx.fastmcp.call_tool("ask", {"name": "two"}),
            elicit(ctx, "own?", str),
        )
        return [text(one), text(two), own.data]

    user = await peer(server, era)
    user.will(by_message(one="1", two="2", own="o"))
    assert await user.value("order") == ["1", "2", "o"]
    assert sorted(back.done) == ["one=1", "two=2"]
    assert len(user.questions) == 3


async def test_prompts_and_resources_inside(peer: Peers, era: str, desk: Any) -> None:
    server, _ = desk

    @server.tool
    async def order(ctx: Context) -> list[Any]:
        prompt = await ctx.fastmcp.render_prompt("brief", {"name": "brief"})
        record = await ctx.fastmcp.read_resource("crm://record")
        last = (await elicit(ctx, "last?", str)).data
        content = record.contents[0].content
        assert isinstance(prompt.messages[0].content, TextContent)
        return [prompt.messages[0].content.text, base64.b64encode(content).decode(), last]

    user = await peer(server, era)
    user.will(by_message(brief="B", record="R", last="L"))
    found = await user.value("order")
    assert found == ["B", base64.b64encode(b"R\xff").decode(), "L"]
    assert len(user.questions) == 3


async def test_several_proxies_deep(peer: Peers, era: str) -> None:
    deep = Desk("deep")
    middle = create_proxy(deep.server, name="middle")
    middle.add_extension(AppsExtension(settings={"elicitation": {}}))

    @middle.tool
    async def through(ctx: Context) -> list[str]:
        own = (await elicit(ctx, "middle?", str, app=page)).data
        return [own, text(await ctx.fastmcp.call_tool("ask", {"name": "deep"}))]

    front = FastMCP("front")
    front.mount(create_proxy(middle, name="relay"), namespace="m")

    @front.tool
    async def order(ctx: Context) -> list[Any]:
        own = (await elicit(ctx, "front?", str, app=page)).data
        inner = await ctx.fastmcp.call_tool("m_through", {})
        last = (await elicit(ctx, "last?", str)).data
        return [own, inner.structured_content["result"], last]

    user = await peer(front, era)
    user.will(by_message(front="f", middle="m", deep="d", last="l"))
    assert await user.value("order") == ["f", ["m", "d"], "l"]
    assert user.hints == ["ui://calls/page", "ui://m/calls/page", "ui://m/calls/page", None]
    assert deep.done == ["deep=d"]


async def test_a_guard_by_hand_inside(peer: Peers) -> None:
    server = FastMCP("s")

    @server.tool
    async def guard(name: str, ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses:
            assert ctx.request_state == f"state of {name}"
            return f"{name} {ctx.input_responses['k'].content['value']}"
        assert ctx.request_state is None
        schema = {"type": "object", "properties": {"value": {"type": "string"}}}
        params = ElicitRequestFormParams(message=f"{name} ?", requested_schema=schema)
        return InputRequiredResult(
            input_requests={"k": ElicitRequest(params=params)}, request_state=f"state of {name}"
        )

    @server.tool
    async def asks(ctx: Context) -> list[str]:
        first = (await elicit(ctx, "first?", str)).data
        guards = await asyncio.gather(
            *(ctx.fastmcp.call_tool("guard", {"name": name}) for name in "ab")
        )
        return [first, *map(text, guards), (await elicit(ctx, "last?", str)).data]

    @server.tool
    async def hands_on(ctx: Context) -> Any:
        return await ctx.fastmcp.call_tool("guard", {"name": "a"})

    user = await peer(server)
    user.will(by_message(first="f", a="A", b="B", last="l"))
    assert await user.value("asks") == ["f", "a A", "b B", "l"]
    # A handler that does not ask itself gets what FastMCP gives it.
    assert await user.call("hands_on") == "a A"
    asked = await user.client.session.call_tool("hands_on", {}, allow_input_required=True)
    assert set(asked.input_requests) == {"k"}


async def test_a_call_that_asks_only_to_be_called_again(peer: Peers) -> None:
    server = FastMCP("s")

    @server.tool
    async def slow(ctx: Context) -> str | InputRequiredResult:
        rounds = int(ctx.request_state or 0)
        return "done" if rounds == 2 else InputRequiredResult(request_state=str(rounds + 1))

    @server.tool
    async def asks(ctx: Context) -> list[str]:
        done = text(await ctx.fastmcp.call_tool("slow", {}))
        return [done, (await elicit(ctx, "last?", str)).data]

    user = await peer(server)
    user.will(by_message(last="l"))
    assert await user.value("asks") == ["done", "l"]


async def test_what_asks_inside_a_step_is_refused(peer: Peers) -> None:
    back = Desk()
    server = create_proxy(back.server, name="front")

    @server.tool
    async def asks(ctx: Context) -> str:
        return await once(ctx, "step", lambda: call(ctx))

    async def call(ctx: Context) -> str:
        return text(await ctx.fastmcp.call_tool("ask", {"name": "inner"}))

    user = await peer(server)
    user.will(by_message(inner="i"))
    with pytest.raises(ToolError, match=r"once\('step'\).*calls `ask`, which asks the user"):
        await user.call("asks")


async def test_a_result_that_is_too_large_to_keep_is_an_error(peer: Peers) -> None:
    back = FastMCP("back")

    @back.tool
    async def report(ctx: Context) -> str:
        await elicit(ctx, "which?", str)
        return "x" * 70_000

    server = create_proxy(back, name="front")

    @server.tool
    async def asks(ctx: Context) -> str:
        await ctx.fastmcp.call_tool("report", {})
        return (await elicit(ctx, "last?", str)).data

    @server.tool
    async def asks_first(ctx: Context) -> int:
        await elicit(ctx, "last?", str)
        return len(text(await ctx.fastmcp.call_tool("report", {})))

    user = await peer(server)
    user.will(by_message(which="w", last="l"))
    with pytest.raises(ToolError, match=r"the limit is 65,536.*\[elicit-state\]"):
        await user.call("asks")
    assert await user.value("asks_first") == 70_000


async def test_another_replica_goes_on_at_every_hop(peer: Peers) -> None:
    keys = [secrets.token_hex(32)]

    def replica() -> tuple[FastMCP, list[str]]:
        """Make a front and a back end anew, as another process would: all but the outer unnamed."""
        back = FastMCP("back", request_state_security=RequestStateSecurity(keys=keys))
        done: list[str] = []

        @back.tool
        async def ask(ctx: Context) -> str:
            await once(ctx, "made", lambda: done.append("made"))
            found = (await elicit(ctx, "inner?", str)).data
            done.append(found)
            return found

        child = FastMCP()
        child.mount(create_proxy(back))

        @child.tool
        async def order(ctx: Context) -> list[str]:
            first = (await elicit(ctx, "first?", str)).data
            inner = text(await ctx.fastmcp.call_tool("ask", {}))
            return [first, inner, (await elicit(ctx, "last?", str)).data]

        front = FastMCP("front", request_state_security=RequestStateSecurity(keys=keys))
        front.mount(child)
        return front, done

    made: list[str] = []
    answers: dict[str, Any] | None = None
    state = None
    for message in ("first?", "inner?", "last?"):
        server, done = replica()
        session = (await peer(server)).client.session
        asked = await session.call_tool(
            "order", {}, input_responses=answers, request_state=state, allow_input_required=True
        )
        ((key, request),) = asked.input_requests.items()
        assert request.params.message == message
        answers = {key: ElicitResult(action="accept", content={"value": message})}
        state = asked.request_state
        made += done
    server, done = replica()
    session = (await peer(server)).client.session
    result = await session.call_tool("order", {}, input_responses=answers, request_state=state)
    assert result.structured_content == {"result": ["first?", "inner?", "last?"]}
    assert [*made, *done] == ["made", "inner?"]


async def test_a_state_of_the_back_end_that_expired_is_an_error(peer: Peers) -> None:
    back = FastMCP(
        "back", request_state_security=RequestStateSecurity(keys=[secrets.token_hex(32)], ttl=0.2)
    )

    @back.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "inner?", str)).data

    server = create_proxy(back, name="front")

    @server.tool
    async def order(ctx: Context) -> str:
        before = (await elicit(ctx, "before?", str)).data
        return before + text(await ctx.fastmcp.call_tool("ask", {}))

    async def slowly(params: Any) -> Any:
        if params.message == "inner?":
            await asyncio.sleep(0.3)
        return {"value": "x"}

    user = await peer(server)
    user.will(slowly)
    with pytest.raises((ToolError, MCPError), match="Invalid or expired requestState"):
        await user.call("order")
