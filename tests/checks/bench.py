"""How long a check of 1000 tools takes, without a browser: at most three seconds.

    python tests/checks/bench.py [PAGES]

Prints wall clock and processor time; on a busy machine the latter counts. The tools themselves take
about a second and a half. Each distinct page takes five milliseconds more, half of them in FastMCP,
which looks through all components for every read: with a page of its own for each of the 1000 tools
it is five to seven seconds.
"""

from __future__ import annotations

import asyncio
import sys
import time

from fastmcp import FastMCP

from mcp_apps_plugin import app_resource, ui
from mcp_apps_plugin.checks import check_server

TOOLS = 1000
PAGES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
PAGE = """<!doctype html><p>{n}</p><script src="mcp-app.js"></script>
<script>new McpApp.App({{ name: "page", version: "1" }}).connect()</script>"""


def make_server() -> FastMCP:
    """Make a server with 1000 tools that share some pages."""
    mcp = FastMCP("Thousand")

    def page(number: int):
        @app_resource(f"ui://thousand/{number}")
        def show() -> str:
            return PAGE.format(n=number)

        return show

    pages = [page(number) for number in range(PAGES)]
    for number in range(TOOLS):

        def tool(city: str = "Oslo") -> dict[str, str]:
            return {"city": city}

        tool.__name__ = f"tool_{number}"
        mcp.tool(ui(pages[number % PAGES])(tool))
    return mcp


def main() -> None:
    """Check it once."""
    server = make_server()
    wall, processor = time.perf_counter(), time.process_time()
    report = asyncio.run(check_server(server))
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(report)
    print(f"{TOOLS} tools, {PAGES} pages: {wall:.2f} s, of the processor {processor:.2f} s")


if __name__ == "__main__":
    main()
