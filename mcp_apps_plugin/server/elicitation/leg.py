"""One leg of a request: what was answered before it, and what it asks in turn.

In the modern era a server cannot ask while a request runs. It answers with its questions, and the
client sends the request again with the answers. A handler that has to ask is therefore *ended*:
its task is cancelled, as at a disconnect, so that `finally`, `async with` and task groups behave,
and `asyncio.gather` takes its siblings along. A raised exception would do neither.

Before that, the leg waits until nothing new has been asked for some turns of the event loop, so
that questions asked side by side go out together, and for `once` steps, which must not be cut off.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar, copy_context
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from mcp_types import ElicitResult

from mcp_apps_plugin.server.elicitation.holds import Holds, wait_for_user
from mcp_apps_plugin.server.elicitation.kept import asks, kept
from mcp_apps_plugin.server.elicitation.state import State

if TYPE_CHECKING:
    import contextvars
    from collections.abc import Awaitable, Mapping

    from fastmcp import Context, FastMCP
    from fastmcp.server.middleware import CallNext, MiddlewareContext
    from mcp_types import InputRequest, InputResponses

    from mcp_apps_plugin.protocol.shapes import JsonObject
    from mcp_apps_plugin.server.elicitation.path import Path

CARRIERS: Final = frozenset({"tools/call", "prompts/get", "resources/read"})
"""The requests that may be answered with questions."""

QUIET_TURNS: Final = 50
"""Turns of the event loop without a new question, about half a millisecond when idle."""

current_leg: Final[ContextVar[Leg | None]] = ContextVar("mcp_apps_leg", default=None)
"""The leg that code runs in, or `None` outside of a request."""


_NO_HINTS: Final[Mapping[str, JsonObject]] = MappingProxyType({})


class Leg:
    """One request as it came over the wire, and a `with` block around its handler.

    A handler that asks is ended in the block: nothing comes out of it, and `asks_client` says so.
    Most ask nothing, so what only a question needs is made with the first one.

    Args:
        server: The server that the client talks to; a handler may stand on one mounted below.
        method: The request's method, one of `CARRIERS`.

    Attributes:
        server: As given.
        method: As given.
        outermost: Whether it comes from a client, as each leg does.
        entered: Whether a handler runs in it already: a mounted server's call is the same leg.
        context: The request as FastMCP's middleware sees it, once its handler runs.
        resumed: Whether this leg brought answers or a state; known once `state` was called.
        suspended: Whether the handler was ended because it asks.
        hints: What the wire has to put back: the `_meta` of questions, by key.
    """

    outermost: Final = True
    context: MiddlewareContext[Any] | None = None
    resumed = False
    _closed = False
    _task: asyncio.Task[Any] | None = None
    _cancelling = 0
    _surroundings: contextvars.Context | None = None
    _holds: Holds | None = None
    _state: State | None = None
    _stalled = False
    _quiet = 0
    _ticking = False

    def __init__(self, server: FastMCP[Any], method: str) -> None:
        self.server = server
        self.method = method
        # What every leg reads is found faster on the object than on its class.
        self.entered = False
        self.suspended = False
        self.hints = _NO_HINTS
        self._waiting: tuple[asyncio.Future[None], ...] = ()

    @cached_property
    def asked(self) -> dict[str, InputRequest]:
        """The questions of this leg, by key."""
        return {}

    @cached_property
    def finished(self) -> dict[str, Any]:
        """The results of calls that had asked, by key."""
        return {}

    @cached_property
    def steps(self) -> dict[str, asyncio.Future[Any]]:
        """The `once` steps of this leg, by key."""
        return {}

    @cached_property
    def _came(self) -> list[tuple[object, Path]]:
        return []

    @cached_property
    def _arrived(self) -> dict[str, JsonObject]:
        return {}

    @cached_property
    def _used(self) -> dict[str, int]:
        return {}

    @property
    def holds(self) -> Holds:
        """What its handler's end has to wait for; most legs wait for nothing."""
        if self._holds is None:
            self._holds = Holds(self._stir)
        return self._holds

    @property
    def touched(self) -> bool:
        """Whether its handler asked, or kept a step's result."""
        return bool(self.asked or self.steps) or (
            self._state is not None and self._state != State()
        )

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The event loop its handler runs in, while it runs."""
        return None if self._task is None else self._task.get_loop()

    @property
    def is_open(self) -> bool:
        """Whether questions can be asked in it: its handler still runs."""
        return self.entered and not self._closed

    def surroundings(self) -> contextvars.Context:
        """Return what code has to run in that acts for this request from outside of it."""
        assert self._surroundings is not None  # noqa: S101  its handler runs
        return self._surroundings.copy()

    def state(self, ctx: Context) -> State:
        """Return the memory of the request; read when it is first wanted."""
        if self._state is None:
            came, text = ctx.input_responses, ctx.request_state
            self.resumed = came is not None or text is not None
            state = self._state = State.read(text)
            arrived = {**state.early, **_read(came, state)} if state.asked else {}
            # What nobody asked for is ignored, and so are answers without the state that asked.
            self._arrived = {key: arrived[key] for key in state.asked if key in arrived}
            self._stalled = bool(self._arrived)
        return self._state

    def take(self, key: str) -> JsonObject | None:
        """Take the answer that arrived for a question, once."""
        answer = self._arrived.pop(key, None)
        if answer is not None:
            self._stalled = False
        return answer

    def next_state(self) -> State:
        """Return what the next leg has to know."""
        state = self._state or State()
        state.calls.update((key, {"result": kept(each)}) for key, each in self.finished.items())
        # An answer whose question was not reached this time may be wanted the next time.
        state.early = dict(self._arrived)
        state.asked = [*self.asked, *(key for key in state.early if key not in self.asked)]
        state.stalls = state.stalls + 1 if self._stalled else 0
        return state

    def next_key(self, base: str) -> str:
        """Number the questions that cannot be told apart."""
        count = self._used[base] = self._used.get(base, 0) + 1
        return base if count == 1 else f"{base}-{count}"

    def claim(self, key: str) -> bool:
        """Take a key an author chose; `False` when it is taken."""
        return self.next_key(key) == key

    async def ask(self, requests: Mapping[str, InputRequest]) -> None:
        """Ask in this leg. Never returns: the handler is ended.

        Args:
            requests: The questions, by key. A call that only wants to be called again has none.
        """
        assert self.loop is not None  # noqa: S101  the caller looked whether it is open
        wait_for_user(self.holds)
        self.asked.update(requests)
        never = self.loop.create_future()
        self._waiting = (*self._waiting, never)
        self._stir()
        try:
            await never
        finally:
            self._waiting = tuple(each for each in self._waiting if each is not never)
            if not self.suspended:
                for key in requests:
                    self.asked.pop(key, None)  # a timeout or a failing sibling took it back

    def __enter__(self) -> Self:
        return self

    def run(self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]) -> Awaitable[Any]:
        """Run the handler, in this task."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  code that awaits runs in a task
        self.entered = True
        self.context = context
        self._task = task
        self._cancelling = task.cancelling()
        self._surroundings = copy_context()
        return call_next(context)

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool | None:
        """Note that the handler is done, and hold back what is nothing but its interruption.

        Whatever became of that on its way out: a handler may have raised something else.
        """
        task = self._task
        self._closed = True
        # These lead back here: each request would be left, as a whole, to the garbage collector.
        self._surroundings = self._task = self._holds = None
        for never in self._waiting:
            never.cancel()
        if not self.suspended or isinstance(error, KeyboardInterrupt | SystemExit):
            return False
        assert task is not None  # noqa: S101  it ran
        return task.uncancel() <= self._cancelling

    def asks_client(self, result: object) -> bool:
        """Tell whether the client is asked: by the handler, or by what it got from elsewhere."""
        return self.suspended or asks(result)

    def path_of(self, result: Any, path: Path) -> Path:
        """Return the path of the call that a result came from which asks.

        Args:
            result: The result. It goes up the path unchanged, and may be handed on by a handler.
            path: The path of the call that returned it now; the first of them counts.
        """
        asked = result.input_required
        for known, first in self._came:
            if known is asked:
                return first
        self._came.append((asked, path))
        return path

    def _stir(self) -> None:
        """Begin to wait, or begin anew."""
        self._quiet = 0
        if self._waiting and not self._ticking and not self._closed and self.loop is not None:
            self._ticking = True
            self.loop.call_soon(self._tick)

    def _tick(self) -> None:
        self._ticking = False
        if self._closed or not self._waiting or self.holds.count:
            return  # a step that ends stirs again
        self._quiet += 1
        if self._quiet < QUIET_TURNS:
            self._ticking = True
            assert self.loop is not None  # noqa: S101  it ticks
            self.loop.call_soon(self._tick)
            return
        assert self._task is not None  # noqa: S101  it asked
        self.suspended = True
        self._task.cancel("the handler asks the user")


def _read(came: InputResponses | None, state: State) -> dict[str, JsonObject]:
    """Read the answers that came with a request; what answers no question counts for none."""
    by_calls = {
        f"{key}/{name}" for key, call in state.calls.items() for name in call.get("asked", ())
    }
    return {
        key: answer.model_dump(mode="json", by_alias=True, exclude_none=True)
        for key, answer in (came or {}).items()
        if isinstance(answer, ElicitResult) or key in by_calls
    }
