"""Clients that declare exactly what a test wants, over every transport, and raw answers."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mcp_types
import pytest
import pytest_asyncio
from fastmcp import Client, FastMCP
from fastmcp.client.transports import FastMCPTransport, StdioTransport, StreamableHttpTransport
from mcp.client.extension import advertise
from mcp_types import ElicitRequestFormParams, ElicitResult, ErrorData

try:
    from fastmcp.client.transports.base import TransportOptions, VersionAwareClientSession
except ImportError:  # FastMCP before 4.2 has no door for another session class
    TransportOptions = VersionAwareClientSession = None

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

HERE = Path(__file__).parent
PROGRAM = HERE / "program.py"
EXTENSION = "io.modelcontextprotocol/ui"
PAGE = "text/html;profile=mcp-app"

APPS = {"mimeTypes": [PAGE]}
GATES = {**APPS, "elicitation": {}}
FORM = {"form": {}}
CAPABILITIES: dict[str, dict[str, Any]] = {
    "no elicitation": {"extensions": {EXTENSION: GATES}},
    "form only": {"elicitation": {}},
    "url only": {"elicitation": {"url": {}}, "extensions": {EXTENSION: GATES}},
    "apps without elicitation": {"elicitation": FORM, "extensions": {EXTENSION: APPS}},
    "all four gates": {"elicitation": FORM, "extensions": {EXTENSION: GATES}},
}


@dataclass
class Peer:
    """A client with a user: it keeps the questions, and answers with what a test put in line."""

    client: Client[Any]
    questions: list[ElicitRequestFormParams] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)

    @property
    def hints(self) -> list[Any]:
        """The page of each question, or `None`."""
        return [((q.meta or {}).get("ui") or {}).get("resourceUri") for q in self.questions]

    def will(self, *answers: Any) -> None:
        """Put answers in line: a `dict` accepts with it, a function makes one, a word acts."""
        self.questions.clear()
        self.answers[:] = answers

    async def answer(self, _: Any, params: ElicitRequestFormParams) -> Any:
        """Answer one question."""
        self.questions.append(params)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            answer = answer(params)
        if inspect.isawaitable(answer):
            answer = await answer
        if isinstance(answer, ElicitResult | ErrorData):
            return answer
        if isinstance(answer, str):
            return ElicitResult(action=answer)
        return ElicitResult(action="accept", content=answer)

    async def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool and give its words; an error is raised."""
        result = await self.client.call_tool(tool, arguments)
        return result.content[0].text

    async def value(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and give what it returned."""
        return json.loads(await self.call(tool, **arguments))


def _declaring(capabilities: dict[str, Any]) -> Any:
    """Make a session that declares this and nothing else. The SDK's always declares both modes."""

    class Session(VersionAwareClientSession):
        def _build_capabilities(self, version: str) -> mcp_types.ClientCapabilities:
            del version
            return mcp_types.ClientCapabilities.model_validate(capabilities)

    return Session


def open_peer(transport: Any, era: str, capabilities: dict[str, Any], **options: Any) -> Peer:
    """Make a peer; its client is not connected yet."""
    asks = capabilities.get("elicitation")
    if TransportOptions is None:
        if asks == {"url": {}}:
            pytest.skip("with this FastMCP a client declares forms whenever it declares anything")
        if settings := capabilities.get("extensions", {}).get(EXTENSION):
            options["extensions"] = [advertise(EXTENSION, settings)]
    client = Client(transport, mode="legacy" if era == "legacy" else "auto", **options)
    peer = Peer(client)
    if TransportOptions is not None:
        given = client._transport_options or TransportOptions()
        client._transport_options = replace(given, session_class=_declaring(capabilities))
    if asks is not None:
        client._session_kwargs["elicitation_callback"] = peer.answer
    return peer


@pytest.fixture
async def peer() -> AsyncIterator[Callable[..., Awaitable[Peer]]]:
    """Connect a peer in memory."""
    async with contextlib.AsyncExitStack() as stack:

        async def connect(
            server: FastMCP[Any],
            era: str = "modern",
            capabilities: str = "all four gates",
            **more: Any,
        ) -> Peer:
            made = open_peer(FastMCPTransport(server), era, CAPABILITIES[capabilities], **more)
            await stack.enter_async_context(made.client)
            return made

        yield connect


@pytest.fixture(scope="session")
def program() -> Any:
    """The program's module, in this process."""
    spec = importlib.util.spec_from_file_location("elicitation_program", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass
class Process:
    """The program over HTTP, in a process of its own on a port that stays the same."""

    words: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        """Start it and wait until it listens."""
        if not self.port:
            with socket.socket() as found:
                found.bind(("127.0.0.1", 0))
                self.port = found.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), "http", str(self.port), *self.words],
            env={**os.environ, **self.env},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", self.port), 0.2),
            ):
                return
            assert self.process.poll() is None, "the server ended"
            time.sleep(0.05)
        message = "the server does not listen"
        raise AssertionError(message)

    def kill(self) -> None:
        """End it at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def start_program() -> Iterator[Callable[..., Process]]:
    """Run the program over HTTP."""
    started: list[Process] = []

    def start(*words: str, env: dict[str, str] | None = None) -> Process:
        process = Process(words, env or {})
        started.append(process)
        process.start()
        return process

    yield start
    for process in started:
        process.kill()


@pytest.fixture(scope="module")
def http_urls(start_program: Callable[..., Process]) -> dict[str, str]:
    """Two servers over HTTP: with sessions and without."""
    stateful, stateless = start_program(), start_program("stateless")
    return {"http stateful": stateful.url, "http stateless": stateless.url}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def peers(program: Any, http_urls: dict[str, str]) -> AsyncIterator[Callable[..., Any]]:
    """Connect each kind of peer once; the program over every transport."""
    known: dict[tuple[str, str, str], Peer] = {}

    async def connect(era: str, transport: str, capabilities: str) -> Peer:
        key = era, transport, capabilities
        if key not in known:
            target: Any
            if transport == "memory":
                target = FastMCPTransport(program.server)
            elif transport == "stdio":
                target = StdioTransport(
                    sys.executable, [str(PROGRAM), "stdio"], env=dict(os.environ), keep_alive=False
                )
            else:
                target = StreamableHttpTransport(http_urls[transport])
            known[key] = open_peer(target, era, CAPABILITIES[capabilities])
            await known[key].client.__aenter__()
        return known[key]

    yield connect
    for each in known.values():
        await each.client.__aexit__(None, None, None)
