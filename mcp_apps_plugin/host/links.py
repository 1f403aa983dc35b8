"""Which links of a page a host opens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection

LINK_SCHEMES: Final = ("https", "http", "mailto")
"""The schemes a page may have opened by default. `javascript:`, `data:` and `file:` are none."""

_MAX_LENGTH: Final = 8192


def link_problem(url: str, schemes: Collection[str] = LINK_SCHEMES) -> str | None:
    """Say what keeps a host from opening `url`, as the end of a sentence, or `None`.

    Args:
        url: What a page sent. Opened, if at all, exactly as it was checked.
        schemes: The schemes to allow, in lower case and without a colon.
    """
    if len(url) > _MAX_LENGTH:
        return f"is longer than {_MAX_LENGTH} characters."
    # Browsers drop tabs and line breaks inside a URL: "java\nscript:" must not pass as another
    # scheme, nor may a blank or a backslash change what is the host.
    if re.search(r"[\x00-\x20\x7f-\xa0\\<>\"\u2028\u2029\ufeff]", url):
        return "has characters that no URL has."
    try:
        parts = urlsplit(url)
    except ValueError:
        return "is no URL."
    if parts.scheme not in schemes:
        return f"has the scheme {parts.scheme!r}, which is not opened."
    if parts.scheme in ("http", "https"):
        if not parts.hostname:
            return "has no host."
        if "@" in parts.netloc:
            return "has credentials in it, which hide where it leads."
    return None
