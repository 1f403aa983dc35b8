"""The tool's input and outcome on their way to the view: once each, in order, not too early.

The specification's order (*Notifications*, host to view): partial inputs, then the input once,
then either the result or the cancellation once, and none of it before the view has said that it
is initialized. Whatever the embedder knows earlier is held here.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from mcp import MCPError

from mcp_apps_plugin.host.errors import BridgeOrderError
from mcp_apps_plugin.protocol import jsonrpc
from mcp_apps_plugin.protocol.findings import Code, Finding
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from mcp_apps_plugin.host.outbox import Outbox
    from mcp_apps_plugin.protocol.shapes import JsonObject

_INPUT: Final = "input"
_OUTCOME: Final = "outcome"
_TWICE: Final = "was given twice."
_AFTER_CANCELLED: Final = "came after the call was cancelled."


class Delivery:
    """What one view is to be told about its tool call.

    Args:
        outbox: The way to the view.
    """

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._order = asyncio.Lock()
        self._open = False
        self._partial: JsonObject | None = None
        self._input: JsonObject | None = None
        self._outcome: tuple[Method, JsonObject] | None = None
        self._sent: set[str] = set()

    async def partial(self, arguments: JsonObject) -> bool:
        """Pass on the arguments as far as the model has written them.

        Returns:
            `False` when the whole input or the outcome is known: too late to be of use.
        """
        if self._input is not None or self._outcome is not None:
            return False
        self._partial = arguments  # only the latest is worth waiting for
        await self._advance()
        return True

    async def input(self, arguments: JsonObject) -> None:
        """Pass on the complete arguments.

        Raises:
            BridgeOrderError: They were given before, or the call has an outcome already.
        """
        if self._input is not None:
            raise _order_error(_INPUT, _TWICE)
        if self._outcome is not None and self._outcome[0] is Method.TOOL_CANCELLED:
            raise _order_error(_INPUT, _AFTER_CANCELLED)
        self._input = arguments
        await self._advance()

    async def outcome(self, method: Method, params: JsonObject) -> None:
        """Pass on the result or the cancellation. A result waits for the input.

        Raises:
            BridgeOrderError: There was an outcome before.
        """
        if self._outcome is not None:
            raise _order_error(_OUTCOME, _TWICE)
        self._outcome = (method, params)
        await self._advance()

    async def start(self) -> None:
        """The view is initialized: pass on what is known, and from now on at once."""
        self._open = True
        await self._advance()

    def restart(self) -> None:
        """The page was loaded anew: hold everything until it is initialized, then tell it again."""
        self._open = False
        self._sent.clear()

    async def _advance(self) -> None:
        async with self._order:
            if not self._open:
                return
            if self._partial is not None and self._input is None:
                partial, self._partial = self._partial, None
                await self._arguments(Method.TOOL_INPUT_PARTIAL, partial)
            if self._input is not None and _INPUT not in self._sent:
                self._sent.add(_INPUT)
                await self._arguments(Method.TOOL_INPUT, self._input)
            if self._outcome is None or _OUTCOME in self._sent:
                return
            method, params = self._outcome
            if _INPUT in self._sent or method is Method.TOOL_CANCELLED:
                self._sent.add(_OUTCOME)
                await self._outbox.put(jsonrpc.notification(method, params))

    async def _arguments(self, method: Method, arguments: JsonObject) -> None:
        await self._outbox.put(jsonrpc.notification(method, {"arguments": arguments}))


def reason_of(error: BaseException) -> str:
    """Say to a view why its tool has no result.

    The server's words are its page's to see; those of the host's process are not.
    """
    if isinstance(error, asyncio.CancelledError):
        return "The call was cancelled."
    return error.message if isinstance(error, MCPError) else "The call failed."


def _order_error(what: str, problem: str) -> BridgeOrderError:
    return BridgeOrderError(
        Finding(
            Code.BRIDGE_ORDER,
            f"tool {what}",
            problem,
            "A view takes each once; it would show the wrong thing.",
            "Make one bridge for each call of a tool.",
        )
    )
