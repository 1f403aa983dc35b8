"""What composition costs: `tools/list` of 10 mounts x 100 tools with pages, with and without us.

One tree of servers, written with FastMCP's own `app=`, is listed in turns without this package (its
links dangle) and with it (they lead).

    python tests/benchmarks/composition_bench.py
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.apps import AppConfig
from fastmcp.server import create_proxy
from fastmcp.server.middleware import Middleware
from turns import Sides, compared, take_turns

MOUNTS, TOOLS, TURNS, PAIRS = 10, 100, 2, 5
SHAPES = ("proxy", "mounted")
TRIPS, LISTS = "round trips", "lists"
TARGET = 1.05


def team(name: str) -> FastMCP[Any]:
    """Make a server whose tools all have pages."""
    server = FastMCP(name)
    for number in range(TOOLS):
        uri = f"ui://{name}/{number}"

        def handler(city: str, days: int = 3) -> dict[str, str]:
            """Say the weather."""
            return {"city": city, "days": str(days)}

        # The visibility that this package adds: both sides send the same `_meta`, link aside.
        app = AppConfig(resource_uri=uri, visibility=["model", "app"])
        server.tool(handler, name=f"tool_{number}", app=app)
        server.resource(uri, name=f"page_{number}")(lambda: "<!doctype html><title>x</title>")
    return server


def tree() -> FastMCP[Any]:
    """Make a root with ten mounts."""
    root = FastMCP("root")
    for number in range(MOUNTS):
        root.mount(team(f"team{number}"), namespace=f"team{number}")
    return root


class Count(Middleware):
    """Counts what reaches a back end."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def on_request(self, context: Any, call_next: Any) -> Any:
        """Note the method."""
        self.asked.append(context.method)
        return await call_next(context)


async def round_trips(shape: str) -> str:
    """Count the requests at a back end for ten lists in front of it, in the steady state."""
    count = Count()
    target = team("far")
    target.add_middleware(count)
    front: FastMCP[Any] = create_proxy(target)
    if shape == "mounted":
        proxy, front = front, FastMCP("root")
        front.mount(proxy, namespace="far")
    async with Client(front) as client:
        await client.list_tools()
        count.asked.clear()
        for _ in range(10):
            await client.list_tools()
    return f"{len(count.asked)} requests at the back end, {shape}"


async def be_one_side(side: str, part: str) -> None:
    """Say the round trips, or list a tree in turns."""
    if side == "ours":
        import mcp_apps_plugin

        assert mcp_apps_plugin.is_active()
    if part == TRIPS:
        for shape in SHAPES:
            print(await round_trips(shape), flush=True)
        return
    root = tree()
    async with Client(root) as client:
        await take_turns({"over the wire": client.list_tools, "on the server": root.list_tools})


def main() -> int:
    """Print all figures; fail above the target."""
    ratios = {}
    same = True
    with Sides(Path(__file__), TRIPS) as sides:
        for _ in SHAPES:
            plain, ours = (sides.read(name) for name in ("plain", "ours"))
            print(f"for ten lists: plain {plain}, ours {ours}")
            same = same and plain == ours
    jobs = dict.fromkeys(("over the wire", "on the server"), TURNS)
    for how, found in compared(Path(__file__), jobs, LISTS, pairs=PAIRS).items():
        plain, ours, ratios[how] = found
        label = f"tools/list, {MOUNTS} x {TOOLS}, {how}"
        print(f"{label:38} plain {plain:6.1f} ms  ours {ours:6.1f} ms  {ratios[how]:.3f}x")
    return int(not same or ratios["over the wire"] > TARGET)


if __name__ == "__main__":
    if sys.argv[1:]:
        asyncio.run(be_one_side(*sys.argv[1:]))
    else:
        sys.exit(main())
