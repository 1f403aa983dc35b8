"""The server side against plain FastMCP, side by side in one run.

    python tests/benchmarks/server_bench.py

The exit status says whether every target was met.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from server_sides import our_server
from turns import compared

import mcp_apps_plugin
from mcp_apps_plugin import audit

HTML = "<!doctype html><title>Benchmark</title>" + f"<p>{'weather ' * 5500}</p>"
DECORATORS = "from mcp_apps_plugin import app_resource, ui"
IMPORT = """
import gc, time
from fastmcp import FastMCP
gc.collect()  # what FastMCP's own import left behind is not counted as ours
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
before, begin = resident(), time.process_time()
{code}
print((time.process_time() - begin) * 1000, (resident() - before) / 1e6)
"""
missed: list[str] = []


def report(name: str, value: float, limit: float, unit: str) -> None:
    met = value <= limit
    target = "" if limit == math.inf else f"target <= {limit:g} {unit} {'' if met else 'MISSED'}"
    print(f"{name:<44} {value:8.3f} {unit:<3} {target}".rstrip())
    if not met:
        missed.append(name)


def lists_calls_and_reads(page: Path) -> None:
    program = Path(__file__).with_name("server_sides.py")
    short = {"list": 20, "call": 20, "read": 20}
    for tools, jobs, pairs in ((10, short, 15), (100, {"list": 6}, 9), (1000, {"list": 2}, 5)):
        ratios = {
            job: found.ratio
            for job, found in compared(program, jobs, tools, page, pairs=pairs).items()
        }
        report(f"tools/list, {tools} tools, to app=", ratios["list"], 1.05, "x")
        if "call" in ratios:
            report("tools/call, to app=", ratios["call"], 1.03, "x")
            report("resources/read, to a function's string", ratios["read"], 1.0, "x")


async def audits(page: Path) -> None:
    figures = []
    for _ in range(7):
        server = our_server(1000, page)
        begin = time.process_time()
        found = await audit(server)
        figures.append((time.process_time() - begin) * 1000)
        assert found.findings == ()
    report("audit of a new server with 1000 tools", min(figures), 150, "ms")


def imports() -> None:
    # A package that is installed has its byte code beside it.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def median(code: str) -> tuple[float, float]:
        program = IMPORT.format(code=code)
        figures = []
        for _ in range(12):
            done = subprocess.run(
                [sys.executable, "-c", program],
                capture_output=True,
                check=True,
                text=True,
                env=environment,
            )
            milliseconds, megabytes = done.stdout.split()
            figures.append((float(milliseconds), float(megabytes)))
        rest = figures[1:]  # the first writes the byte code
        return statistics.median(m for m, _ in rest), statistics.median(m for _, m in rest)

    server = "FastMCP('server')"
    for name, code, plain, met in (
        ("import", "import mcp_apps_plugin", "pass", (20, 1.5)),
        ("import of both decorators", DECORATORS, "pass", (20, 1.5)),
        ("the same and a first server", f"{DECORATORS}; {server}", server, None),
    ):
        (time_ours, memory_ours), (time_plain, memory_plain) = median(code), median(plain)
        for what, ours, base, unit in (
            ("time", time_ours, time_plain, "ms"),
            ("memory", memory_ours, memory_plain, "MB"),
        ):
            limit = math.inf if met is None else met[unit == "MB"]
            report(f"{name}: {what} over FastMCP", ours - base, limit, unit)


def main() -> int:
    print(f"mcp-apps-plugin against FastMCP, Python {sys.version.split()[0]}")
    assert mcp_apps_plugin.is_active()
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(KeyboardInterrupt):
        page = Path(folder) / "page.html"
        page.write_text(HTML, encoding="utf-8")
        imports()
        lists_calls_and_reads(page)
        asyncio.run(audits(page))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
