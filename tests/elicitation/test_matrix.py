"""Every client, over every transport, in both eras, from every place a handler can stand."""

from __future__ import annotations

import contextlib
import itertools
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, InputRequiredResult

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.asyncio(loop_scope="module")

ERAS = ("modern", "legacy")
TRANSPORTS = ("memory", "stdio", "http stateful", "http stateless")
CLIENTS = (
    "no elicitation",
    "form only",
    "url only",
    "apps without elicitation",
    "all four gates",
)
ACTIONS = ("accept", "decline", "cancel", "invalid", "missing")
ROUTES = {"plain": "assign", "mounted": "below_assign", "proxied": "back_assign"}
PAGES = {
    "plain": "ui://portfolio/assign",
    "mounted": "ui://below/portfolio/assign",
    "proxied": "ui://back/portfolio/assign",
}
MATRIX = [
    case
    for case in itertools.product(ERAS, TRANSPORTS, CLIENTS, ACTIONS, ROUTES)
    # In the older era an answer that never comes is a request that never ends.
    if not (case[0] == "legacy" and case[3] == "missing")
]


def can_ask(era: str, transport: str, client: str) -> bool:
    """Tell whether this client can be asked at all."""
    has_channel = era == "modern" or transport != "http stateless"
    return has_channel and client not in {"no elicitation", "url only"}


@pytest.mark.parametrize(("era", "transport", "client", "action", "route"), MATRIX)
async def test_matrix(
    peers: Callable[..., Any], *, era: str, transport: str, client: str, action: str, route: str
) -> None:
    peer = await peers(era, transport, client)
    peer.will({"manager": "priya"})
    tool = ROUTES[route]
    if not can_ask(era, transport, client):
        if route == "proxied" and client == "url only":
            await refused_or_cancelled(peer, tool)
        else:
            with pytest.raises(ToolError, match="elicit-unsupported"):
                await peer.call(tool, account="Contoso")
            assert peer.questions == []
        assert set(peer.hints) <= {None}
        return
    match action:
        case "accept":
            assert await peer.call(tool, account="Contoso") == "Contoso: priya on 5 days"
        case "decline" | "cancel":
            peer.will(action)
            assert await peer.call(tool, account="Contoso") == f"Contoso: {action}"
        case "invalid":
            forwarded = era == "legacy" and route == "proxied" and client != "all four gates"
            await invalid_first(peer, tool, by_fastmcp=forwarded)
        case "missing":
            await missing_first(peer, tool)
    assert set(peer.hints) == {PAGES[route] if client == "all four gates" else None}


async def invalid_first(peer: Any, tool: str, *, by_fastmcp: bool) -> None:
    """Answer as no form asks, then rightly."""
    peer.will({"manager": 7, "days": "secret"}, {"manager": "priya", "days": 2})
    if by_fastmcp:
        # Since 4.2 FastMCP's proxy checks answers itself, and gives up on one that does not fit.
        with contextlib.suppress(ToolError):
            assert await peer.call(tool, account="Contoso") == "Contoso: priya on 2 days"
        return
    assert await peer.call(tool, account="Contoso") == "Contoso: priya on 2 days"
    first, second = peer.questions
    assert second.requested_schema == first.requested_schema
    assert second.message.startswith(first.message)
    assert "/content/manager: Expected a string." in second.message
    assert "secret" not in second.message


async def missing_first(peer: Any, tool: str) -> None:
    """Send the request again without an answer, then with one."""
    session = peer.client.session
    arguments = {"account": "Contoso"}
    asked = await session.call_tool(tool, arguments, allow_input_required=True)
    again = await session.call_tool(
        tool,
        arguments,
        input_responses={"never asked": ElicitResult(action="accept", content={"manager": "x"})},
        request_state=asked.request_state,
        allow_input_required=True,
    )
    assert isinstance(again, InputRequiredResult)
    assert again.input_requests == asked.input_requests
    (key,) = again.input_requests
    peer.questions.append(again.input_requests[key].params)
    done = await session.call_tool(
        tool,
        arguments,
        input_responses={key: ElicitResult(action="accept", content={"manager": "priya"})},
        request_state=again.request_state,
        allow_input_required=True,
    )
    assert done.content[0].text == "Contoso: priya on 5 days"


async def refused_or_cancelled(peer: Any, tool: str) -> None:
    """Call a tool behind a proxy. FastMCP's proxies declare forms with every kind of question."""
    peer.will("cancel")
    with contextlib.suppress(ToolError, MCPError):
        assert await peer.call(tool, account="Contoso") == "Contoso: cancel"
