"""What rides between two legs: only this server's, only for this request, only for a while."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from mcp.server.request_state import RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

from mcp_apps_plugin import elicit, once
from mcp_apps_plugin.server.elicitation.state import State

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = secrets.token_hex(32)
ANSWER = ElicitResult(action="accept", content={"value": "yes"})


def asking(name: str = "s", **security: Any) -> FastMCP:
    """Make a server with two tools that ask the same."""
    policy = RequestStateSecurity(**{"keys": [KEY], **security})
    server = FastMCP(name, request_state_security=policy)
    made: list[str] = []

    @server.tool
    async def first(item: str, ctx: Context) -> str:
        await once(ctx, "step", lambda: made.append(item))
        answer = await elicit(ctx, "go?", str, key="go")
        return f"{item} {answer.data} {len(made)}"

    @server.tool
    async def second(item: str, ctx: Context) -> str:
        return f"{item} {(await elicit(ctx, 'go?', str, key='go')).data}"

    return server


async def ask(peer: Any, server: FastMCP, tool: str = "first", item: str = "a") -> str:
    """Call until the question comes; return the sealed state."""
    session = (await peer(server)).client.session
    asked = await session.call_tool(tool, {"item": item}, allow_input_required=True)
    assert asked.request_state.startswith("v1.")
    return asked.request_state


async def finish(
    peer: Any, server: FastMCP, state: str, tool: str = "first", item: str = "a"
) -> str:
    """Send the answer."""
    session = (await peer(server)).client.session
    done = await session.call_tool(
        tool, {"item": item}, input_responses={"go": ANSWER}, request_state=state
    )
    return done.content[0].text


async def test_another_replica_with_the_same_keys_goes_on(peer: Callable[..., Any]) -> None:
    state = await ask(peer, asking())
    assert await finish(peer, asking(), state) == "a yes 0"  # the step ran on the first replica


async def refused(peer: Any, server: FastMCP, state: str, **where: str) -> None:
    """Expect the frozen refusal, which names no reason."""
    with pytest.raises(MCPError, match="Invalid or expired requestState"):
        await finish(peer, server, state, **where)


async def test_what_was_changed_is_refused(peer: Callable[..., Any]) -> None:
    state = await ask(peer, asking())
    for at in (5, len(state) // 2, len(state) - 1):
        other = "A" if state[at] != "A" else "B"
        await refused(peer, asking(), state[:at] + other + state[at + 1 :])
    await refused(peer, asking(), "v1." + "A" * 80)
    await refused(peer, asking(), State(answers={"go": {"action": "accept"}}).write())


async def test_what_has_expired_is_refused(peer: Callable[..., Any]) -> None:
    state = await ask(peer, asking(ttl=0.2))
    await asyncio.sleep(0.25)
    await refused(peer, asking(ttl=0.2), state)


async def test_what_is_foreign_is_refused(peer: Callable[..., Any]) -> None:
    state = await ask(peer, asking())
    await refused(peer, asking(keys=[secrets.token_hex(32)]), state)
    await refused(peer, asking("another service"), state)
    await refused(peer, asking(), state, tool="second")
    await refused(peer, asking(), state, item="b")


async def test_keys_rotate_without_a_lost_answer(peer: Callable[..., Any]) -> None:
    new = secrets.token_hex(32)
    state = await ask(peer, asking())
    assert await finish(peer, asking(keys=[new, KEY]), state) == "a yes 0"


async def test_answers_without_the_state_that_asked_are_ignored(peer: Callable[..., Any]) -> None:
    session = (await peer(asking())).client.session
    again = await session.call_tool(
        "first", {"item": "a"}, input_responses={"go": ANSWER}, allow_input_required=True
    )
    assert set(again.input_requests) == {"go"}


async def test_what_is_no_answer_to_a_question_is_ignored(wire: Callable[..., Any]) -> None:
    params = {"name": "first", "arguments": {"item": "a"}}
    async with wire(asking(), capabilities={"elicitation": {}}) as raw:
        asked = (await raw.send("tools/call", **params))["result"]
        answers = {"go": {"roots": []}}
        again = await raw.send(
            "tools/call", **params, inputResponses=answers, requestState=asked["requestState"]
        )
    assert set(again["result"]["inputRequests"]) == {"go"}


@pytest.mark.parametrize(
    "text", [None, "", "mine", "[]", "{}", '{"mcp-apps-elicitation": 2}', '"text"', "\ud800"]
)
def test_what_an_author_keeps_there_is_none_of_ours(text: str | None) -> None:
    assert State.read(text) == State()


def test_state_comes_back_as_it_went() -> None:
    calls = {"c": {"state": "sealed", "asked": ["k"], "answers": {}}}
    state = State(
        ["k"], {"a": {"action": "decline"}}, {"e": {}}, {"k": 1}, {"s": [1, "é"]}, calls, stalls=2
    )
    assert State.read(state.write()) == state
