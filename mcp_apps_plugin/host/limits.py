"""How much a page may send: size, depth and rate of messages, and what is open at once."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_INTEGER_BITS: Final = 64
_NO_KEY: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one bridge. Past them a request is answered with an error, the rest dropped.

    Attributes:
        message_bytes: The size of one message as JSON, about.
        message_depth: How deeply one message may be nested.
        messages_per_second: How many messages a page may send in the long run.
        message_burst: How many it may send at once.
        open_requests: How many of its requests may be open at once.
        outgoing_messages: How many messages may wait for the embedder to take them; past that
            whoever sends one waits.
        documents: How often the page may be loaded anew through the sandbox proxy.
        app_tools: How many tools of a page are listed (specification's draft: 50).
        app_tool_seconds: How long one call of a page's tool may take (draft: 30).
    """

    message_bytes: int = 10 * 1024 * 1024
    message_depth: int = 64
    messages_per_second: float = 200.0
    message_burst: int = 400
    open_requests: int = 32
    outgoing_messages: int = 1024
    documents: int = 16
    app_tools: int = 50
    app_tool_seconds: float = 30.0


class RateLimit:
    """A bucket of tokens that fills with time.

    Args:
        per_second: How many tokens come back each second.
        burst: How many the bucket holds; it starts full.
        clock: Seconds that only grow.
    """

    def __init__(
        self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._clock = clock
        self._tokens = self._burst
        self._filled = clock()

    def take(self) -> bool:
        """Take one token; `False` when there is none."""
        now = self._clock()
        gained = (now - self._filled) * self._per_second
        self._tokens = min(self._burst, self._tokens + gained)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


def size_problem(message: object, max_bytes: int, max_depth: int) -> str | None:
    """Say what keeps `message` from being JSON of a bearable size, or `None`.

    Walks without recursion and stops at the first excess, so that the check itself cannot be
    used against the host.
    """
    left = max_bytes
    level: list[object] = [message]
    for _ in range(max_depth):
        below: list[object] = []
        for value in level:
            members = _members(value)
            cost = _leaf_cost(value) if members is None else 2 + len(members)
            if isinstance(cost, str):
                return cost
            left -= cost
            if left < 0:
                return f"is larger than {max_bytes} bytes."
            below.extend(members or ())
        if not below:
            return None
        level = below
    return f"is nested deeper than {max_depth} levels."


def _members(value: object) -> list[object] | None:
    """Keys and values of an object, or the items of an array; `None` for anything else."""
    if isinstance(value, dict):
        body = cast("dict[object, object]", value)
        # A key that is no string shows as such: it is no JSON value below either.
        keys = [key if isinstance(key, str) else _NO_KEY for key in body]
        return [*keys, *body.values()]
    return cast("list[object]", value) if isinstance(value, list) else None


def _leaf_cost(value: object) -> int | str:
    """The size of a value that has no members, or what is wrong with it."""
    if isinstance(value, str):
        try:
            return len(value) + 3 if value.isascii() else len(value.encode()) + 3
        except UnicodeEncodeError:
            # Half of a surrogate pair: no transport could carry it on.
            return "has text that is no Unicode."
    if value is None or isinstance(value, bool):
        return 5
    if isinstance(value, int):
        return 20 if value.bit_length() <= _MAX_INTEGER_BITS else "has a number too large."
    if isinstance(value, float):
        return 20 if math.isfinite(value) else "has a number that JSON has not."
    if value is _NO_KEY:
        return "has a key that is no string."
    return f"has a {type(value).__name__} in it, which is no JSON."
