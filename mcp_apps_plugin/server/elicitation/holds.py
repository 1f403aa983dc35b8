"""What has to be done before a handler that asks is ended: its steps, its calls to back ends."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


class Holds:
    """Counts the reasons to wait.

    Args:
        released: Called whenever there is one less.
    """

    __slots__ = ("_released", "count")

    def __init__(self, released: Callable[[], None]) -> None:
        self._released = released
        self.count = 0

    @contextmanager
    def step(self) -> Generator[None]:
        """Run something that must not be cut off."""
        hold = _Hold(self)
        hold.take()
        try:
            yield
        finally:
            hold.release()

    @contextmanager
    def call(self) -> Generator[None]:
        """Run a call that must not be cut off once it has reached a back end."""
        hold = _Hold(self)
        token = _around.set((*_around.get(), hold))
        try:
            yield
        finally:
            _around.reset(token)
            hold.release()

    def change(self, by: int) -> None:
        """Count one more, or one less."""
        self.count += by
        if by < 0:
            self._released()


class _Hold:
    """One reason, which may be taken and given up."""

    __slots__ = ("_taken", "of")

    def __init__(self, of: Holds) -> None:
        self.of = of
        self._taken = False

    def take(self) -> None:
        if not self._taken:
            self._taken = True
            self.of.change(1)

    def release(self) -> None:
        if self._taken:
            self._taken = False
            self.of.change(-1)


_around: ContextVar[tuple[_Hold, ...]] = ContextVar("mcp_apps_holds", default=())


def reach_back_end(holds: Holds) -> None:
    """Note that the call around this code reaches a back end, if it is one of this leg."""
    around = _around.get()
    if around and around[-1].of is holds:
        around[-1].take()


def wait_for_user(holds: Holds) -> None:
    """Give up what is held by the calls around this code: they wait for the user now."""
    for hold in _around.get():
        if hold.of is holds:
            hold.release()
