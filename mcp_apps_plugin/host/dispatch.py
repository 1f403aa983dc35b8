"""From a message to its handler: admission first, then the table, then the answer."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mcp import MCPError
from pydantic import BaseModel, ValidationError

from mcp_apps_plugin.host.inflight import InFlight
from mcp_apps_plugin.host.limits import Limits, RateLimit, size_problem
from mcp_apps_plugin.host.refusals import Reason, Refusals, RefusedError
from mcp_apps_plugin.protocol import jsonrpc
from mcp_apps_plugin.protocol.messages import SANDBOX_PREFIX, CancelledParams, Method

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mcp_apps_plugin.host.calls import ViewCalls
    from mcp_apps_plugin.host.lifecycle import Lifecycle
    from mcp_apps_plugin.host.outbox import Outbox
    from mcp_apps_plugin.protocol.shapes import JsonObject

logger = logging.getLogger(__name__)

_TOO_MANY: Final = "Too many messages; wait a moment."
_TOO_EARLY: Final = "Finish the handshake first: send ui/notifications/initialized."


@dataclass(frozen=True, slots=True)
class RequestRoute:
    """Who answers a request.

    Attributes:
        params: What its parameters have to be.
        handler: Returns the result; may raise `RefusedError` or `mcp.MCPError`.
        early: Whether it is answered before the handshake has ended, and at once, in order.
    """

    params: type[BaseModel]
    handler: Callable[[Any], Awaitable[JsonObject]]
    early: bool = False


@dataclass(frozen=True, slots=True)
class NotificationRoute:
    """Who hears a notification.

    Attributes:
        params: What its parameters have to be.
        handler: Takes it.
        early: Whether it is heard before the handshake has ended, and at once, in order.
        ordered: Whether it waits for those before it that are ordered too.
    """

    params: type[BaseModel]
    handler: Callable[[Any], Awaitable[None]]
    early: bool = False
    ordered: bool = False


class Dispatcher:
    """The way in of one bridge.

    Args:
        requests: Who answers which request.
        notifications: Who hears which notification.
        outbox: The way out.
        calls: Who waits for answers of the view.
        refusals: Where refusals are noted.
        limits: How much is let in.
        lifecycle: Whether the handshake has ended.
    """

    def __init__(
        self,
        requests: Mapping[str, RequestRoute],
        notifications: Mapping[str, NotificationRoute],
        *,
        outbox: Outbox,
        calls: ViewCalls,
        refusals: Refusals,
        limits: Limits,
        lifecycle: Lifecycle,
    ) -> None:
        self._requests = requests
        self._notifications = notifications
        self._outbox = outbox
        self._calls = calls
        self._refusals = refusals
        self._limits = limits
        self._life = lifecycle
        self._rate = RateLimit(limits.messages_per_second, limits.message_burst)
        self._answering = InFlight(limits.open_requests)
        self._hearing = InFlight(limits.open_requests)
        self._turn = asyncio.Lock()

    async def take_text(self, text: str | bytes) -> None:
        """Take one message as JSON text; its size is checked before it is parsed."""
        size = _size(text)
        if size > self._limits.message_bytes:
            self._refusals.note(Reason.TOO_LARGE, f"a message of {size} bytes")
            return
        try:
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._refusals.note(Reason.MALFORMED, f"a message that is no JSON: {error}")
            return
        await self.take(message)

    async def take(self, message: object) -> None:
        """Take one message. Never raises for what is in it, never waits for its answer."""
        kind = jsonrpc.classify(message)
        if isinstance(kind, jsonrpc.Malformed):
            code = jsonrpc.INVALID_REQUEST
            await self._refuse(kind.id, Reason.MALFORMED, f"The message {kind.problem}", code)
        elif isinstance(kind, jsonrpc.Response):
            self._take_answer(kind, message)
        elif isinstance(kind, jsonrpc.Request):
            if await self._admit(kind.id, kind.method, message):
                await self._take_request(kind)
        elif await self._admit(None, kind.method, message):
            await self._take_notification(kind)

    def _take_answer(self, answer: jsonrpc.Response, message: object) -> None:
        if not self._calls.expects(answer.id):
            self._refusals.note(Reason.UNKNOWN_ANSWER, f"an answer to {answer.id!r}")
            return
        problem = size_problem(message, self._limits.message_bytes, self._limits.message_depth)
        if problem:
            self._refusals.note(Reason.TOO_LARGE, f"an answer that {problem}")
            answer = jsonrpc.Response(answer.id, None, {"message": f"The answer {problem}"})
        self._calls.resolve(answer)

    async def _admit(
        self, identifier: jsonrpc.RequestId | None, method: str, message: object
    ) -> bool:
        if not self._rate.take():
            await self._refuse(identifier, Reason.TOO_MANY, _TOO_MANY, detail=method)
            return False
        problem = size_problem(message, self._limits.message_bytes, self._limits.message_depth)
        if problem:
            code = jsonrpc.INVALID_REQUEST
            await self._refuse(identifier, Reason.TOO_LARGE, f"The message {problem}", code)
            return False
        return True

    async def _take_request(self, request: jsonrpc.Request) -> None:
        route = self._requests.get(request.method)
        if route is None:
            code = jsonrpc.METHOD_NOT_FOUND
            await self._refuse(
                request.id, Reason.UNKNOWN_METHOD, "Method not found", code, detail=request.method
            )
        elif not route.early and not self._life.ready:
            await self._refuse(
                request.id, Reason.BEFORE_HANDSHAKE, _TOO_EARLY, detail=request.method
            )
        elif route.early:
            await self._answer(request, route)
        elif not self._answering.start(self._answer(request, route), request.id):
            await self._refuse(request.id, Reason.TOO_MANY, _TOO_MANY, detail=request.method)

    async def _answer(self, request: jsonrpc.Request, route: RequestRoute) -> None:
        try:
            result = await route.handler(self._params(request, route.params))
        except RefusedError as refusal:
            detail = f"{request.method}: {refusal.message}"
            await self._refuse(
                request.id, refusal.reason, refusal.message, refusal.code, detail=detail
            )
        except MCPError as error:
            await self._outbox.put(jsonrpc.error(request.id, error.code, error.message, error.data))
        except Exception:
            # Words of the host's own errors may name files or users; a page gets none of them.
            logger.exception("%s of a page failed", request.method)
            message = "The host failed; its log says why."
            await self._outbox.put(jsonrpc.error(request.id, jsonrpc.INTERNAL_ERROR, message))
        else:
            await self._outbox.put(jsonrpc.result(request.id, result))

    async def _take_notification(self, notification: jsonrpc.Notification) -> None:
        method = notification.method
        if method == Method.CANCELLED:
            self._cancel(notification)
            return
        route = self._notifications.get(method)
        if route is None:
            # Hosts have private ones under the sandbox prefix; they are nobody's fault.
            if not method.startswith(SANDBOX_PREFIX):
                self._refusals.note(Reason.UNKNOWN_METHOD, method)
        elif route.early:
            await self._hear(notification, route)
        elif not self._life.ready:
            self._refusals.note(Reason.BEFORE_HANDSHAKE, method)
        elif not self._hearing.start(self._hear(notification, route)):
            self._refusals.note(Reason.TOO_MANY, method)

    async def _hear(self, notification: jsonrpc.Notification, route: NotificationRoute) -> None:
        try:
            params = self._params(notification, route.params)
            if route.ordered:
                async with self._turn:
                    await route.handler(params)
            else:
                await route.handler(params)
        except RefusedError as refusal:
            self._refusals.note(refusal.reason, f"{notification.method}: {refusal.message}")
        except Exception:
            logger.exception("%s of a page failed", notification.method)

    def _cancel(self, notification: jsonrpc.Notification) -> None:
        try:
            params = self._params(notification, CancelledParams)
        except RefusedError as refusal:
            self._refusals.note(refusal.reason, f"{notification.method}: {refusal.message}")
        else:
            # Too late is no fault: the answer may have crossed it.
            self._answering.cancel(params.request_id)

    def _params(
        self, message: jsonrpc.Request | jsonrpc.Notification, model: type[BaseModel]
    ) -> Any:
        if message.params is None:
            problem = "params is no object"
        else:
            try:
                return model.model_validate(message.params)
            except ValidationError as error:
                # Places and kinds only: what the page sent is not sent back to it.
                problem = "; ".join(
                    f"{'.'.join(str(part) for part in item['loc'])}: {item['type']}"
                    for item in error.errors(include_url=False, include_input=False)[:5]
                )
        text = f"Invalid parameters: {problem}"
        raise RefusedError(Reason.INVALID_PARAMS, text, jsonrpc.INVALID_PARAMS)

    async def _refuse(
        self,
        identifier: jsonrpc.RequestId | None,
        reason: Reason,
        message: str,
        code: int = jsonrpc.DENIED,
        *,
        detail: str | None = None,
    ) -> None:
        self._refusals.note(reason, detail or message)
        if identifier is not None:
            await self._outbox.put(jsonrpc.error(identifier, code, message))

    async def close(self) -> None:
        """Cancel whatever is being answered or heard."""
        await self._answering.cancel_all()
        await self._hearing.cancel_all()


def _size(text: str | bytes) -> int:
    """Return the size of a message in bytes, as UTF-8."""
    if isinstance(text, bytes) or text.isascii():
        return len(text)
    # Half of a surrogate pair is refused once it is parsed; here it only counts.
    return len(text.encode(errors="surrogatepass"))
