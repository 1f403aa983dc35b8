"""Questions side by side go out together, and a handler that is ended behaves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from mcp_types import ElicitResult

from mcp_apps_plugin import (
    elicit,
    once,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Peers = Any


def by_message(**answers: Any) -> Callable[[Any], Any]:
    """Answer by the first word of the question."""
    return lambda params: answers[params.message.split()[0].rstrip("?")]


async def test_questions_side_by_side_go_out_together(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    async def one(ctx: Context, name: str) -> str:
        await asyncio.sleep(0)
        return (await elicit(ctx, f"{name} ?", str)).data

    @server.tool
    async def gathered(ctx: Context) -> list[str]:
        return await asyncio.gather(*(one(ctx, name) for name in "abc"))

    @server.tool
    async def grouped(ctx: Context) -> list[str]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(ctx, name)) for name in "abc"]
        return [task.result() for task in tasks]

    @server.tool
    async def in_anyio(ctx: Context) -> list[str]:
        found: dict[str, str] = {}

        async def keep(name: str) -> None:
            found[name] = await one(ctx, name)

        async with anyio.create_task_group() as group:
            for name in "abc":
                group.start_soon(keep, name)
        return [found[name] for name in "abc"]

    @server.tool
    async def keeping_errors(ctx: Context) -> list[str]:
        return await asyncio.gather(*(one(ctx, name) for name in "abc"), return_exceptions=True)

    user = await peer(server, era)
    user.will(by_message(a={"value": "A"}, b={"value": "B"}, c={"value": "C"}))
    for tool in ("gathered", "grouped", "in_anyio", "keeping_errors"):
        user.questions.clear()
        assert await user.value(tool) == ["A", "B", "C"]
        assert len(user.questions) == 3
        if era == "modern":
            session = user.client.session
            asked = await session.call_tool(tool, {}, allow_input_required=True)
            assert len(asked.input_requests) == 3


async def test_one_of_several_answers_is_missing(peer: Peers) -> None:
    server = FastMCP("s")

    @server.tool
    async def both(ctx: Context) -> list[str]:
        answers = await asyncio.gather(
            elicit(ctx, "a?", str, key="a"), elicit(ctx, "b?", str, key="b")
        )
        return [answer.data for answer in answers]

    session = (await peer(server)).client.session
    first = await session.call_tool("both", {}, allow_input_required=True)
    assert set(first.input_requests) == {"a", "b"}
    second = await session.call_tool(
        "both",
        {},
        input_responses={"b": ElicitResult(action="accept", content={"value": "B"})},
        request_state=first.request_state,
        allow_input_required=True,
    )
    assert set(second.input_requests) == {"a"}
    third = await session.call_tool(
        "both",
        {},
        input_responses={"a": ElicitResult(action="accept", content={"value": "A"})},
        request_state=second.request_state,
    )
    assert third.structured_content == {"result": ["A", "B"]}


async def test_an_answer_that_comes_before_its_question_is_kept(peer: Peers) -> None:
    server = FastMCP("s")
    runs: list[int] = []

    async def slow(ctx: Context) -> str:
        if len(runs) > 1:
            await asyncio.sleep(0.2)  # not reached before the other one asks its second question
        return (await elicit(ctx, "slow?", str)).data

    async def quick(ctx: Context) -> str:
        first = (await elicit(ctx, "first?", str)).data
        return first + (await elicit(ctx, "second?", str)).data

    @server.tool
    async def both(ctx: Context) -> list[str]:
        runs.append(1)
        return await asyncio.gather(slow(ctx), quick(ctx))

    user = await peer(server)
    user.will(by_message(slow={"value": "S"}, first={"value": "1"}, second={"value": "2"}))
    assert await user.value("both") == ["S", "12"]
    assert sorted(q.message for q in user.questions) == ["first?", "second?", "slow?"]


async def test_a_failing_sibling_wins_over_a_question(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    async def fails() -> None:
        message = "no stock"
        raise ValueError(message)

    @server.tool
    async def ask(ctx: Context) -> str:
        answer, _ = await asyncio.gather(elicit(ctx, "go?", bool), fails())
        return str(answer)

    user = await peer(server, era)
    user.will({"value": True})
    with pytest.raises(ToolError, match="no stock"):
        await user.call("ask")


async def test_an_ended_handler_cleans_up_and_may_not_swallow_its_end(peer: Peers) -> None:
    server = FastMCP("s")
    cleaned: list[str] = []

    @server.tool
    async def careful(ctx: Context) -> str:
        try:
            return (await elicit(ctx, "go?", str)).data
        finally:
            await asyncio.sleep(0)
            cleaned.append("careful")

    @server.tool
    async def greedy(ctx: Context) -> str:
        try:
            return (await elicit(ctx, "go?", str)).data
        except BaseException:  # noqa: BLE001
            return "swallowed"

    user = await peer(server)
    user.will({"value": "yes"})
    assert await user.call("careful") == "yes"
    assert cleaned == ["careful", "careful"]
    assert await user.call("greedy") == "yes"


async def test_a_timeout_takes_its_question_back(peer: Peers) -> None:
    server = FastMCP("s")

    @server.tool
    async def either(ctx: Context) -> str:
        cancelled = asyncio.create_task(elicit(ctx, "dropped?", str))
        await asyncio.sleep(0)
        cancelled.cancel()
        return (await elicit(ctx, "kept?", str)).data

    user = await peer(server)
    user.will({"value": "yes"})
    assert await user.call("either") == "yes"
    assert [q.message for q in user.questions] == ["kept?"]


async def test_a_disconnect_is_no_question(peer: Peers) -> None:
    server = FastMCP("s")
    ended = asyncio.Event()

    @server.tool
    async def waits(ctx: Context) -> str:
        try:
            await asyncio.gather(
                once(ctx, "long", lambda: asyncio.sleep(60)), elicit(ctx, "?", bool)
            )
        finally:
            ended.set()
        return "never"

    user = await peer(server)
    call = asyncio.create_task(user.call("waits"))
    await asyncio.sleep(0.1)
    call.cancel()
    await asyncio.wait_for(ended.wait(), 5)
