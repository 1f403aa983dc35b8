"""Questions to the user in front of one window, and their answers."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp_apps_plugin.protocol.shapes import JsonObject

    Say = Callable[[JsonObject], None]
    """Brings a message to the window, in order; never waits."""


class Questions:
    """The open questions of one window.

    Args:
        say: The way to the window.
    """

    def __init__(self, say: Say) -> None:
        self._say = say
        self._numbers = count(1)
        self._open: dict[int, asyncio.Future[JsonObject | None]] = {}

    async def ask(self, kind: str, **details: Any) -> JsonObject | None:
        """Ask, and wait for as long as the user takes.

        Args:
            kind: What is asked; the window has a form for each.
            **details: What the form shows.

        Returns:
            The answer, or `None` when the question was dismissed or the window is gone.
        """
        number = next(self._numbers)
        answer: asyncio.Future[JsonObject | None] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        self._say({"type": "ask", "question": number, "kind": kind, **details})
        try:
            return await answer
        finally:
            self._open.pop(number, None)
            self._say({"type": "asked", "question": number})

    def answer(self, number: int, value: JsonObject | None) -> None:
        """Take an answer; one to a question that is closed is nobody's."""
        answer = self._open.get(number)
        if answer is not None and not answer.done():
            answer.set_result(value)

    def drop(self) -> None:
        """The window is gone: nobody will answer."""
        for number in tuple(self._open):
            self.answer(number, None)
