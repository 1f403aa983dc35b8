"""Handlers that run again: several questions, loops, branches, questions side by side, steps."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from mcp_types import ElicitResult, InputRequiredResult
from pydantic import BaseModel, Field, field_validator

from mcp_apps_plugin import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    elicit,
    once,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Peers = Any


def by_message(**answers: Any) -> Callable[[Any], Any]:
    """Answer by the first word of the question."""
    return lambda params: answers[params.message.split()[0].rstrip("?")]


async def test_several_questions_in_one_body(peer: Peers, era: str) -> None:
    server = FastMCP("s")
    runs: list[int] = []

    @server.tool
    async def order(ctx: Context) -> list[Any]:
        runs.append(1)
        size = await elicit(ctx, "size?", ["S", "L"])
        gift = await elicit(ctx, "gift?", bool)
        name = await elicit(ctx, "name?", str, response_title="To", response_description="Whom")
        return [size.data, gift.data, name.data]

    user = await peer(server, era)
    user.will(by_message(size={"value": "L"}, gift={"value": False}, name={"value": "Kim"}))
    assert await user.value("order") == ["L", False, "Kim"]
    assert [q.message for q in user.questions] == ["size?", "gift?", "name?"]
    assert user.questions[2].requested_schema["properties"]["value"]["title"] == "To"
    assert len(runs) == (4 if era == "modern" else 1)


@pytest.mark.parametrize(
    ("form", "content", "data"),
    [
        (["a", "b"], {"value": "a"}, "a"),
        ({"a": {"title": "A"}}, {"value": "a"}, "a"),
        ([["a", "b"]], {"value": ["a", "b"]}, ["a", "b"]),
        ([{"a": {"title": "A"}}], {"value": ["a"]}, ["a"]),
        (int, {"value": 2}, 2),
        (float, {"value": 2.5}, 2.5),
    ],
)
async def test_the_shorthand_forms_of_fastmcp(
    peer: Peers, era: str, form: Any, content: Any, data: Any
) -> None:
    server = FastMCP("s")

    @server.tool
    async def ask(ctx: Context) -> Any:
        return {"data": (await elicit(ctx, "which?", form)).data}

    user = await peer(server, era)
    user.will(content)
    assert await user.value("ask") == {"data": data}


async def test_all_three_results_match(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        match await elicit(ctx, "go?", bool):
            case AcceptedElicitation(data=True):
                return "yes"
            case AcceptedElicitation():
                return "no"
            case DeclinedElicitation():
                return "declined"
            case CancelledElicitation():
                return "cancelled"

    user = await peer(server, era)
    for answer, words in (
        ({"value": True}, "yes"),
        ({"value": False}, "no"),
        ("decline", "declined"),
        ("cancel", "cancelled"),
    ):
        user.will(answer)
        assert await user.call("ask") == words


async def test_a_loop_gives_each_answer_to_its_own_question(peer: Peers, era: str) -> None:
    server = FastMCP("s")
    orders = iter(
        [["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"], ["a", "b", "c"], ["c", "b", "a"]]
    )

    @server.tool
    async def confirm(ctx: Context) -> dict[str, str]:
        found = {}
        for item in next(orders):  # another order each time it runs
            found[item] = (await elicit(ctx, f"{item} ?", str)).data
        return found

    user = await peer(server, era)
    user.will(by_message(a={"value": "A"}, b={"value": "B"}, c={"value": "C"}))
    found = await user.value("confirm")
    assert found == {"a": "A", "b": "B", "c": "C"}


async def test_the_same_question_may_be_asked_again(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    @server.tool
    async def guess(ctx: Context) -> int:
        tries = 0
        while (await elicit(ctx, "password?", str)).data != "sesame":
            tries += 1
        return tries

    user = await peer(server, era)
    user.will({"value": "a"}, {"value": "b"}, {"value": "sesame"})
    assert await user.value("guess") == 2
    assert len(user.questions) == 3


async def test_a_changed_branch_asks_again(peer: Peers) -> None:
    server = FastMCP("s")
    runs: list[int] = []

    @server.tool
    async def branch(ctx: Context) -> str:
        runs.append(1)
        if len(runs) == 1:
            return (await elicit(ctx, "left?", str)).data
        return (await elicit(ctx, "right?", str)).data

    user = await peer(server)
    user.will(by_message(left={"value": "L"}, right={"value": "R"}))
    assert await user.call("branch") == "R"
    assert [q.message for q in user.questions] == ["left?", "right?"]


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


class Booking(BaseModel):
    nights: int = Field(ge=1, le=14)
    room: str

    @field_validator("room")
    @classmethod
    def _exists(cls, value: str) -> str:
        if not value.startswith("R"):
            message = f"there is no room {value}"
            raise ValueError(message)
        return value


async def test_an_invalid_answer_is_asked_again_with_the_reason(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    @server.tool
    async def book(ctx: Context) -> str:
        answer = await elicit(ctx, "Book?", Booking)
        return f"{answer.data.room} {answer.data.nights}"

    user = await peer(server, era)
    good = {"nights": 2, "room": "R1"}
    user.will({"nights": 20, "room": "R1"}, {"nights": 2, "room": "X9secret"}, good)
    assert await user.call("book") == "R1 2"
    first, second, third = (q.message for q in user.questions)
    assert first == "Book?"
    assert "/content/nights: Number must be less than or equal to 14." in second
    assert "/content/room: Value is not accepted." in third
    assert "X9secret" not in third
    assert "20" not in second


@pytest.mark.parametrize("retries", [0, 3])
async def test_after_so_many_invalid_answers_it_is_an_error(
    peer: Peers, era: str, retries: int
) -> None:
    server = FastMCP("s")

    @server.tool
    async def book(ctx: Context) -> str:
        await elicit(ctx, "Book?", Booking, retries=retries)
        return "never"

    user = await peer(server, era)
    user.will({"nights": "many", "room": "R1"})
    with pytest.raises(ToolError, match=r"never as its form asks.*\[elicit-answer\]"):
        await user.call("book")
    assert len(user.questions) == retries + 1


async def test_a_step_runs_once(peer: Peers, era: str) -> None:
    server = FastMCP("s")
    made: list[str] = []

    async def create(name: str) -> dict[str, Any]:
        await asyncio.sleep(0.01)
        made.append(name)
        return {"name": name, "parts": (1, 2)}

    @server.tool
    async def order(ctx: Context) -> dict[str, Any]:
        order = await once(ctx, "order", lambda: create("order"))
        number = await once(ctx, "number", lambda: 7)
        await elicit(ctx, "pay?", bool)
        await once(ctx, "payment", lambda: create("payment"))
        await elicit(ctx, "receipt?", bool)
        return {**order, "number": number}

    user = await peer(server, era)
    user.will({"value": True})
    found = await user.value("order")
    assert found == {"name": "order", "parts": [1, 2], "number": 7}
    assert made == ["order", "payment"]


async def test_a_step_beside_a_question_is_not_cut_off(peer: Peers, era: str) -> None:
    server = FastMCP("s")
    made: list[str] = []

    async def charge() -> str:
        await asyncio.sleep(0.1)
        made.append("charge")
        return "paid"

    @server.tool
    async def pay(ctx: Context) -> list[Any]:
        paid, again, answer = await asyncio.gather(
            once(ctx, "charge", charge), once(ctx, "charge", charge), elicit(ctx, "receipt?", bool)
        )
        return [paid, again, answer.data]

    user = await peer(server, era)
    user.will({"value": True})
    assert await user.value("pay") == ["paid", "paid", True]
    assert made == ["charge"]


async def test_a_step_that_fails_runs_again(peer: Peers) -> None:
    server = FastMCP("s")
    tries: list[int] = []

    def flaky() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError
        return len(tries)

    @server.tool
    async def ask(ctx: Context) -> int:
        try:
            await once(ctx, "flaky", flaky)
        except OSError:
            await elicit(ctx, "again?", bool)
        return await once(ctx, "flaky", flaky)

    user = await peer(server)
    user.will({"value": True})
    assert await user.value("ask") == 2


async def test_what_has_no_meaning_is_refused(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    @server.tool
    def in_sync(ctx: Context) -> str:
        elicit(ctx, "go?", bool)
        return "never"

    @server.tool
    async def in_step(ctx: Context) -> str:
        await once(ctx, "step", lambda: elicit(ctx, "go?", bool))
        return "never"

    @server.tool
    async def no_json(ctx: Context) -> str:
        await once(ctx, "step", object)
        return "never"

    @server.tool
    async def same_key(ctx: Context) -> str:
        for _ in range(2):
            await elicit(ctx, "go?", bool, key="go")
        return "never"

    @server.tool
    async def no_page(ctx: Context) -> str:
        await elicit(ctx, "go?", bool, app=len)
        return "never"

    @server.tool
    async def no_address(ctx: Context) -> str:
        await elicit(ctx, "go?", bool, app="https://example.com/view.html")
        return "never"

    user = await peer(server, era)
    user.will({"value": True})
    for tool, words in (
        ("in_sync", "called from a sync function"),
        ("in_step", "called inside the `once` step 'step'"),
        ("no_json", "which is no JSON"),
        ("same_key", "uses the key 'go' for a second question"),
        ("no_page", "which is no page"),
        ("no_address", "does not start with `ui://`"),
    ):
        with pytest.raises(ToolError, match=words):
            await user.call(tool)


@pytest.mark.parametrize("client", ["no elicitation", "url only"])
async def test_a_client_that_cannot_ask(peer: Peers, era: str, client: str) -> None:
    server = FastMCP("s")

    @server.tool
    async def error(ctx: Context) -> str:
        return str(await elicit(ctx, "go?", bool))

    @server.tool
    async def cancelled(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, default=CancelledElicitation())).action

    @server.tool
    async def data(ctx: Context) -> bool:
        return (await elicit(ctx, "go?", bool, default=False)).data

    user = await peer(server, era, client)
    user.will({"value": True})
    with pytest.raises(ToolError, match=r"cannot be asked.*\[elicit-unsupported\]"):
        await user.call("error")
    assert await user.call("cancelled") == "cancel"
    assert await user.value("data") is False
    assert user.questions == []


async def test_a_question_that_never_stays_the_same_is_an_error(peer: Peers) -> None:
    server = FastMCP("s")
    runs: list[int] = []

    @server.tool
    async def restless(ctx: Context) -> str:
        runs.append(1)
        await elicit(ctx, f"at {len(runs)}?", bool)
        return "never"

    @server.tool
    async def pinned(ctx: Context) -> str:
        runs.append(1)
        await elicit(ctx, f"at {len(runs)}?", bool, key="at")
        return "done"

    user = await peer(server)
    user.will({"value": True})
    with pytest.raises(ToolError, match=r"is another one each time.*\[elicit-state\]"):
        await user.call("restless")
    assert await user.call("pinned") == "done"


async def test_too_much_state_is_an_error(peer: Peers) -> None:
    server = FastMCP("s")

    @server.tool
    async def heavy(ctx: Context) -> str:
        await once(ctx, "report", lambda: "x" * 70_000)
        await elicit(ctx, "go?", bool)
        return "never"

    user = await peer(server)
    user.will({"value": True})
    with pytest.raises(ToolError, match=r"the limit is 65,536.*\[elicit-state\]"):
        await user.call("heavy")


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


async def test_a_page_nobody_declared_is_not_named(
    peer: Peers, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = FastMCP("s")
    address = "UI://made/up".lower()  # not to be read from the code

    @server.tool
    async def ask(ctx: Context) -> str:
        await elicit(ctx, "first?", bool, app="ui://known/page")
        await elicit(ctx, "second?", bool, app=address)
        return "done"

    @server.resource("ui://known/page")
    def page() -> str:
        return "<h1>Known</h1>"

    user = await peer(server, era)
    user.will({"value": True})
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        assert await user.call("ask") == "done"
    assert user.hints == ["ui://known/page", None]
    assert "Put `@elicits('ui://made/up')` on the handler." in caplog.text


async def test_guards_written_by_hand_still_work(peer: Peers) -> None:
    server = FastMCP("s")

    @server.tool
    async def guard(ctx: Context) -> str | InputRequiredResult:
        if ctx.input_responses:
            return f"{ctx.request_state} {ctx.input_responses['k'].content}"
        from mcp_types import ElicitRequest, ElicitRequestFormParams

        params = ElicitRequestFormParams(
            message="by hand?", requested_schema={"type": "object", "properties": {}}
        )
        return InputRequiredResult(
            input_requests={"k": ElicitRequest(params=params)}, request_state="mine"
        )

    user = await peer(server)
    user.will({})
    assert await user.call("guard") == "mine {}"
