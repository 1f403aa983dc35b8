"""One request, as one server runs it: who made it, and whether its handler asks in turn."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

from mcp_apps_plugin.server.elicitation.answers import answer_of
from mcp_apps_plugin.server.elicitation.inner import join
from mcp_apps_plugin.server.elicitation.kept import asks
from mcp_apps_plugin.server.elicitation.leg import current_leg

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from contextvars import Token

    from fastmcp.server.middleware import CallNext, MiddlewareContext

    from mcp_apps_plugin.server.elicitation.leg import Leg

_around: ContextVar[tuple[Leg | None, frozenset[str]]] = ContextVar(
    "mcp_apps_around", default=(None, frozenset())
)
"""The leg that this code runs in, and the kinds of request around it there."""


class ClientRequest:
    """A `with` block for a message that comes over the wire, whatever called for it here.

    A back end that runs in the same process as its proxy inherits the proxy's context. A request
    that has a leg needs none.
    """

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        leg, around = current_leg(), _around.get()
        nothing = leg is None and not around[1]
        self._token = None if nothing else _around.set((leg, frozenset()))

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _around.reset(self._token)


class Request:
    """A `with` block around what one server does for one request.

    In the modern era the handler may be ended in it because it asks the user: then nothing comes
    out of the block, and `answer` says what goes to the client instead.

    Attributes:
        outermost: Whether it comes from a client. The others come from a server that this one is
            mounted on, or from a handler.
    """

    __slots__ = ("_begun", "_leg", "_method", "_token", "outermost")

    def __init__(self, method: str | None) -> None:
        self._method = method
        self._token: Token[tuple[Leg | None, frozenset[str]]] | None = None
        self._begun = False

    def __enter__(self) -> Self:
        leg = self._leg = current_leg()
        method = self._method or ""
        # Where a leg tells, no context variable is set: every call of a tool comes through here.
        if leg is not None and leg.method == method and not leg.entered:
            self.outermost = True
            return self
        of, around = _around.get()
        if of is not leg:
            around = frozenset[str]() if leg is None else frozenset((leg.method,))
        self._token = _around.set((leg, around | {method}))
        self.outermost = method not in around
        return self

    def run(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Awaitable[Any]:
        """Run the handler of a request that may ask: as its leg, or inside of one."""
        leg = self._leg
        if leg is None:
            return call_next(context)
        if leg.entered:
            return join(leg, context, call_next)
        leg.begin(context)
        self._begun = True
        return call_next(context)

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool | None:
        if self._token is not None:
            _around.reset(self._token)
        return self._begun and self._leg is not None and self._leg.end(error)

    def asked(self, result: object) -> bool:
        """Tell whether the client is asked: by the handler, or by what it got from elsewhere."""
        leg = self._leg
        return self._begun and leg is not None and (leg.suspended or asks(result))

    async def answer(self, result: Any) -> Any:
        """Return what goes to the client that is asked."""
        assert self._leg is not None  # noqa: S101  nobody asks without one
        return await answer_of(self._leg, result)
