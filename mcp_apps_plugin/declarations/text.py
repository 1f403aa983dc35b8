"""The words for the model and for text-only clients: `text=` and `fallback=`.

A format string reads the structured result: `"{city}: {days[0].high:.0f} °C"`. Dots and
brackets go through objects and arrays of the result only, never into Python attributes.
"""

from __future__ import annotations

import inspect
from string import Formatter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from mcp_apps_plugin.protocol.findings import (
    AppsTypeError,
    AppsValueError,
    Code,
    Finding,
    did_you_mean,
)
from mcp_apps_plugin.protocol.shapes import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Text: TypeAlias = "str | Callable[[Any], Any]"
"""A format string over the structured result, or a function of what the handler returned."""


class TextField(NamedTuple):
    """One field of a format string.

    Attributes:
        name: As it is written: `days[0].high`.
        path: The keys that lead to it: `days`, `0`, `high`.
        format: What stands behind the colon: `.0f`.
        converted: Whether it is made a text first: `!r`.
    """

    name: str
    path: tuple[str, ...]
    format: str = ""
    converted: bool = False


class _Nothing:
    """A `null` of the result: it has no words, whatever format it is asked for."""

    def __format__(self, spec: str) -> str:
        return ""

    def __str__(self) -> str:
        return ""

    __repr__ = __str__


class _ResultFormatter(Formatter):
    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        del args
        value: Any = kwargs
        for key in _path(field_name):
            items = as_list(value)
            fields = as_object(value)
            if items is not None and is_index(key) and -len(items) <= int(key) < len(items):
                value = items[int(key)]
            elif fields is not None and key in fields:
                value = fields[key]
            else:
                raise LookupError(_missing(field_name, key, value))
        return _Nothing() if value is None else value, field_name


def is_index(key: str) -> bool:
    """Tell whether a key can be the position of an item: `0`, or `-1` for the last one."""
    return key.removeprefix("-").isdecimal()


def _missing(field_name: str, key: str, value: object) -> str:
    items, fields = as_list(value), as_object(value)
    if fields is not None:
        what = f"there is no `{key}`.{did_you_mean(key, fields)}"
    elif items is not None:
        what = f"`{key}` is none of its {len(items)} items"
    else:
        what = f"{type(value).__name__} has no `{key}`"
    return f"`{field_name}`: {what}".rstrip(".")


_FORMATTER = _ResultFormatter()


_NAMES = 'Name fields of the structured result, for example `text="{city}: {high} °C"`.'
_FUNCTION = "Give it one parameter: what the handler returned."


def check_text(text: object, option: str, subject: str) -> None:
    """Refuse what can never become text.

    Raises:
        AppsTypeError: Neither a string nor a plain function (`text-invalid`).
        AppsValueError: The format string does not parse, or has a field without a name.
    """
    if text is None:
        return
    if callable(text) and not inspect.iscoroutinefunction(text):
        if not _takes_one(text):
            problem = f"`{option}=` is a function that cannot be called with the result alone."
            raise AppsTypeError(text_finding(subject, problem, _FUNCTION))
        return
    if not isinstance(text, str):
        what = "is a coroutine function" if callable(text) else f"is {type(text).__name__}"
        problem = f"`{option}=` {what}; it takes a format string or a function that returns one."
        raise AppsTypeError(text_finding(subject, problem))
    try:
        names = [field.path[0] for field in fields_of(text)]
        for _, _, _, conversion in _FORMATTER.parse(text):
            _FORMATTER.convert_field("", conversion)
    except ValueError as error:
        raise AppsValueError(text_finding(subject, f"`{option}={text!r}`: {error}.")) from None
    if any(not name or name[0].isdigit() for name in names):
        problem = f"`{option}={text!r}` has a field without a name."
        raise AppsValueError(text_finding(subject, problem))


def fields_of(template: str) -> list[TextField]:
    """List the fields of a format string."""
    return [
        TextField(name, tuple(_path(name)), spec or "", conversion is not None)
        for _, name, spec, conversion in _FORMATTER.parse(template)
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


def text_finding(subject: str, problem: str, remedy: str = _NAMES) -> Finding:
    """Say that a `text=` or `fallback=` cannot work."""
    return Finding(
        code=Code.TEXT_INVALID,
        subject=subject,
        problem=problem,
        consequence="The model and text-only clients would read the raw JSON.",
        remedy=remedy,
    )


def _takes_one(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # one that hides what it takes; its first call tells
        return True
    return True


def _path(field_name: str) -> list[str]:
    return [part for part in field_name.replace("[", ".").replace("]", "").split(".") if part] or [
        ""
    ]
