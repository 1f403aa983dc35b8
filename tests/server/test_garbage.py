"""What a request leaves behind: nothing more for the garbage collector than plain FastMCP does."""

from __future__ import annotations

from typing import Any

import pytest

PROGRAM = """
import asyncio, gc, json, pathlib, sys
from fastmcp import Client, Context, FastMCP

REQUESTS = 50
pathlib.Path("page.html").write_text("<p>")
server = FastMCP("s")

def echo(city: str) -> dict: return {"city": city}

if OURS:
    from mcp_apps_plugin import ui
    server.tool(ui("ui://a/b", html="page.html", text="{city}")(echo))
else:
    from fastmcp.apps import AppConfig
    server.tool(echo, app=AppConfig(resource_uri="ui://a/b"))
    server.resource("ui://a/b")(lambda: "<p>")

@server.prompt
def hello() -> str: return "hello"

async def left(request):
    for _ in range(5): await request()
    gc.collect()
    gc.disable()
    for _ in range(REQUESTS): await request()
    found = gc.collect()
    gc.enable()
    return round(found / REQUESTS)

async def main():
    async with Client(server, mode=MODE) as client:
        return {
            "list": await left(client.list_tools),
            "call": await left(lambda: client.call_tool("echo", {"city": "Bern"})),
            "read": await left(lambda: client.read_resource("ui://a/b")),
            "prompt": await left(lambda: client.get_prompt("hello")),
        }

print(json.dumps(asyncio.run(main())))
"""


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_request_leaves_nothing_for_the_collector(run_python: Any, mode: str) -> None:
    """Each request is freed when it is done, whole: in both eras, whatever it asks for."""
    plain, ours = (
        run_python(f"OURS, MODE = {ours}, {mode!r}\n{PROGRAM}") for ours in (False, True)
    )
    assert set(plain) == {"list", "call", "read", "prompt"}
    assert all(ours[kind] <= plain[kind] for kind in plain), (ours, plain)
