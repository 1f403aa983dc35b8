"""A page's half of `ui/*` in Python, as strict as pages in the official library are."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from typing import TYPE_CHECKING, Any, Final

import mcp_types

from mcp_apps_plugin.protocol import jsonrpc
from mcp_apps_plugin.protocol.constants import VIEW_PROTOCOL_VERSION
from mcp_apps_plugin.protocol.messages import Method
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object
from mcp_apps_plugin.testing.answers import as_answer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

SECONDS: Final = 10.0
"""How long a view waits for its host unless told otherwise."""


class ViewRefusedError(AssertionError):
    """The host answered the view with an error.

    Attributes:
        code: The JSON-RPC code.
        message: What the host said.
    """

    def __init__(self, method: str, error: JsonObject) -> None:
        self.code = error.get("code")
        self.message = str(error.get("message"))
        super().__init__(f"the host refused {method}: {self.message} ({self.code})")


class ScriptedView:
    """A page that a test speaks for.

    Subclass it for a page that does something by itself: override `on_ready` or `on_notification`.

    Args:
        send: Takes each message to the host.

    Attributes:
        heard: Every message of the host, in order.
        sent: Every message to the host, in order.
        host: The host's answer to `ui/initialize`.
        context: The host context, with all changes since.
        input: The tool's arguments, once told.
        result: The tool's result, once told.
        cancelled: Why there is no result, once told; an empty text for no reason given.
        torn_down: Whether the host asked the view to end.
        names: The tool names its author wrote, each with the one its server has here: what the
            page library is told below a namespace.
        tools: The view's own tools, by name; see `offer_tool`.
        answer: Answers questions of the server: content to accept with, a whole result, or a
            function of the question's parameters that returns either. `None`: the view cannot.
    """

    name: str = "scripted-view"

    def __init__(self, send: Callable[[JsonObject], Awaitable[None]]) -> None:
        self._send = send
        self._ids = itertools.count()
        self._waiting: dict[int, asyncio.Future[JsonObject]] = {}
        self._told = asyncio.Condition()
        self.heard: list[JsonObject] = []
        self.sent: list[JsonObject] = []
        self.host: JsonObject = {}
        self.context: JsonObject = {}
        self.input: JsonObject | None = None
        self.result: mcp_types.CallToolResult | None = None
        self.cancelled: str | None = None
        self.torn_down = False
        self.names: dict[str, str] = {}
        self.tools: dict[str, tuple[JsonObject, Callable[..., Any]]] = {}
        self.answer: Any = None

    async def connect(self, capabilities: JsonObject | None = None) -> None:
        """Do the handshake.

        Args:
            capabilities: `appCapabilities`; default: what the view can do.
        """
        declared: JsonObject = {"availableDisplayModes": ["inline", "fullscreen", "pip"]}
        if self.tools:
            declared["tools"] = {"listChanged": True}
        if self.answer is not None:
            declared["elicitation"] = {}
        self.host = await self.request(
            Method.INITIALIZE,
            {
                "appInfo": {"name": self.name, "version": "1.0"},
                "appCapabilities": declared if capabilities is None else capabilities,
                "protocolVersion": VIEW_PROTOCOL_VERSION,
            },
        )
        self.context = {**self.host.get("hostContext", {}), **self.context}
        await self.notify(Method.INITIALIZED)
        await self.on_ready()

    async def on_ready(self) -> None:
        """Called when the handshake is done; does nothing by itself."""

    async def on_notification(self, method: str, params: JsonObject) -> None:
        """Called for each notification of the host, after the view took note of it."""

    async def receive(self, message: JsonObject) -> None:
        """Take one message of the host."""
        async with self._told:
            self.heard.append(message)
            self._told.notify_all()
        read = jsonrpc.classify(message)
        match read:
            case jsonrpc.Response():
                waiting = self._waiting.get(read.id) if isinstance(read.id, int) else None
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
            case jsonrpc.Notification():
                self._note(read.method, read.params or {})
                await self.on_notification(read.method, read.params or {})
            case jsonrpc.Request():
                await self._respond(read)
            case jsonrpc.Malformed():
                message_text = f"the host sent something that {read.problem}"
                raise AssertionError(message_text)

    def _note(self, method: str, params: JsonObject) -> None:
        match method:
            case Method.TOOL_INPUT:
                self.input = params.get("arguments") or {}
            case Method.TOOL_RESULT:
                self.result = mcp_types.CallToolResult.model_validate(params)
            case Method.TOOL_CANCELLED:
                self.cancelled = str(params.get("reason") or "")
            case Method.HOST_CONTEXT_CHANGED:
                self.context = {**self.context, **params}
            case _:
                pass

    async def _respond(self, asked: jsonrpc.Request) -> None:
        try:
            answer = jsonrpc.result(asked.id, await self._answer(asked.method, asked.params or {}))
        except LookupError as error:
            answer = jsonrpc.error(asked.id, jsonrpc.METHOD_NOT_FOUND, str(error))
        except Exception as error:  # noqa: BLE001  a test's own function
            answer = jsonrpc.error(asked.id, jsonrpc.INTERNAL_ERROR, str(error))
        await self._post(answer)

    async def _answer(self, method: str, params: JsonObject) -> JsonObject:
        if method == Method.TEARDOWN:
            self.torn_down = True
            return {}
        if method == Method.PING:
            return {}
        if method == Method.TOOLS_LIST and self.tools:
            return {"tools": [described for described, _ in self.tools.values()]}
        if method == Method.TOOLS_CALL and params.get("name") in self.tools:
            _, function = self.tools[params["name"]]
            return _called(await _awaited(function(**(params.get("arguments") or {}))))
        if method == "elicitation/create" and self.answer is not None:
            return await self._elicited(params)
        message = f"the view knows no {method}"
        raise LookupError(message)

    async def _elicited(self, params: JsonObject) -> JsonObject:
        given = self.answer
        if callable(given):
            given = await _awaited(given(params))
        message, form = str(params.get("message")), as_object(params.get("requestedSchema"))
        answer = as_answer(given, message, form, "answer=")
        return answer.model_dump(mode="json", by_alias=True, exclude_none=True)

    async def request(
        self, method: str, params: Mapping[str, Any] | None = None, *, seconds: float = SECONDS
    ) -> JsonObject:
        """Ask the host anything, and return the result.

        Raises:
            ViewRefusedError: The host answered with an error.
            TimeoutError: It did not answer.
        """
        identifier = next(self._ids)
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[identifier] = waiting
        try:
            await self._post(jsonrpc.request(identifier, method, dict(params or {})))
            async with asyncio.timeout(seconds):
                answer = await waiting
        finally:
            self._waiting.pop(identifier, None)
        if "error" in answer:
            raise ViewRefusedError(method, answer["error"])
        result: JsonObject = answer["result"]
        return result

    async def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Tell the host anything."""
        await self._post(jsonrpc.notification(method, dict(params or {})))

    async def _post(self, message: JsonObject) -> None:
        self.sent.append(message)
        await self._send(message)

    async def wait_for(self, method: str, *, seconds: float = SECONDS) -> JsonObject:
        """Return the parameters of the first notification with this method, old or new.

        Raises:
            TimeoutError: There was none.
        """

        def told() -> JsonObject | None:
            return next((m for m in self.heard if m.get("method") == method), None)

        async with asyncio.timeout(seconds), self._told:
            await self._told.wait_for(lambda: told() is not None)
        found: JsonObject = (told() or {}).get("params") or {}
        return found

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, seconds: float = SECONDS
    ) -> mcp_types.CallToolResult:
        """Call a tool of the view's own server, as `app.callServerTool` does.

        Below a namespace, the name its author wrote reaches it as well.

        Raises:
            ViewRefusedError: The tool is not for pages, or the server refused.
        """
        params = {"name": self.names.get(name, name), "arguments": dict(arguments or {})}
        answer = await self.request(Method.TOOLS_CALL, params, seconds=seconds)
        return mcp_types.CallToolResult.model_validate(answer)

    async def list_tools(self) -> list[mcp_types.Tool]:
        """List the tools that the view may call."""
        answer = await self.request(Method.TOOLS_LIST)
        return mcp_types.ListToolsResult.model_validate(answer).tools

    async def read_resource(self, uri: str) -> mcp_types.ReadResourceResult:
        """Read a resource of the view's own server.

        Raises:
            ViewRefusedError: The host lets pages read other schemes only.
        """
        answer = await self.request(Method.RESOURCES_READ, {"uri": uri})
        return mcp_types.ReadResourceResult.model_validate(answer)

    async def send_message(self, text: str) -> bool:
        """Put a text into the conversation; whether the host took it."""
        block = {"type": "text", "text": text}
        answer = await self.request(Method.MESSAGE, {"role": "user", "content": [block]})
        return answer.get("isError") is not True

    async def update_context(
        self, text: str | None = None, data: Mapping[str, Any] | None = None
    ) -> None:
        """Tell the model something for its next turns, in place of what was told before."""
        params: JsonObject = {}
        if text is not None:
            params["content"] = [{"type": "text", "text": text}]
        if data is not None:
            params["structuredContent"] = dict(data)
        await self.request(Method.UPDATE_MODEL_CONTEXT, params)

    async def open_link(self, url: str) -> bool:
        """Have a link opened; whether the host did."""
        answer = await self.request(Method.OPEN_LINK, {"url": url})
        return answer.get("isError") is not True

    async def request_display_mode(self, mode: str) -> str:
        """Ask for another display mode; the mode it is in then."""
        return str((await self.request(Method.REQUEST_DISPLAY_MODE, {"mode": mode}))["mode"])

    async def resize(self, width: float, height: float) -> None:
        """Tell the host how large the view would like to be."""
        await self.notify(Method.SIZE_CHANGED, {"width": width, "height": height})

    async def log(self, data: Any, level: str = "info") -> None:
        """Log something with the host."""
        await self.notify(Method.LOG, {"level": level, "data": data})

    def offer_tool(
        self,
        name: str,
        function: Callable[..., Any],
        *,
        schema: JsonObject | None = None,
        read_only: bool = True,
    ) -> None:
        """Offer a tool of the view's own; before `connect`, as it is declared there."""
        self.tools[name] = (
            {
                "name": name,
                "inputSchema": schema or {"type": "object"},
                "annotations": {"readOnlyHint": read_only},
            },
            function,
        )


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


def _called(value: Any) -> JsonObject:
    if isinstance(value, mcp_types.CallToolResult):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    data = as_object(value)
    text = {"content": [{"type": "text", "text": str(value)}]}
    return text if data is None else {**text, "structuredContent": data}
