"""What composition costs: `tools/list` of 10 mounts x 100 tools with pages, with and without us.

One tree of servers, written with FastMCP's own `app=`, is listed in turns with this package
switched off (its links dangle) and on (they lead).

    python tests/benchmarks/composition_bench.py
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.apps import AppConfig
from fastmcp.server import create_proxy
from fastmcp.server.middleware import Middleware
from turns import compare

from mcp_apps_plugin import activate, deactivate

MOUNTS, TOOLS, TURNS = 10, 100, 25
TARGET = 1.05


def team(name: str) -> FastMCP[Any]:
    """Make a server whose tools all have pages."""
    server = FastMCP(name)
    for number in range(TOOLS):
        uri = f"ui://{name}/{number}"

        def handler(city: str, days: int = 3) -> dict[str, str]:
            """Say the weather."""
            return {"city": city, "days": str(days)}

        server.tool(handler, name=f"tool_{number}", app=AppConfig(resource_uri=uri))
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


async def round_trips(shape: str) -> dict[str, int]:
    """Count the requests at a back end for ten lists in front of it, in the steady state."""
    counts = {}
    for switched_on in (False, True):
        (activate if switched_on else deactivate)()
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
        counts["ours" if switched_on else "plain"] = len(count.asked)
    return counts


async def main() -> int:
    """Print all figures; fail above the target."""
    root = tree()
    async with Client(root) as client:
        wire = await listed("over the wire", client.list_tools)
    await listed("on the server only", root.list_tools)
    for shape in ("proxy", "mounted"):
        counts = await round_trips(shape)
        print(f"requests at the back end for ten lists, {shape:8} {counts}")
        if counts["plain"] != counts["ours"]:
            return 1
    return int(wire > TARGET)


async def listed(how: str, work: Any) -> float:
    """Compare one way to list; print it, and return the ratio."""
    plain, ours, ratio = await compare(work, work, TURNS)
    label = f"tools/list, {MOUNTS} x {TOOLS}, {how}"
    print(f"{label:42} plain {plain * 1e3:6.1f} ms  ours {ours * 1e3:6.1f} ms  {ratio:.3f}x")
    return ratio


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
