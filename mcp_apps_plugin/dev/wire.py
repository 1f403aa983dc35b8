"""Everything that was said on both channels: client and server, host and page."""

from __future__ import annotations

import json
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from mcp_apps_plugin.protocol.shapes import JsonObject, as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Channel: TypeAlias = Literal["server", "view"]
"""Client and server, or host and page."""

Direction: TypeAlias = Literal["out", "in"]
"""From the host, or to the host."""

KEPT: Final = 2000
"""How many messages are kept."""

SENT_WHOLE: Final = 8_192
"""How long a body may be to be sent to the window unasked."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One message.

    Attributes:
        number: Its place, from 1 on.
        channel: Where it was said.
        direction: Which way it went.
        at: When, in milliseconds since the recording began.
        kind: `request`, `result`, `error`, `notification`, or `other` for what is no message.
        method: Its method; of an answer, that of the request.
        about: What the request was about: the name of a tool, a URI.
        took: Of an answer: how long it was waited for, in milliseconds.
        text: The message as JSON.
        headers: The HTTP headers that the era gives it.
    """

    number: int
    channel: Channel
    direction: Direction
    at: float
    kind: str
    method: str
    about: str
    took: float | None
    text: str
    headers: Mapping[str, str]

    def to_wire(self) -> JsonObject:
        """Return it as the window takes it; a long text is left out."""
        return {
            "number": self.number,
            "channel": self.channel,
            "direction": self.direction,
            "at": round(self.at, 1),
            "kind": self.kind,
            "method": self.method,
            "about": self.about,
            "took": None if self.took is None else round(self.took, 1),
            "size": len(self.text),
            "text": self.text if len(self.text) <= SENT_WHOLE else None,
            "headers": dict(self.headers),
        }


class Wire:
    """The record of one window.

    Args:
        on_entry: Told of each message.
        clock: Seconds that only grow.
    """

    def __init__(
        self, on_entry: Callable[[Entry], None], clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._on_entry = on_entry
        self._clock = clock
        self._began = clock()
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._open: dict[tuple[str, str, str], tuple[str, str, float]] = {}
        self._count = 0

    def record(
        self,
        channel: Channel,
        direction: Direction,
        message: Any,
        *,
        scope: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Record one message.

        Args:
            channel: Where it was said.
            direction: Which way it went.
            message: The message as JSON values.
            scope: Which connection or page, as ids are theirs alone.
            headers: The HTTP headers that go with it.
        """
        now = self._clock()
        body = as_object(message) or {}
        method, identifier = body.get("method"), json.dumps(body.get("id"), default=str)
        about, took = _about(body), None
        if isinstance(method, str):
            kind = "request" if "id" in body else "notification"
            if kind == "request":
                self._open[channel + scope, direction, identifier] = method, about, now
        elif "result" in body or "error" in body:
            kind = "result" if "result" in body else "error"
            other = "in" if direction == "out" else "out"
            method, about, asked = self._open.pop(
                (channel + scope, other, identifier), ("", "", now)
            )
            took = (now - asked) * 1000
        else:
            kind, method = "other", ""
        text = json.dumps(message, ensure_ascii=False, default=str)
        self._count += 1
        at = (now - self._began) * 1000
        entry = Entry(
            self._count,
            channel,
            direction,
            at,
            kind,
            method,
            about,
            took,
            text,
            headers or {},
        )
        self._entries.append(entry)
        self._on_entry(entry)

    def text(self, number: int) -> str | None:
        """Return a recorded message as JSON, or `None` when it is no longer kept."""
        return next((entry.text for entry in self._entries if entry.number == number), None)

    def forget(self) -> None:
        """Drop what was recorded; numbers go on."""
        self._entries.clear()
        self._open.clear()


def _about(message: Mapping[str, Any]) -> str:
    params = as_object(message.get("params")) or {}
    for key in ("name", "uri", "url", "mode", "level"):
        value = params.get(key)
        if isinstance(value, str):
            return value[:200]
    return ""
