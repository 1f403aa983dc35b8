"""Where a handler may ask: dependencies, middleware, time limits, threads; and where it may not."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from fastmcp import Context, FastMCP
from fastmcp.dependencies import CurrentContext, Depends
from fastmcp.exceptions import ToolError
from fastmcp.server.dependencies import get_context
from fastmcp.server.middleware import Middleware
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, ErrorData

from mcp_apps_plugin import elicit, once

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

Peers = Any


async def whose(ctx: Context = CurrentContext()) -> str:  # noqa: B008  FastMCP's own way
    """Ask in a dependency that names its context."""
    return (await elicit(ctx, "whose?", str)).data


async def where() -> str:
    """Ask in a dependency that finds its context."""
    return (await elicit(get_context(), "where?", str)).data


async def test_a_dependency_asks(peer: Peers, era: str) -> None:
    server = FastMCP("s")
    log: list[str] = []

    @asynccontextmanager
    async def opened(ctx: Context = CurrentContext()) -> AsyncIterator[str]:  # noqa: B008  as above
        log.append("open")
        try:
            yield (await elicit(ctx, "opened?", str)).data
        finally:
            log.append("close")

    @server.tool
    async def tool(
        ctx: Context,
        who: str = Depends(whose),
        place: str = Depends(where),
        door: str = Depends(opened),
    ) -> list[str]:
        return [who, place, door, (await elicit(ctx, "sure?", str)).data]

    @server.prompt
    async def prompt(who: str = Depends(whose)) -> str:
        return who

    @server.resource("x://{name}")
    async def record(name: str, who: str = Depends(whose)) -> str:
        return f"{name} {who}"

    user = await peer(server, era)
    user.will(lambda params: {"value": params.message})
    assert await user.value("tool") == ["whose?", "where?", "opened?", "sure?"]
    assert log.count("open") == log.count("close")
    assert (await user.client.get_prompt("prompt")).messages[0].content.text == "whose?"
    assert (await user.client.read_resource("x://a"))[0].text == "a whose?"


async def test_a_middleware_asks_before_and_after(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    class Careful(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            await elicit(context.fastmcp_context, "before?", bool)
            result = await call_next(context)
            await elicit(context.fastmcp_context, "after?", bool)
            return result

    server.add_middleware(Careful())

    @server.tool
    async def tool(ctx: Context) -> str:
        return str((await elicit(ctx, "inside?", bool)).data)

    user = await peer(server, era)
    user.will({"value": True})
    assert await user.call("tool") == "True"
    assert [q.message for q in user.questions] == ["before?", "inside?", "after?"]


async def test_within_time_limits(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    @server.tool(timeout=30)
    async def limited(ctx: Context) -> list[str]:
        async with asyncio.timeout(30):
            found = [(await elicit(ctx, "1?", str)).data]
        with anyio.fail_after(30):
            found.append((await elicit(ctx, "2?", str)).data)
        with anyio.move_on_after(30):
            found.append((await elicit(ctx, "3?", str)).data)
        found.append((await asyncio.wait_for(elicit(ctx, "4?", str), 30)).data)
        found.append((await asyncio.shield(elicit(ctx, "5?", str))).data)
        with anyio.CancelScope(shield=True):
            found.append((await elicit(ctx, "6?", str)).data)
        return found

    user = await peer(server, era)
    user.will(lambda params: {"value": params.message})
    assert await user.value("limited") == ["1?", "2?", "3?", "4?", "5?", "6?"]


async def test_a_time_limit_that_ends_takes_its_question_back(peer: Peers) -> None:
    """In the older era, where the handler waits for its user."""
    server = FastMCP("s")

    @server.tool
    async def impatient(ctx: Context) -> str:
        try:
            async with asyncio.timeout(0.05):
                return (await elicit(ctx, "slow?", str)).data
        except TimeoutError:
            return (await elicit(ctx, "quick?", str)).data

    async def answer(params: Any) -> Any:
        if params.message == "slow?":
            await asyncio.Event().wait()
        return {"value": params.message}

    user = await peer(server, "legacy")
    user.will(answer)
    assert await user.call("impatient") == "quick?"


async def test_threads(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str)).data

    @server.tool
    async def handed_back(ctx: Context) -> str:
        return await anyio.to_thread.run_sync(lambda: anyio.from_thread.run(ask, ctx))

    @server.tool
    async def alone(ctx: Context) -> str:
        return await asyncio.to_thread(elicit, ctx, "go?", str)

    @server.tool
    async def loop_of_its_own(ctx: Context) -> str:
        return await asyncio.to_thread(lambda: asyncio.run(ask(ctx)))

    @server.tool
    def in_the_pool(ctx: Context) -> str:
        return str(elicit(ctx, "go?", str))

    user = await peer(server, era)
    user.will({"value": "yes"})
    assert await user.call("handed_back") == "yes"
    for tool, words in (
        ("alone", "called from a sync function"),
        ("loop_of_its_own", "called in another event loop"),
        ("in_the_pool", "called from a sync function"),
    ):
        with pytest.raises(ToolError, match=rf"{words}.*\[elicit-usage\]"):
            await user.call(tool)


async def test_sync_prompts_and_resources(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    @server.prompt
    def prompt(ctx: Context) -> str:
        return str(elicit(ctx, "go?", str))

    @server.resource("x://main")
    def main(ctx: Context) -> str:
        return str(elicit(ctx, "go?", str))

    @server.resource("x://of/{name}")
    def record(name: str, ctx: Context) -> str:
        return f"{name} {elicit(ctx, 'go?', str)}"

    user = await peer(server, era)
    with pytest.raises(MCPError, match="called from a sync function"):
        await user.client.get_prompt("prompt")
    for uri in ("x://main", "x://of/a"):
        with pytest.raises(MCPError, match="called from a sync function"):
            await user.client.read_resource(uri)


async def test_after_the_answer_nobody_is_asked(peer: Peers, era: str) -> None:
    server = FastMCP("s")
    heard: list[str] = []
    tasks: list[asyncio.Task[None]] = []
    answered = asyncio.Event()

    @server.tool
    async def hasty(ctx: Context) -> str:
        async def later() -> None:
            await answered.wait()
            try:
                await elicit(ctx, "late?", str)
            except TypeError as error:
                heard.append(str(error))

        tasks.append(asyncio.create_task(later()))
        return "done"

    @server.tool
    async def forgetful(ctx: Context) -> str:
        tasks.append(asyncio.create_task(_kept(elicit(ctx, "forgotten?", str))))
        await asyncio.sleep(0)
        return "done"

    async def _kept(asked: Any) -> None:
        await asked

    user = await peer(server, era)
    user.will({"value": "yes"})
    assert await user.call("hasty") == "done"
    answered.set()
    await tasks[0]
    assert "is called after its request was answered" in heard[0]
    assert await user.call("forgetful") == "done"
    with anyio.move_on_after(5):
        await asyncio.wait(tasks)


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18"])
async def test_stateless_and_older_nobody_can_be_asked(
    wire: Callable[..., Any], version: str
) -> None:
    server = FastMCP("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str)).data

    @server.tool
    async def ask_or_not(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, default="unasked")).data

    async with wire(server, version, stateless=True, capabilities={"elicitation": {}}) as raw:
        refused = (await raw.send("tools/call", name="ask", arguments={}))["result"]
        default = (await raw.send("tools/call", name="ask_or_not", arguments={}))["result"]
    assert refused["isError"] is True
    assert "[elicit-unsupported]" in refused["content"][0]["text"]
    assert default["content"][0]["text"] == "unasked"


async def test_a_client_that_declares_and_does_not_ask(peer: Peers) -> None:
    server = FastMCP("s")

    @server.tool
    async def ask_or_not(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, default="unasked")).data

    user = await peer(server, "legacy")
    for code in (METHOD_NOT_FOUND, INVALID_REQUEST):
        user.will(lambda _, code=code: ErrorData(code=code, message="not here"))
        assert await user.call("ask_or_not") == "unasked"
    # Any other failure is none of the default's business.
    user.will(lambda _: ErrorData(code=INTERNAL_ERROR, message="the window is gone"))
    with pytest.raises(ToolError, match="the window is gone"):
        await user.call("ask_or_not")


@pytest.mark.parametrize("what", ["bytes", "set", "nan", "keys", "loop", "deep"])
async def test_a_step_without_json_is_refused(peer: Peers, era: str, what: str) -> None:
    server = FastMCP("s")
    loop: list[Any] = []
    loop.append(loop)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    values = {
        "bytes": b"x",
        "set": {1},
        "nan": float("nan"),
        "keys": {(1, 2): 3},
        "loop": loop,
        "deep": deep,
    }

    @server.tool
    async def keep(ctx: Context) -> str:
        return str(await once(ctx, "step", lambda: values[what]))

    user = await peer(server, era)
    with pytest.raises(ToolError, match=r"once\('step'\): gave \w+, which is no JSON"):
        await user.call("keep")
    while deep:  # an object this deep must not be left to the garbage collector at once
        deep = deep.pop()


async def test_a_large_answer(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    @server.tool
    async def last(ctx: Context) -> int:
        return len((await elicit(ctx, "text?", str)).data)

    @server.tool
    async def first(ctx: Context) -> int:
        text = (await elicit(ctx, "text?", str)).data
        await elicit(ctx, "sure?", str)
        return len(text)

    user = await peer(server, era)
    user.will({"value": "é" * 40_000})
    assert await user.value("last") == 40_000
    if era == "legacy":
        assert await user.value("first") == 40_000
        return
    # What is kept is JSON in ASCII: 240,000 bytes of it.
    with pytest.raises(ToolError, match=r"the limit is 65,536.*\[elicit-state\]") as error:
        await user.call("first")
    assert json.dumps("é" * 100)[1:-1] not in str(error.value)
