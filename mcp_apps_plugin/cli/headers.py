"""`--header "Name: value"`: what a server that runs elsewhere asks of every request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.cli.load import LoadError

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")  # no line of its own, no other header


def read_headers(given: Iterable[str]) -> dict[str, str]:
    """Read headers as they are written on the command line.

    Args:
        given: Each `Name: value`.

    Returns:
        The values by name. Of two with one name, the later.

    Raises:
        LoadError: One is none. The message leaves out what it holds: it may be a secret.
    """
    headers: dict[str, str] = {}
    for place, text in enumerate(given, 1):
        name, colon, value = text.partition(":")
        name, value = name.strip(), value.strip()
        if not colon or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            message = (
                f"--header number {place} is no header. "
                'Write a name, a colon and a value: --header "Authorization: Bearer …".'
            )
            raise LoadError(message)
        headers[name] = value
    return headers
