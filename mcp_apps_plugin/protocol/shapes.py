"""Reading JSON that others wrote: the value if it has the shape, else `None`."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

JsonObject: TypeAlias = dict[str, Any]


def as_object(value: object) -> JsonObject | None:
    """Return `value` if it is a JSON object."""
    return cast("JsonObject", value) if isinstance(value, dict) else None


def as_list(value: object) -> list[Any] | None:
    """Return `value` if it is a JSON array; a tuple counts, as Python code writes them."""
    return list(cast("list[Any]", value)) if isinstance(value, list | tuple) else None
