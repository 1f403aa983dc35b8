"""Two processes with the same keys behind a balancer: it does not matter which one is asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import secrets
from collections import Counter
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

COUNT = 1000
AT_ONCE = 16
VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}


class Balancer:
    """Sends each connection to a process picked at random; to another one when it is down."""

    def __init__(self, ports: list[int]) -> None:
        self.ports = ports
        self.served: Counter[int] = Counter()
        self._random = random.Random(7)  # the same spread in every run
        self._connections: set[asyncio.Task[None] | None] = set()

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Listen on a port of loopback."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"
        await asyncio.gather(*filter(None, self._connections))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(asyncio.current_task())
        for port in self._random.sample(self.ports, len(self.ports)):
            with contextlib.suppress(OSError):
                below, above = await asyncio.open_connection("127.0.0.1", port)
                self.served[port] += 1
                await asyncio.gather(_pass(reader, above), _pass(below, writer))
                break
        else:
            await _close(writer)
        self._connections.discard(asyncio.current_task())


async def _pass(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    await _close(sink)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


class Caller:
    """Calls the tool; a leg that got no answer is sent again as it was."""

    def __init__(self, http: httpx2.AsyncClient, url: str) -> None:
        self._http, self._url = http, url
        self.resent = 0

    async def leg(self, account: str, **more: Any) -> dict[str, Any]:
        """Send one request."""
        params = {"name": "assign", "arguments": {"account": account}, "_meta": META, **more}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": VERSION,
            "mcp-method": "tools/call",
            "mcp-name": "assign",
            "connection": "close",
        }
        for _ in range(100):
            try:
                answer = await self._http.post(self._url, json=body, headers=headers)
                text = answer.text
                lines = [x[5:] for x in text.splitlines() if x.startswith("data:")] or [text]
                return json.loads(lines[-1])["result"]
            except (httpx2.TransportError, json.JSONDecodeError):
                self.resent += 1
                await asyncio.sleep(0.05)
        message = "no process answered"
        raise AssertionError(message)

    async def ask(self, number: int) -> str:
        """Call, answer the question, and return the words of the result."""
        account = f"account {number}"
        asked = await self.leg(account)
        ((key, request),) = asked["inputRequests"].items()
        assert request["params"]["message"] == f"Who looks after {account}?"
        content = {"manager": f"manager {number}", "days": number}
        done = await self.leg(
            account,
            inputResponses={key: {"action": "accept", "content": content}},
            requestState=asked["requestState"],
        )
        return done["content"][0]["text"]


@pytest.mark.slow
async def test_none_is_lost_and_none_is_mixed_up(start_program: Callable[..., Any]) -> None:
    env = {"TEST_STATE_KEYS": secrets.token_hex(32)}
    first = await asyncio.to_thread(start_program, env=env)
    second = await asyncio.to_thread(start_program, env=env)
    balancer = Balancer([first.port, second.port])
    results: dict[int, str] = {}
    numbers = iter(range(COUNT))
    third, restarted = asyncio.Event(), asyncio.Event()
    async with balancer.listening() as url, httpx2.AsyncClient(timeout=30) as http:
        caller = Caller(http, url)

        async def work() -> None:
            for number in numbers:
                if number >= COUNT * 4 // 5:
                    await restarted.wait()  # the new process has its share, however slow it starts
                results[number] = await caller.ask(number)
                if number == COUNT // 3:
                    third.set()

        async def disturb() -> int:
            await third.wait()
            first.kill()
            await asyncio.to_thread(first.start)
            restarted.set()
            return balancer.served[first.port]

        before, *_ = await asyncio.gather(disturb(), *(work() for _ in range(AT_ONCE)))
    expected = {n: f"account {n}: manager {n} on {n} days" for n in range(COUNT)}
    assert results == expected
    assert balancer.served[first.port] > before
    print(f"served {dict(balancer.served)}, {caller.resent} legs sent again")
