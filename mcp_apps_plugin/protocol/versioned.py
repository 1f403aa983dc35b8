"""Addresses that carry the hash of their page: `ui://weather/dashboard?v=3f2a9c1e0b4d5867`.

Hosts keep a page by its address, compared as a whole: another hash is another page to them. The
hash is in the query, so that the path stays what it was: namespaces rewrite it as any other.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_DIGITS: Final = 16
_VERSION: Final = re.compile(r"(ui://[^?#]+)\?v=[A-Za-z0-9._~-]{1,64}")


def digest_of(html: str, ui: Mapping[str, Any]) -> str:
    """Return the hash of a page: of its document and its `_meta.ui`, and of nothing else.

    Hosts keep both together, so that a changed policy under an unchanged address would be as
    stale as a changed document.

    Args:
        html: The document as it is served.
        ui: The complete `_meta.ui`.
    """
    options = json.dumps(ui, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(f"{options}\n{html}".encode(errors="surrogatepass")).hexdigest()[:_DIGITS]


def with_version(uri: str, digest: str) -> str:
    """Return an address with a page's hash, in the place of any other that it has."""
    return f"{unversioned(uri)}?v={digest}"


def unversioned(uri: str) -> str:
    """Return an address without a page's hash; any other address as it is."""
    match = _VERSION.fullmatch(uri)
    return uri if match is None else match[1]


def version_template(uri: str) -> str:
    """Return the template that fits an address with any hash and with none."""
    return f"{unversioned(uri)}{{?v}}"
