"""A server with every kind of tool, real clients in both eras, and a page's half by hand."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import mcp_types
import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.server.middleware import Middleware

import mcp_apps_plugin
from mcp_apps_plugin.host import AppBridge, apps_client_extension, resolve_page
from mcp_apps_plugin.protocol.constants import MIME_TYPE

HTML = "<!doctype html><title>Weather</title><p>weather"
SECONDS = 5


@pytest.fixture(autouse=True, scope="module")
def plain_servers():
    """Leave FastMCP alone: a host shows the pages of any server, in any language."""
    was_active = mcp_apps_plugin.is_active()
    mcp_apps_plugin.deactivate()
    yield
    if was_active:
        mcp_apps_plugin.activate()


@dataclass
class Served:
    """A server and what reached it; `hint` is the page its question names."""

    mcp: FastMCP
    hint: Any = None
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    metas: list[dict[str, Any]] = field(default_factory=list)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)


class _Watch(Middleware):
    def __init__(self, served: Served) -> None:
        self.served = served

    async def on_call_tool(self, context, call_next):
        message = context.message
        self.served.calls.append((message.name, dict(message.arguments or {})))
        meta = context.fastmcp_context.request_context.meta
        self.served.metas.append(dict(meta or {}))
        self.served.called.set()
        return await call_next(context)

    async def on_read_resource(self, context, call_next):
        self.served.reads.append(str(context.message.uri))
        return await call_next(context)


CHOICE = {
    "type": "object",
    "properties": {"manager": {"type": "string", "enum": ["priya", "lee"]}},
    "required": ["manager"],
}


def make_server(name: str = "weather") -> Served:
    """Build the server that most tests show the pages of."""
    mcp = FastMCP(name)
    served = Served(mcp, hint=f"ui://{name}/page")
    mcp.add_middleware(_Watch(served))
    _add_tools(served, name)
    _add_slow_tools(served)
    _add_resources(mcp, name)
    return served


def _add_tools(served: Served, name: str) -> None:
    mcp = served.mcp

    @mcp.tool(meta={"ui": {"resourceUri": f"ui://{name}/page"}})
    def weather(city: str = "Oslo") -> dict[str, Any]:
        return {"city": city, "celsius": None, "server": name}

    @mcp.tool(meta={"ui": {"visibility": ["app"]}})
    def refresh(city: str = "Oslo") -> dict[str, Any]:
        return {"city": city, "celsius": 4, "server": name}

    @mcp.tool(meta={"ui": {"visibility": ["model"]}})
    def delete_everything() -> str:
        return "deleted"

    @mcp.tool(meta={"ui": {"visibility": "app"}})
    def nonsense() -> str:
        return "nobody sees this"

    @mcp.tool
    def fails() -> str:
        message = "no such city"
        raise ValueError(message)


def _add_slow_tools(served: Served) -> None:
    mcp = served.mcp

    @mcp.tool
    async def counts(ctx: Context, label: str = "") -> str:
        for step in range(3):
            await ctx.report_progress(step, 3, f"{label}{step}")
        return label

    @mcp.tool
    async def waits() -> str:
        try:
            await served.release.wait()
        except asyncio.CancelledError:
            served.cancelled.set()
            raise
        return "released"

    @mcp.tool
    async def asks(ctx: Context) -> str | mcp_types.InputRequiredResult:
        params = mcp_types.ElicitRequestFormParams(
            message="Who?",
            requested_schema=CHOICE,
            _meta={"ui": {"resourceUri": served.hint}},
        )
        request = mcp_types.ElicitRequest(params=params)
        if ctx.session.protocol_version < "2026":
            answer = await ctx.session.send_request(request, mcp_types.ElicitResult)
        elif ctx.input_responses:
            answer = ctx.input_responses["who"]
        else:
            return mcp_types.InputRequiredResult(
                input_requests={"who": request}, request_state="asked"
            )
        return f"{answer.action} {(answer.content or {}).get('manager')}"


def _add_resources(mcp: FastMCP, name: str) -> None:
    @mcp.resource(f"ui://{name}/page", mime_type=MIME_TYPE)
    def page() -> ResourceResult:
        return ResourceResult([ResourceContent(HTML, mime_type=MIME_TYPE)])

    @mcp.resource("data://secret")
    def secret() -> str:
        return "secret"

    @mcp.resource("data://secret/{name}")
    def secrets(name: str) -> str:
        return name

    @mcp.prompt
    def hello() -> str:
        return "hello"


@pytest.fixture
def served() -> Served:
    """A server and what reached it."""
    return make_server()


@pytest.fixture(params=["auto", "legacy"])
def mode(request) -> str:
    """Both protocol eras."""
    return request.param


@pytest.fixture
async def client(served, mode):
    """A client that declares MCP Apps, connected to `served`."""
    async with Client(served.mcp, mode=mode, extensions=[apps_client_extension()]) as connected:
        yield connected


class View:
    """A page's half of `ui/*`, spoken by hand.

    Attributes:
        heard: Everything that came from the host, in order.
        answers: What to answer to requests of the host, by method: a result, or a function.
    """

    def __init__(self, bridge: AppBridge) -> None:
        self.bridge = bridge
        self.heard: list[dict[str, Any]] = []
        self.answers: dict[str, Any] = {"ui/resource-teardown": {}}
        self._ids = itertools.count()
        self._changed = asyncio.Condition()
        self._task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for message in self.bridge.outgoing():
            async with self._changed:
                self.heard.append(message)
                self._changed.notify_all()
            if "method" in message and "id" in message:
                answer = self.answers.get(message["method"])
                if callable(answer):
                    answer = answer(message.get("params"))
                if answer is not None:
                    kind = "error" if "code" in answer else "result"
                    await self.bridge.receive({"jsonrpc": "2.0", "id": message["id"], kind: answer})

    async def until_closed(self) -> None:
        """Wait until the bridge sends nothing any more."""
        async with asyncio.timeout(SECONDS):
            await asyncio.wait([self._task])

    async def stop(self) -> None:
        """Listen no more."""
        self._task.cancel()
        await asyncio.wait([self._task])

    async def wait_for(self, found, seconds: float = SECONDS) -> dict[str, Any]:
        """Return the first message, old or new, that `found` says yes to."""
        async with asyncio.timeout(seconds), self._changed:
            await self._changed.wait_for(lambda: any(found(m) for m in self.heard))
            return next(m for m in self.heard if found(m))

    async def expect(self, method: str) -> dict[str, Any]:
        """Return the parameters of the first message with that method."""
        return (await self.wait_for(lambda m: m.get("method") == method))["params"]

    async def send(self, method: str, params: Any = None, identifier: Any = None) -> Any:
        """Send a request and return its id, without waiting."""
        identifier = f"v{next(self._ids)}" if identifier is None else identifier
        message = {"jsonrpc": "2.0", "id": identifier, "method": method}
        await self.bridge.receive(message | ({} if params is None else {"params": params}))
        return identifier

    async def answer_to(self, identifier: Any) -> dict[str, Any]:
        """Wait for the answer to a request."""
        return await self.wait_for(lambda m: "method" not in m and m.get("id") == identifier)

    async def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and return its answer, `result` or `error` and all."""
        return await self.answer_to(await self.send(method, params))

    async def result(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request that goes well and return its result."""
        answer = await self.ask(method, params)
        assert "result" in answer, answer
        return answer["result"]

    async def error(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request that fails and return its error."""
        answer = await self.ask(method, params)
        assert "error" in answer, answer
        return answer["error"]

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        await self.bridge.receive(message | ({} if params is None else {"params": params}))

    async def initialize(self, **capabilities: Any) -> dict[str, Any]:
        """Ask to be initialized and return the host's answer."""
        return await self.result(
            "ui/initialize",
            {
                "appInfo": {"name": "page", "version": "1"},
                "appCapabilities": capabilities,
                "protocolVersion": "2026-01-26",
            },
        )

    async def handshake(self, **capabilities: Any) -> dict[str, Any]:
        """Do the whole handshake; return what the host said about itself."""
        initialized = await self.initialize(**capabilities)
        await self.notify("ui/notifications/initialized")
        return initialized

    async def settle(self) -> None:
        """Wait until everything sent so far has been dealt with."""
        await self.ask("ping")
        for _ in range(20):
            await asyncio.sleep(0)

    def methods(self) -> list[str]:
        """The methods heard, in order, answers left out."""
        return [m["method"] for m in self.heard if "method" in m]


@pytest.fixture
def view_of():
    """Make a `View` for a bridge, without a handshake."""

    @asynccontextmanager
    async def viewing(bridge: AppBridge):
        view = View(bridge)
        try:
            yield view
        finally:
            await bridge.close()
            await view.stop()

    return viewing


@pytest.fixture
def show(view_of):
    """Show a tool of a client, handshake done: `show` yields the bridge and the view."""

    @asynccontextmanager
    async def showing(client, name="weather", *, ready=True, app=None, **options):
        tool = next(t for t in await client.list_tools() if t.name == name)
        bridge = AppBridge(client, tool, page=await resolve_page(client, tool), **options)
        async with view_of(bridge) as view:
            if ready:
                await view.handshake(**(app or {}))
            yield bridge, view

    return showing


@pytest.fixture
def serve():
    """Build another server like `served`, under another name."""
    return make_server
