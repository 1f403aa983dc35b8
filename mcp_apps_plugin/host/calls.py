"""What the host asks of the view: ids, answers, timeouts."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING

from mcp_apps_plugin.host.errors import BridgeClosedError, ViewAnswerError, ViewTimeoutError
from mcp_apps_plugin.protocol import jsonrpc
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from mcp_apps_plugin.host.outbox import Outbox
    from mcp_apps_plugin.protocol.shapes import JsonObject


class ViewCalls:
    """The open requests of one bridge to its view.

    Args:
        outbox: The way to the view.
    """

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._ids = itertools.count()
        self._waiting: dict[jsonrpc.RequestId, asyncio.Future[JsonObject]] = {}

    async def request(self, method: str, params: JsonObject, seconds: float) -> JsonObject:
        """Ask the view and wait for its answer.

        Args:
            method: The method.
            params: The parameters.
            seconds: How long to wait.

        Returns:
            The `result` object.

        Raises:
            ViewTimeoutError: No answer in time; the view is told that none is wanted any more.
            ViewAnswerError: The view answered with an error.
            BridgeClosedError: The view went away meanwhile.
        """
        identifier = next(self._ids)
        answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._waiting[identifier] = answer
        try:
            async with asyncio.timeout(seconds):
                await self._outbox.put(jsonrpc.request(identifier, method, params))
                return await answer
        except TimeoutError:
            await self._abandon(identifier, "timeout")
            raise ViewTimeoutError(
                Finding(
                    Code.VIEW_TIMEOUT,
                    f"view request {method}",
                    f"was not answered within {seconds:g} s.",
                    "The host goes on without the answer.",
                    "Answer in the page, or give it more time.",
                )
            ) from None
        except asyncio.CancelledError:
            await self._abandon(identifier, "cancelled")
            raise
        finally:
            self._waiting.pop(identifier, None)
            if answer.done() and not answer.cancelled():
                answer.exception()  # seen, even where nobody got to await it

    async def _abandon(self, identifier: int, reason: str) -> None:
        params: JsonObject = {"requestId": identifier, "reason": reason}
        await self._outbox.offer(jsonrpc.notification(Method.CANCELLED, params))

    def expects(self, identifier: jsonrpc.RequestId) -> bool:
        """Tell whether an answer with this id is waited for. "0" is another id than 0."""
        return identifier in self._waiting

    def resolve(self, response: jsonrpc.Response) -> None:
        """Hand an expected answer to whoever waits for it. The first one counts."""
        answer = self._waiting[response.id]
        if answer.done():
            return
        if response.result is not None:
            answer.set_result(response.result)
        else:
            answer.set_exception(_error_of(response.error or {}))

    def abandon_all(self) -> None:
        """Let everyone who waits know that the view is gone."""
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(closed("view request"))


def _error_of(error: JsonObject) -> ViewAnswerError:
    code, message = error.get("code"), error.get("message")
    raised = ViewAnswerError(
        Finding(
            Code.VIEW_ANSWER,
            "view answer",
            f"is the error {str(message)[:200]!r}.",
            "The host goes on without the answer.",
            "Look at the page's own log.",
        )
    )
    raised.rpc_code = code if isinstance(code, int) else None
    return raised


def closed(subject: str) -> BridgeClosedError:
    """Build the error for what can no longer reach a view."""
    return BridgeClosedError(
        Finding(
            Code.BRIDGE_CLOSED,
            subject,
            "has no view to answer it.",
            "The view was torn down or loaded anew.",
            "Show the page again first.",
        )
    )


def cannot_elicit() -> ViewAnswerError:
    """Build the error for a view that did not say it answers elicitations."""
    return ViewAnswerError(
        Finding(
            Code.VIEW_ANSWER,
            "page",
            "did not declare `elicitation` in its `appCapabilities`.",
            "It cannot render the question; the native form does.",
            "Declare it in the page.",
        )
    )
