"""How long `mcp-apps dev` takes: from the command to a window, and to a server with its tools.

Run it as `python tests/benchmarks/dev_ready.py [server.py] [--runs 5]`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import websockets

COMMAND = Path(sys.executable).with_name("mcp-apps")
WEATHER = Path(__file__).parents[2] / "examples" / "weather" / "server.py"


async def start(server: Path) -> dict[str, float]:
    """Start the dev host once; return the seconds to each step."""
    took: dict[str, float] = {}
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        COMMAND, "dev", server, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        address = ""
        async for line in process.stdout:
            if found := re.search(r"open (http://[^/]+)(\S+)", line.decode()):
                took["address"] = time.perf_counter() - began
                address = found[0].removeprefix("open ")
                break
        origin = re.match(r"http://[^/]+", address)
        assert origin is not None
        url = address.replace("http:", "ws:") + "socket"
        async with websockets.connect(url, origin=origin[0], proxy=None) as socket:
            await socket.send(json.dumps({"type": "connect"}))
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "server" and message["state"] == "ready":
                    took["tools"] = time.perf_counter() - began
                    break
        began = time.perf_counter()
        async with websockets.connect(url, origin=origin[0], proxy=None) as socket:
            await socket.send(json.dumps({"type": "connect"}))
            await socket.send(json.dumps({"type": "restart"}))
            restarting = False
            async for text in socket:
                message = json.loads(text)
                restarting |= message.get("state") == "starting"
                if restarting and message.get("state") == "ready":
                    took["restart"] = time.perf_counter() - began
                    break
    finally:
        process.terminate()
        await process.wait()
    return took


def bare() -> dict[str, float]:
    """Import FastMCP and nothing else; return the seconds."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "from fastmcp import FastMCP"], check=True)
    return {"fastmcp": time.perf_counter() - began}


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser()
    parser.add_argument("server", nargs="?", type=Path, default=WEATHER)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    runs = [asyncio.run(start(options.server)) | bare() for _ in range(options.runs)]
    said = {
        "fastmcp": "for comparison: Python with FastMCP imported",
        "address": "the window can be opened",
        "tools": "the server is up and its tools are listed",
        "restart": "restart, until the tools are listed again",
    }
    for step, what in said.items():
        times = sorted(run[step] for run in runs)
        print(f"{statistics.median(times):.2f} s  {what} (best {times[0]:.2f})")
    # On a machine that has other things to do, this says more than seconds.
    shares = sorted(run["tools"] / run["fastmcp"] for run in runs)
    print(f"{statistics.median(shares):.2f} times what Python with FastMCP takes, to the tools")


if __name__ == "__main__":
    main()
