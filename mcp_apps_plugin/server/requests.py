"""One request, as one server runs it: whether it comes from a client, and what it is part of."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

from mcp_apps_plugin.server.elicitation.inner import join
from mcp_apps_plugin.server.elicitation.leg import Leg, current_leg

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from fastmcp.server.middleware import CallNext, MiddlewareContext

_around: ContextVar[tuple[Leg | None, frozenset[str]]] = ContextVar(
    "mcp_apps_around", default=(None, frozenset())
)
"""The leg that this code runs in, and the kinds of request around it there."""


def is_inside_request() -> bool:
    """Tell whether this code runs for another request, as a back end in its proxy's process does.

    It inherits the proxy's context.
    """
    return current_leg.get() is not None or bool(_around.get()[1])


class ClientRequest:
    """A `with` block for a message that comes over the wire, whatever called for it here.

    A request that has a leg needs none, nor does one that is inside of no other.
    """

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _around.set((current_leg.get(), frozenset()))

    def __exit__(self, *_: object) -> None:
        _around.reset(self._token)


def request_of(method: str) -> Leg | Request:
    """Return the `with` block around the handler of a request that may ask.

    Args:
        method: The request's method, one of `CARRIERS`.
    """
    leg = current_leg.get()
    # The leg itself for the outermost: every call of a tool comes through here.
    return Request(method) if leg is None or leg.entered else leg


class Request:
    """A `with` block around what one server does for one request.

    Args:
        method: The request's method.

    Attributes:
        outermost: Whether it comes from a client. The others come from a server that this one is
            mounted on, or from a handler.
    """

    __slots__ = ("_leg", "_method", "_token", "outermost")

    def __init__(self, method: str) -> None:
        self._method = method

    def __enter__(self) -> Self:
        leg = self._leg = current_leg.get()
        of, around = _around.get()
        if of is not leg:
            around = frozenset[str]() if leg is None else frozenset((leg.method,))
        self._token = _around.set((leg, around | {self._method}))
        self.outermost = self._method not in around
        return self

    def run(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Awaitable[Any]:
        """Run the handler, inside of the leg around it if there is one."""
        return call_next(context) if self._leg is None else join(self._leg, context, call_next)

    def __exit__(self, *_: object) -> None:
        _around.reset(self._token)
