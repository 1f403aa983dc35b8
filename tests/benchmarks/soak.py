"""A server at full load for half an hour: no request lost, and memory that stays flat.

One process serves three mounted copies of a server over streamable HTTP. Clients of both eras list,
call (by the full name and by the name a page was written with), read pages, and answer questions,
one after the other without a pause, each answer checked; clients come and go all the time. Then
what was served is printed, with the resident memory of the server over time.

    python tests/benchmarks/soak.py [--minutes 30] [--clients 8]
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastmcp import Client, Context, FastMCP
from fastmcp.client.elicitation import ElicitResult

from mcp_apps_plugin import AcceptedElicitation, app_resource, elicit, ui
from mcp_apps_plugin.host import apps_client_extension

COPIES = ("north", "south", "west")
PAGE = (
    "<!doctype html><title>Stock</title><h1 id=t></h1><script src='mcp-app.js'></script>"
    f"<script>new McpApp.App({{name: 'stock', version: '1'}}).connect()</script>{'<p>x</p>' * 4000}"
)
ROUNDS = 25  # of one client, until it makes room for the next
GROWTH = 1.02  # of the memory from the second third of the run to the last one


@dataclass
class Order:
    """How much is ordered."""

    amount: int


def depot(folder: Path) -> FastMCP[Any]:
    """Make the server that is mounted three times."""
    server = FastMCP("depot")

    @app_resource("ui://depot/order")
    def order_page() -> str:
        return PAGE

    @server.tool
    @ui("ui://depot/stock", html=folder / "stock.html", text="{item}: {left} left")
    def stock(item: str) -> dict[str, Any]:
        """Say how much is left."""
        return {"item": item, "left": len(item)}

    @server.tool
    @ui(visibility="app")
    def refresh(item: str) -> dict[str, Any]:
        """Say it again."""
        return {"item": item, "left": len(item)}

    @server.tool
    async def order(item: str, ctx: Context) -> str:
        """Ask how much, and order it."""
        answer = await elicit(ctx, f"How many {item}?", Order, app=order_page)
        return f"{answer.data.amount} {item}" if isinstance(answer, AcceptedElicitation) else "none"

    return server


def serve(port: int) -> None:
    """Be the server's process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "stock.html").write_text(PAGE, encoding="utf-8")
        root: FastMCP[Any] = FastMCP("root")
        for copy in COPIES:
            root.mount(depot(folder), namespace=copy)
        root.run("http", port=port, show_banner=False, log_level="warning")


class Load:
    """What the clients did.

    Args:
        url: The server's address.
        until: When they end, by `time.monotonic()`.
    """

    def __init__(self, url: str, until: float) -> None:
        self._url, self._until = url, until
        self.done: Counter[str] = Counter()
        self.lost: list[str] = []

    async def clients(self, number: int) -> None:
        """Be one client after the other."""
        while time.monotonic() < self._until:
            era = "legacy" if (number := number + 1) % 2 else "auto"
            try:
                await self._client(number, era)
            except Exception:  # noqa: BLE001  whatever it was, a request is lost
                self.lost.append(f"{era}: {traceback.format_exc()}")

    async def _client(self, number: int, era: str) -> None:
        async def answer(_message: str, _type: Any, params: Any, _context: Any) -> Any:
            assert params.meta["ui"]["resourceUri"] in {f"ui://{c}/depot/order" for c in COPIES}
            return ElicitResult(action="accept", content={"amount": number})

        async with Client(
            self._url,
            mode=era,
            extensions=[apps_client_extension(elicitation=True)],
            elicitation_handler=answer,
        ) as client:
            for turn in range(ROUNDS):
                await self._round(client, COPIES[turn % len(COPIES)], f"item{turn}", number)

    async def _round(self, client: Client[Any], copy: str, item: str, number: int) -> None:
        tools = {tool.name: tool for tool in await client.list_tools()}
        link = ((tools[f"{copy}_stock"].meta or {})["ui"])["resourceUri"]
        assert link == f"ui://{copy}/depot/stock"
        called = await client.call_tool(f"{copy}_stock", {"item": item})
        assert called.structured_content == {"item": item, "left": len(item)}
        assert called.content[0].text == f"{item}: {len(item)} left"
        again = await client.call_tool(f"{copy}_refresh", {"item": item})
        assert again.structured_content == called.structured_content
        (page,) = await client.read_resource(link)
        assert "McpApp" in page.text
        assert f"{copy}_refresh" in page.text  # it knows the names of its own mount
        asked = await client.call_tool(f"{copy}_order", {"item": item})
        assert asked.data == f"{number} {item}"
        self.done.update(lists=1, calls=2, reads=1, questions=1)


def resident(pid: int) -> float:
    """Return the resident memory of a process in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
    return pages * 4096 / 1e6


async def watch(load: Load, server: subprocess.Popen[bytes], until: float) -> list[float]:
    """Print how it goes, about sixty times."""
    begin = time.monotonic()
    every = (until - begin) / 60
    memory = []
    while (left := until - time.monotonic()) > 0:
        await asyncio.sleep(min(every, left))
        memory.append(resident(server.pid))
        passed = time.monotonic() - begin
        total = sum(load.done.values())
        print(f"{passed:7.0f} s {total:9} requests {memory[-1]:8.1f} MB {len(load.lost)} lost")
    return memory


def soak(minutes: float, clients: int) -> int:
    """Run it, and return the exit status."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, __file__, "--serve", str(port)])
    try:
        load, memory = asyncio.run(drive(f"http://127.0.0.1:{port}/mcp", server, minutes, clients))
    finally:
        server.terminate()
        server.wait(10)
    third = len(memory) // 3
    before, after = statistics.median(memory[third : 2 * third]), statistics.median(memory[-third:])
    print(f"served: {dict(load.done)}, {sum(load.done.values())} in all, {len(load.lost)} lost")
    print(f"memory: {before:.1f} MB in the second third, {after:.1f} MB in the last")
    if load.lost:
        print(load.lost[0])
    return 1 if load.lost or not load.done or after > before * GROWTH else 0


async def drive(
    url: str, server: subprocess.Popen[bytes], minutes: float, clients: int
) -> tuple[Load, list[float]]:
    """Put the load on, and return what it did and how the server's memory went."""
    await _until_it_answers(url)
    until = time.monotonic() + minutes * 60
    load = Load(url, until)
    memory, *_ = await asyncio.gather(
        watch(load, server, until), *(load.clients(number * 1000) for number in range(clients))
    )
    return load, memory


async def _until_it_answers(url: str) -> None:
    for _ in range(300):
        try:
            async with Client(url):
                return
        except Exception:  # noqa: BLE001  it is not up yet
            await asyncio.sleep(0.1)
    message = "the server does not answer"
    raise TimeoutError(message)


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return 0
    return soak(given.minutes, given.clients)


if __name__ == "__main__":
    sys.exit(main())
