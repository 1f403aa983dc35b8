"""`once`: a step runs one time, however often its handler does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

from mcp_apps_plugin import (
    elicit,
    once,
)

Peers = Any


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
