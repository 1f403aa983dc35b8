"""What a URL in a page names: something elsewhere, nothing to load, or a file in the folder.

Only names are looked at here; `folder` reads the files.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from .problems import RefusedError

# What the URL standard strips from both ends, and what it removes anywhere.
_ENDS: Final = "".join(map(chr, range(0x21)))
_REMOVED: Final = str.maketrans("", "", "\t\n\r")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_WINDOWS_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)

LIBRARY_NAME: Final = "mcp-app.js"


class Local(NamedTuple):
    """A file in the page's folder."""

    path: tuple[str, ...]
    """The segments of its name below the root."""
    fragment: str
    """`#...` as written, or empty. Queries mean nothing to files and are dropped."""

    @property
    def name(self) -> str:
        """The name as shown to people: relative to the root, with forward slashes."""
        return "/".join(self.path)

    @property
    def is_library(self) -> bool:
        """Whether this is the page library, which comes with us and not from the folder."""
        return self.path[-1] == LIBRARY_NAME


def clean(url: str) -> str:
    """Drop the white space that browsers drop from a URL."""
    return url.strip(_ENDS).translate(_REMOVED)


def local(url: str, base: tuple[str, ...] = ()) -> Local | None:
    """The file that `url`, written in a file of the folder `base`, names.

    Returns:
        None when the URL names nothing local: another origin, `data:` and the like, a bare
            fragment, or nothing at all.

    Raises:
        RefusedError: When it names a file that a page must not name.
    """
    url = clean(url)
    if not url or url.startswith("#"):
        return None
    if "\\" in url.partition("?")[0].partition("#")[0]:
        raise RefusedError(code="page-path-invalid", what=f"{url!r} has a backslash.")
    if url.startswith("//"):
        return None
    if scheme := _SCHEME.match(url):
        if len(scheme[1]) == 1:
            raise RefusedError(code="page-path-absolute", what=f"{url!r} is a path on one machine.")
        if scheme[1].lower() in {"file", "filesystem"}:
            raise RefusedError(
                code="page-path-absolute", what=f"{url!r} is a {scheme[1].lower()}: URL."
            )
        return None
    if url.startswith("/"):
        raise RefusedError(
            code="page-path-absolute",
            what=f"{url!r} starts at a site root.",
            remedy=f"Write the name relative to this file, such as {url.lstrip('/')!r}.",
        )
    name, hash_mark, fragment = url.partition("#")
    return Local(_walk(name.partition("?")[0], url, base), hash_mark + fragment)


def _walk(name: str, url: str, base: tuple[str, ...]) -> tuple[str, ...]:
    path = list(base)
    for raw in name.split("/"):
        segment = _decoded(raw, url)
        if segment == "..":
            if not path:
                raise RefusedError(
                    code="page-path-outside", what=f"{url!r} leaves the page's folder."
                )
            path.pop()
        elif segment not in {"", "."}:
            path.append(segment)
    if not path or name.endswith("/"):
        raise RefusedError(code="page-file-directory", what=f"{url!r} names a folder.")
    return tuple(path)


def _decoded(raw: str, url: str) -> str:
    """Decode one segment, refusing everything that only looks like a plain name."""
    try:
        segment = unquote_to_bytes(raw).decode("utf-8", "strict")
    except UnicodeError:
        raise RefusedError(
            code="page-path-invalid", what=f"{url!r} is not UTF-8 when decoded."
        ) from None
    if segment != raw and segment in {".", ".."}:
        raise RefusedError(
            code="page-path-invalid", what=f"{url!r} hides {segment!r} in an escape."
        )
    if any(character in "/\\:" or character < " " for character in segment):
        raise RefusedError(
            code="page-path-invalid", what=f"{url!r} has a character no file name may have."
        )
    if _WINDOWS_DEVICE.fullmatch(segment) or (segment.strip(".") and segment[-1] in ". "):
        raise RefusedError(
            code="page-path-invalid", what=f"{url!r} is not a file name on every system."
        )
    if segment.count(".") == len(segment) > 2:  # noqa: PLR2004 (`...` is a parent on some systems)
        raise RefusedError(
            code="page-path-invalid", what=f"{url!r} is not a file name on every system."
        )
    return segment
