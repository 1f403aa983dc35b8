"""The words for the model and for text-only clients: `text=` and `fallback=`.

A format string reads the structured result: `"{city}: {days[0].high:.0f} °C"`. Dots and
brackets go through objects and arrays of the result only, never into Python attributes.
"""

from __future__ import annotations

import inspect
from string import Formatter
from typing import TYPE_CHECKING, Any, TypeAlias

from mcp_apps_plugin.protocol.findings import AppsTypeError, AppsValueError, Code, Finding
from mcp_apps_plugin.protocol.shapes import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Text: TypeAlias = "str | Callable[[Any], Any]"
"""A format string over the structured result, or a function of what the handler returned."""


class _ResultFormatter(Formatter):
    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        del args
        value: Any = kwargs
        for key in _path(field_name):
            items = as_list(value)
            fields = as_object(value)
            if items is not None:
                value = items[int(key)]
            elif fields is not None:
                value = fields[key]
            else:
                raise KeyError(field_name)
        return "" if value is None else value, field_name


_FORMATTER = _ResultFormatter()


def check_text(text: object, option: str, subject: str) -> None:
    """Refuse what can never become text.

    Raises:
        AppsTypeError: Neither a string nor a plain function (`text-invalid`).
        AppsValueError: The format string does not parse, or has a field without a name.
    """
    if text is None or (callable(text) and not inspect.iscoroutinefunction(text)):
        return
    if not isinstance(text, str):
        what = "is a coroutine function" if callable(text) else f"is {type(text).__name__}"
        problem = f"`{option}=` {what}; it takes a format string or a function that returns one."
        raise AppsTypeError(text_finding(subject, problem))
    try:
        names = text_fields(text)
        for _, _, _, conversion in _FORMATTER.parse(text):
            _FORMATTER.convert_field("", conversion)
    except ValueError as error:
        raise AppsValueError(text_finding(subject, f"`{option}={text!r}`: {error}.")) from None
    if any(not name or name[0].isdigit() for name in names):
        problem = f"`{option}={text!r}` has a field without a name."
        raise AppsValueError(text_finding(subject, problem))


def text_fields(template: str) -> list[str]:
    """List the first part of every field of a format string: `days` for `{days[0].high}`."""
    return [
        _path(name)[0] if name else ""
        for _, name, _, _ in _FORMATTER.parse(template)
        if name is not None
    ]


def render_text(text: Text, returned: object, structured: Mapping[str, Any] | None) -> Any:
    """Make the content of a result.

    Args:
        text: The author's `text=` or `fallback=`.
        returned: What the handler returned.
        structured: The structured result.

    Returns:
        A string, or whatever a function returned: content blocks, or `None` to keep the
        content as it was.

    Raises:
        Exception: Whatever the author's function or format raises; the caller keeps the
            result and logs it.
    """
    if callable(text):
        return text(returned)
    return _FORMATTER.vformat(text, (), structured or {})


def text_finding(subject: str, problem: str) -> Finding:
    """Say that a `text=` or `fallback=` cannot work."""
    return Finding(
        code=Code.TEXT_INVALID,
        subject=subject,
        problem=problem,
        consequence="The model and text-only clients would read the raw JSON.",
        remedy='Name fields of the structured result, for example `text="{city}: {high} °C"`.',
    )


def _path(field_name: str) -> list[str]:
    return [part for part in field_name.replace("[", ".").replace("]", "").split(".") if part] or [
        ""
    ]
