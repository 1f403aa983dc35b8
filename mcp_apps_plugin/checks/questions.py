"""What tools ask their user while they are called, and the answers that were given beforehand."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import mcp_types
from fastmcp.client.elicitation import ElicitResult  # FastMCP 4.0 knows no other

from mcp_apps_plugin.protocol.answers import check_answer
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

Answer: TypeAlias = "JsonObject | Literal['decline', 'cancel']"
"""The fields of one answer, or a user who gives none."""


class Unanswered(NamedTuple):
    """A question that a tool got no answer to."""

    question: str
    problem: str
    """Why it got none."""
    fields: tuple[str, ...]
    """What an answer would have."""


class Questions:
    """Answers what the tools of a server ask, in the order that they ask it.

    Where nothing is left to say, the question is kept, and cancelled as a user would who does not
    know either.

    Args:
        answers: The answers by tool.
    """

    def __init__(self, answers: Mapping[str, Sequence[Answer]]) -> None:
        self._answers = answers
        self._left: dict[str, list[Answer]] = {}
        self._unanswered: dict[str, Unanswered] = {}
        self._calling: ContextVar[str] = ContextVar("calling", default="")

    @contextmanager
    def during(self, tool: str) -> Generator[None]:
        """Take what is asked from here on for this tool's question.

        In the legacy era a question does not say which call it belongs to: one at a time, then.
        """
        self._left[tool] = list(self._answers.get(tool, ()))
        self._unanswered.pop(tool, None)
        token = self._calling.set(tool)
        try:
            yield
        finally:
            self._calling.reset(token)
            del self._left[tool]

    def unanswered(self, tool: str) -> Unanswered | None:
        """Return what a tool asked and got no answer to."""
        return self._unanswered.get(tool)

    async def __call__(
        self,
        message: str,
        response_type: type[Any] | None,
        params: mcp_types.ElicitRequestParams,
        context: Any,
    ) -> ElicitResult[Any]:
        """Answer one question, as `fastmcp.Client(elicitation_handler=…)` asks it."""
        del response_type, context
        tool = next(iter(self._left)) if len(self._left) == 1 else self._calling.get()
        left = self._left.get(tool, [])
        answer = left.pop(0) if left else None
        if isinstance(answer, str):
            return ElicitResult(action=answer)
        form = params if isinstance(params, mcp_types.ElicitRequestFormParams) else None
        schema = {} if form is None else form.requested_schema
        problem = "no answer is left for it" if answer is None else _misfit(answer, schema)
        if problem:
            fields = tuple(as_object(schema.get("properties")) or ())
            said = Unanswered(" ".join(message.split()), problem, fields)
            self._unanswered.setdefault(tool, said)
            return ElicitResult(action="cancel")
        return ElicitResult(action="accept", content=answer if form else None)


def _misfit(answer: JsonObject, schema: JsonObject) -> str:
    _, problems = check_answer(answer, schema)
    said = "; ".join(
        f"{each.path.removeprefix('/content/')}: {each.message}".rstrip(".") for each in problems
    )
    return f"the answer {answer!r} does not fit: {said}" if said else ""
