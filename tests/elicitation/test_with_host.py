"""This package's server under this package's host: the page answers, or the form does, alike."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastmcp import Client

from mcp_apps_plugin.host import AppBridge, apps_client_extension, apps_elicitation_handler

ANSWER = {"manager": "priya", "days": 2}


async def play(bridge: AppBridge, answer: Any, asked: list[dict[str, Any]]) -> None:
    """Be the page: say hello, and answer the question."""
    hello = {
        "protocolVersion": "2026-01-26",
        "appInfo": {"name": "page", "version": "1"},
        "appCapabilities": {"elicitation": {}},
    }
    await bridge.receive(
        {"jsonrpc": "2.0", "id": "hello", "method": "ui/initialize", "params": hello}
    )
    async for message in bridge.outgoing():
        if message.get("id") == "hello":
            await bridge.receive({"jsonrpc": "2.0", "method": "ui/notifications/initialized"})
        elif message.get("method") == "elicitation/create":
            asked.append(message["params"])
            await bridge.receive({"jsonrpc": "2.0", "id": message["id"], "result": answer})
        elif "method" in message and "id" in message:
            await bridge.receive({"jsonrpc": "2.0", "id": message["id"], "result": {}})


@pytest.mark.parametrize(
    ("tool", "uri"),
    [
        ("assign", "ui://portfolio/assign"),
        ("below_assign", "ui://below/portfolio/assign"),
        ("back_assign", "ui://back/portfolio/assign"),
    ],
)
@pytest.mark.parametrize("fits", [True, False], ids=["page", "form"])
async def test_the_same_typed_result_from_the_page_and_from_the_form(
    program: Any, era: str, tool: str, uri: str, *, fits: bool
) -> None:
    asked: list[dict[str, Any]] = []
    native: list[str] = []

    async def render(shown: Any) -> None:
        assert shown.page.uri == uri
        assert "<h1>Assign</h1>" in shown.page.html
        content = ANSWER if fits else {"manager": 7}
        await play(shown.bridge, {"action": "accept", "content": content}, asked)
        await asyncio.Event().wait()

    async def form(message: str, *_: Any) -> dict[str, Any]:
        native.append(message)
        return ANSWER

    client = Client(
        program.build(),
        mode="legacy" if era == "legacy" else "auto",
        extensions=[apps_client_extension(elicitation=True)],
        elicitation_handler=apps_elicitation_handler(render=render, native=form),
    )
    async with client:
        result = await client.call_tool(tool, {"account": "Contoso"})
    assert result.content[0].text == "Contoso: priya on 2 days"
    assert len(native) == (not fits)
    (question,) = asked
    assert question["message"] == "Who looks after Contoso?"
    assert question["_meta"] == {"ui": {"resourceUri": uri}}
