"""One side of `server_bench.py`: a server and its client, which wait for what is to be timed.

python tests/benchmarks/server_sides.py (plain | ours) TOOLS PAGE
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.apps import AppConfig
from turns import take_turns


def echo(city: str, days: int = 3) -> dict[str, int]:
    """Say the weather of a city."""
    return {city: days}


def copy(number: int) -> Any:
    """Make one more function like `echo`."""
    made = type(echo)(echo.__code__, echo.__globals__, f"tool_{number}", echo.__defaults__)
    made.__annotations__, made.__doc__ = dict(echo.__annotations__), echo.__doc__
    return made


def our_server(tools: int, page: Path) -> FastMCP[Any]:
    """Make a server with `@ui`, whose pages are a file."""
    from mcp_apps_plugin import ui

    server = FastMCP("ours")
    for number in range(tools):
        server.tool(ui(f"ui://bench/{number % 10}", html=page)(copy(number)))
    return server


def plain_server(tools: int, page: Path) -> FastMCP[Any]:
    """Make the same with `app=`, whose pages are functions that return that file's text."""
    server = FastMCP("plain")
    html = page.read_text(encoding="utf-8")
    for number in range(tools):
        server.tool(
            copy(number),
            app=AppConfig(resource_uri=f"ui://bench/{number % 10}", visibility=["model", "app"]),
        )
    for number in range(10):
        server.resource(f"ui://bench/{number}", name=str(number))(lambda: html)
    return server


async def main(side: str, tools: str, page: str) -> None:
    """Serve one side's jobs."""
    server = (our_server if side == "ours" else plain_server)(int(tools), Path(page))
    async with Client(server) as client:
        await take_turns(
            {
                "list": client.list_tools,
                "call": lambda: client.call_tool("tool_1", {"city": "Bern"}),
                "read": lambda: client.read_resource("ui://bench/1"),
            }
        )


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
