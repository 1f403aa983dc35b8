"""One window: what it asks for is done here, and it is told what happens."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from mcp_apps_plugin.dev import messages as said
from mcp_apps_plugin.dev.elicitation import WindowElicitation
from mcp_apps_plugin.dev.link import Link
from mcp_apps_plugin.dev.questions import Questions
from mcp_apps_plugin.dev.stage import Stage
from mcp_apps_plugin.dev.wire import Entry, Wire
from mcp_apps_plugin.host import HostError
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    import mcp_types
    from starlette.websockets import WebSocket

    from mcp_apps_plugin.dev.endpoint import Endpoint
    from mcp_apps_plugin.dev.host import DevHost
    from mcp_apps_plugin.dev.wire import Direction
    from mcp_apps_plugin.protocol.shapes import JsonObject

logger = logging.getLogger(__name__)

_LISTING: Final = Method.TOOLS_CHANGED


class Tab:
    """One window and everything that is its own: client, page, questions, record.

    Args:
        host: The dev host.
        socket: The window's socket, accepted.
    """

    def __init__(self, host: DevHost, socket: WebSocket) -> None:
        self._host = host
        self._socket = socket
        self._outgoing: asyncio.Queue[JsonObject] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._connecting = asyncio.Lock()
        self._options = said.Connect(type="connect")
        self._link: Link | None = None
        self._links = 0
        self._elicitation: WindowElicitation | None = None
        self._running: asyncio.Task[None] | None = None
        self._wire = Wire(self._recorded)
        self._questions = Questions(self.say)
        self._stage = Stage(host.sandbox, self._questions, say=self.say, wire=self._wire)

    def say(self, message: JsonObject) -> None:
        """Tell the window something."""
        self._outgoing.put_nowait(message)

    def _recorded(self, entry: Entry) -> None:
        self.say({"type": "wire", "entry": entry.to_wire()})

    async def serve(self) -> None:
        """Listen to the window until it is closed."""
        writing = asyncio.create_task(self._write())
        try:
            async for text in self._socket.iter_text():
                try:
                    await self._take(said.read_said(text))
                except ValidationError as error:
                    logger.warning("the window said something unknown: %s", error)
        finally:
            await self.disconnect()
            for task in (*self._tasks, writing):
                task.cancel()
            await asyncio.gather(*self._tasks, writing, return_exceptions=True)

    async def close(self) -> None:
        """Close the window's socket; the window waits for another dev host."""
        await self._socket.close(1001)

    async def _write(self) -> None:
        with contextlib.suppress(Exception):  # the socket is gone, and so is the window
            while True:
                await self._socket.send_json(await self._outgoing.get())

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("%s: %s", type(error).__name__, error)

    async def _take(self, message: said.Said) -> None:
        match message:
            case said.FromView():
                await self._stage.heard(message.view, message.message)
            case said.Connect():
                self._options = message
                self._start(self.connect())
            case said.Mount():
                self._start(self._host.mount(message.namespace))
            case said.Restart():
                self._start(self._host.restart())
            case said.Run():
                await self._cancel()
                self._running = self._start(self._run(message))
            case said.Cancel():
                await self._cancel()
            case said.Close():
                self._start(self._stage.close())
            case said.Allow():
                self._stage.allow(message.scheme)
            case said.Surround():
                await self._stage.surround(message.surroundings)
            case said.Answer():
                self._questions.answer(message.question, message.value)
            case said.Body():
                text = self._wire.text(message.number)
                self.say({"type": "body", "number": message.number, "text": text})
            case said.Forget():
                self._wire.forget()
            case said.CallAppTool():
                self._start(self._call_app_tool(message.name, message.arguments))

    async def connect(self) -> None:
        """Connect anew, as the client that the window wants to be."""
        async with self._connecting:
            await self._disconnect()
            endpoint = self._host.endpoint
            if endpoint is None:
                self.say(self._host.state())
                return
            self.say({**self._host.state(), "state": "connecting"})
            link = self._make_link(endpoint)
            try:
                await link.open(self._lost)
                await link.list_tools()
            except Exception as error:  # noqa: BLE001  of any transport; it is shown
                await link.close()
                detail = link.explain(error)
                self.say({**self._host.state(), "state": "failed", "detail": detail})
                if not link.reached:
                    self._host.look_for_server()
                return
            self._link = link
            link.changes.subscribe(self._changed)
            self.say({**self._host.state(), "state": "ready", "server": link.describe()})

    def _make_link(self, endpoint: Endpoint) -> Link:
        self._links += 1
        scope = f"client {self._links}"

        def record(
            direction: Direction, message: Any, headers: Mapping[str, str] | None = None
        ) -> None:
            self._wire.record("server", direction, message, scope=scope, headers=headers)

        self._elicitation = elicitation = WindowElicitation(
            self._host.sandbox,
            self._questions,
            say=self.say,
            wire=self._wire,
            context=self._stage.context,
            shown=self._stage.asking,
        )
        return Link(endpoint, self._options, record=record, say=self.say, elicitation=elicitation)

    def _lost(self) -> None:
        self._link = None
        self.say({**self._host.state(), "state": "lost"})
        self._host.look_for_server()

    def _changed(self, method: Method) -> None:
        if method is _LISTING:
            self._start(self.list_again())

    async def list_again(self) -> None:
        """Show the tools that the server has now."""
        if self._link is not None:
            await self._link.list_tools()
            self.say({**self._host.state(), "state": "ready", "server": self._link.describe()})

    def renew_questions(self) -> None:
        """Show the pages of open questions as they are now; the calls that ask go on."""
        if self._elicitation is not None:
            self._start(self._elicitation.renew())

    async def idle(self) -> bool:
        """Wait until no call is under way; tell whether there was one."""
        running = self._running
        if running is None or running.done():
            return False
        await asyncio.wait([running])
        return True

    async def disconnect(self) -> None:
        """Close the page and the connection."""
        async with self._connecting:
            await self._disconnect()

    async def _disconnect(self) -> None:
        self._questions.drop()
        await self._cancel()
        await self._stage.close()
        link, self._link = self._link, None
        if link is not None:
            await link.close()

    async def _cancel(self) -> None:
        running, self._running = self._running, None
        if running is not None and not running.done():
            running.cancel()
            await asyncio.wait([running])

    async def _run(self, asked: said.Run) -> None:
        link = self._link
        tool = link.tools.get(asked.tool) if link else None
        if link is None or tool is None:
            self.say({"type": "outcome", "error": f"The server has no tool {asked.tool!r}."})
            return
        began = time.perf_counter()
        outcome: JsonObject = {"type": "outcome", "tool": tool.name}
        try:
            outcome["result"] = await self._stage.run(
                link, tool, asked.arguments, asked.surroundings, asked.result
            )
        except Exception as error:  # noqa: BLE001  of any transport; it is shown
            outcome["error"] = str(error) or type(error).__name__
            if link is self._link and not link.client.is_connected():
                self._lost()
                self._start(link.close())
        except asyncio.CancelledError:
            outcome["error"] = "Cancelled."
            raise
        finally:
            outcome["took"] = round((time.perf_counter() - began) * 1000, 1)
            self.say(outcome)

    async def _call_app_tool(self, name: str, arguments: dict[str, Any]) -> None:
        outcome: JsonObject = {"type": "app_tool_outcome", "name": name}
        try:
            result: mcp_types.CallToolResult = await self._stage.call_app_tool(name, arguments)
            outcome["result"] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        except (HostError, RuntimeError) as error:
            outcome["error"] = str(error)
        self.say(outcome)
