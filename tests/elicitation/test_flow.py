"""Handlers that run again: several questions, loops, branches, shorthand forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from mcp_types import InputRequiredResult
from pydantic import BaseModel, Field, field_validator

from mcp_apps_plugin import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    ElicitationError,
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


@pytest.mark.parametrize("where", ["", "below"])
async def test_prompts_and_resources_ask_too(
    peer: Peers, program: Any, era: str, where: str
) -> None:
    user = await peer(program.build(), era)
    user.will({"manager": "priya"})
    prefix, folder = (f"{where}_", f"{where}/") if where else ("", "")
    prompt = await user.client.get_prompt(f"{prefix}brief", {"account": "Contoso"})
    assert prompt.messages[0].content.text == "Contoso: priya on 5 days"
    for uri, name in (
        (f"crm://{folder}accounts/main", "main"),
        (f"crm://{folder}accounts/of/x", "x"),
    ):
        (item,) = await user.client.read_resource(uri)
        assert item.text == f"{name}: priya on 5 days"
    assert user.hints == [f"ui://{folder}portfolio/assign"] * 3


async def test_a_tool_that_another_one_calls_may_ask(peer: Peers, era: str) -> None:
    server = FastMCP("s")
    made: list[str] = []

    @server.tool
    async def inner(name: str, ctx: Context) -> str:
        return (await elicit(ctx, f"{name} ?", str)).data

    @server.tool
    async def outer(ctx: Context) -> str:
        await once(ctx, "made", lambda: made.append("made"))
        first = await ctx.fastmcp.call_tool("inner", {"name": "a"})
        second = await ctx.fastmcp.call_tool("inner", {"name": "b"})
        return first.content[0].text + second.content[0].text

    user = await peer(server, era)
    user.will(by_message(a={"value": "A"}, b={"value": "B"}))
    assert await user.call("outer") == "AB"
    assert made == ["made"]


async def test_without_a_request_there_is_nobody_to_ask() -> None:
    server = FastMCP("s")

    @server.tool
    async def ask(ctx: Context, default: bool) -> str:  # noqa: FBT001  a tool's argument
        options = {"default": "unasked"} if default else {}
        number = await once(ctx, "number", lambda: 7)
        return f"{number} {(await elicit(ctx, 'go?', str, **options)).data}"

    done = await server.call_tool("ask", {"default": True})
    assert done.content[0].text == "7 unasked"
    with pytest.raises(ElicitationError, match="elicit-unsupported"):
        await server.call_tool("ask", {"default": False})
