"""The four string formats that a form may ask for."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_BEYOND_ASCII = r"\u0080-\U0010ffff"
_ATOM = rf"[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~{_BEYOND_ASCII}-]+"
_LABEL = rf"[A-Za-z0-9{_BEYOND_ASCII}]+(?:-+[A-Za-z0-9{_BEYOND_ASCII}]+)*"
_EMAIL = re.compile(
    rf'(?:{_ATOM}(?:\.{_ATOM})*|"[^"\\\x00-\x1f]+")@(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:.]+\])'
)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x1f\x7f\"<>\\^`{|}]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]"
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:[Zz]|[+-](?P<hours>[0-9]{2}):(?P<minutes>[0-5][0-9]))"
)
_WITH_HOST = frozenset({"http", "https", "ws", "wss", "ftp"})
_MAX_OFFSET = 14 * 60


def is_email(value: str) -> bool:
    """Tell whether a string is one e-mail address, without a display name."""
    return _EMAIL.fullmatch(value) is not None


def is_uri(value: str) -> bool:
    """Tell whether a string is an absolute URI."""
    if _URI.fullmatch(value) is None:
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme not in _WITH_HOST or bool(parts.hostname)
    except ValueError:
        return False


def is_date(value: str) -> bool:
    """Tell whether a string is a day that exists, as `2026-02-28`."""
    if _DATE.fullmatch(value) is None:
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_date_time(value: str) -> bool:
    """Tell whether a string is an RFC 3339 time with its zone."""
    found = _DATE_TIME.fullmatch(value)
    if found is None or not is_date(found["day"]):
        return False
    return int(found["hours"] or 0) * 60 + int(found["minutes"] or 0) <= _MAX_OFFSET


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "email": is_email,
    "uri": is_uri,
    "date": is_date,
    "date-time": is_date_time,
}
"""The check of each format; other formats say nothing."""
