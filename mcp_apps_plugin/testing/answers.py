"""What a test answers in the place of a user: checked, so that a wrong one says what is wrong."""

from __future__ import annotations

from typing import Any, Final, Literal

import mcp_types
from fastmcp.client.elicitation import ElicitResult  # FastMCP 4.0 knows no other
from pydantic_core import to_jsonable_python

from mcp_apps_plugin.checks.samples import sample_arguments
from mcp_apps_plugin.protocol.answers import check_answer
from mcp_apps_plugin.protocol.findings import AppsValueError, Code, Finding
from mcp_apps_plugin.protocol.shapes import JsonObject, as_object

_ACTIONS: Final = ("accept", "decline", "cancel")


def as_answer(
    given: object, message: str, form: JsonObject | None, option: str
) -> ElicitResult[Any]:
    """Read what a test gave as the answer to one question.

    Args:
        given: The fields to accept with, or a whole result, as a `dict` or an `ElicitResult`.
        message: The question in words.
        form: What it asks for, or `None` for a question that has no fields.
        option: Where the test said it: `answer=` or `elicitation=`.

    Raises:
        AppsValueError: It does not fit the form (`elicit-answer`).
    """
    action, content = _read(given)
    if action != "accept":
        return ElicitResult(action=action)
    if form is None:
        return ElicitResult(action="accept")
    fields = as_object(to_jsonable_python(content, fallback=str))
    if fields is None:
        problem = f"it takes the fields, not {type(content).__name__}"
        raise _wrong(given, message, form, option, problem)
    # What the form does not ask for goes on to the server, which has its own words for it.
    names = as_object(form.get("properties")) or {}
    _, problems = check_answer({name: fields[name] for name in names if name in fields}, form)
    if problems:
        said = "; ".join(
            f"{each.path.removeprefix('/content/')}: {each.message}".rstrip(".")
            for each in problems
        )
        raise _wrong(given, message, form, option, said)
    return ElicitResult(action="accept", content=fields)


def _read(given: object) -> tuple[Literal["accept", "decline", "cancel"], object]:
    """Return what is done with the question, and the fields."""
    if isinstance(given, mcp_types.ElicitResult):
        return given.action, given.content or {}
    fields = as_object(given) or {}
    # A form may have a field of that name, though hardly with one of these values.
    if not fields.keys() - {"action", "content"} and fields.get("action") in _ACTIONS:
        return fields["action"], fields.get("content") or {}
    return "accept", given


def _wrong(
    given: object, message: str, form: JsonObject, option: str, problem: str
) -> AppsValueError:
    example, _ = sample_arguments(form)
    return AppsValueError(
        Finding(
            code=Code.ELICIT_ANSWER,
            subject=f"the question {message!r}",
            problem=f"`{option}{given!r}` does not fit it: {problem}.",
            consequence="The tool gets no answer.",
            remedy=f"Answer with its fields, for example `{option}{example!r}`, or with "
            f'`{option}{{"action": "decline"}}`.',
        )
    )
