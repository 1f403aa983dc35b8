"""A live view of the machine it runs on: the page asks again for as long as somebody looks."""

import asyncio

from fastmcp import FastMCP
from machine import Counters, Reading, read_counters, reading_since

from mcp_apps_plugin import Csp, ui

mcp = FastMCP("Machine")
READS = {"readOnlyHint": True}  # so that hosts need not ask before each of the page's calls


@mcp.tool(annotations=READS)
@ui(
    "ui://machine/dashboard",
    html="dashboard.html",
    csp=Csp(),
    text="{host}: CPU {cpu} %, memory {memory} of {memory_total} GB, load {load}",
)
async def show_machine() -> Reading:
    """Show how busy this machine is, live."""
    before = read_counters()
    await asyncio.sleep(0.5)  # a share of time needs some time
    return reading_since(before)


@mcp.tool(annotations=READS)
@ui(visibility="app")
def measure(since: Counters) -> Reading:
    """Tell what happened since the page's last reading.

    The page brings the counters of that reading: no server has to remember it.
    """
    return reading_since(since)


if __name__ == "__main__":
    mcp.run()
