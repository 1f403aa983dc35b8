"""Puts JSON into a page so that scripts can read it and HTML cannot be broken by it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from .document import insertion_point

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA_ID: Final = "mcp-app-data"
NAMES_ID: Final = "mcp-app-names"

_CLOSING: Final = "</script>"

# `<` could end or derail the script element; the two separators end lines in old JavaScript.
_UNSAFE: Final = str.maketrans({"<": "\\u003c", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def json_text(value: Any) -> str:
    """Write JSON that stays JSON, and stays in its place, inside a script element.

    Raises:
        TypeError: When the value is not JSON.
        ValueError: When it has NaN or an infinity, which JSON cannot say, or refers to itself.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: JSON can spell it, UTF-8 cannot carry it
        text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.translate(_UNSAFE)


def names_place(html: str) -> slice | None:
    """Return where the JSON of the tool names stands in a document that has it.

    What only looks like it, in a text or a script of the page's own, is passed over.
    """
    opening = _opening(NAMES_ID)
    found = html.find(opening)
    while found >= 0:
        start = found + len(opening)
        end = html.find("<", start)  # `json_text` writes none
        if html.startswith(_CLOSING, end) and _is_names(html[start:end]):
            return slice(start, end)
        found = html.find(opening, start)
    return None


def _is_names(text: str) -> bool:
    try:
        names: Any = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if not isinstance(names, dict):
        return False
    return all(isinstance(seen, str) for seen in cast("dict[str, object]", names).values())


def embed(
    html: str,
    *,
    data: Any = None,
    names: Mapping[str, str] | None = None,
    at: int | None = None,
) -> str:
    """Add data for the page's scripts to a document.

    Args:
        html: A full document.
        data: What `McpApp.data` will be. None adds nothing.
        names: The tool names the author wrote, mapped to those the server answers to where the
            page is mounted. None or empty adds nothing.
        at: The document's `insertion_point`, when it is known already.

    Raises:
        TypeError: When the data is not JSON.
        ValueError: When the data has NaN or an infinity, or refers to itself.
    """
    elements = ""
    if data is not None:
        elements += _element(DATA_ID, data)
    if names:
        elements += _element(NAMES_ID, dict(names))
    if not elements:
        return html
    point = insertion_point(html) if at is None else at
    return f"{html[:point]}{elements}{html[point:]}"


def _element(identifier: str, value: Any) -> str:
    return f"{_opening(identifier)}{json_text(value)}{_CLOSING}"


def _opening(identifier: str) -> str:
    return f'<script type="application/json" id="{identifier}">'
