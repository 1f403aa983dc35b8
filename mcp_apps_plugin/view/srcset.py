"""Reads the `srcset` attribute."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_BETWEEN: Final = re.compile(r"[\t\n\f\r ,]*")
_URL: Final = re.compile(r"[^\t\n\f\r ]+")
_DESCRIPTOR: Final = re.compile(r"(?:[^,(]|\([^)]*\)?)*")


def candidates(value: str) -> Iterator[tuple[str, str]]:
    """Yield the URL and the descriptor of each image candidate, as the HTML standard splits them.

    A URL may have commas in it, as `data:` URIs do; only those at its end separate.
    """
    at = 0
    while True:
        between = _BETWEEN.match(value, at)
        at = between.end() if between else at
        url = _URL.match(value, at)
        if url is None:
            return
        at = url.end()
        name = url.group().rstrip(",")
        descriptor = ""
        if name == url.group() and (found := _DESCRIPTOR.match(value, at)):
            descriptor = found.group().strip("\t\n\f\r ")
            at = found.end()
        yield name, descriptor
