"""Where a page's HTML comes from: a file beside the code, a path, or a file in a package."""

from __future__ import annotations

import re
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple, TypeAlias
from zlib import crc32

from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.protocol.findings import AppsTypeError, AppsValueError, Code, Finding

Html: TypeAlias = "str | Path | Traversable"
"""What `html=` takes: a path relative to the declaring file, a `Path`, or a package file."""


class HtmlFile(NamedTuple):
    """One HTML file, fixed by the author. Never derived from what a client sends.

    Attributes:
        location: The file. It need not exist yet: the start-up audit looks.
        stem: The name of the declaring file, for a URI that the author did not choose.
    """

    location: Traversable
    stem: str

    @property
    def identity(self) -> str:
        """The location as one comparable string."""
        return str(self.location)

    def default_uri(self) -> str:
        """Return a URI from the declaring file's and this file's names, the same everywhere.

        Module names would differ between `python server.py` and `fastmcp run server.py`.
        """
        host = _slug(self.stem) or "app"
        return f"{URI_SCHEME}{host}/{_slug(self.location.name)}"


def html_file(html: object, declared_in: str | None, subject: str) -> HtmlFile:
    """Check the value of `html=` and fix the file it means.

    Args:
        html: What the author wrote.
        declared_in: The file that holds the declaration; relative paths start beside it.
        subject: The declaration's name, for errors.

    Raises:
        AppsTypeError: `html` is no path (`page-option-invalid`).
        AppsValueError: `html` is relative and nothing says to what, or is HTML text.
    """
    if isinstance(html, str):
        if not html:
            raise AppsValueError(_wrong(subject, "`html=` is empty.", _PATHS))
        if "<" in html or "\n" in html:
            problem = "`html=` is HTML text; it takes the path of a file."
            raise AppsValueError(_wrong(subject, problem, _FUNCTION))
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://|(?i:data):", html):
            problem = f"`html={html!r}` is a URL, and no file."
            remedy = _ADDRESS if html.startswith(URI_SCHEME) else _DOWNLOAD
            raise AppsValueError(_wrong(subject, problem, remedy))
        path: Traversable = Path(html)
    elif isinstance(html, Traversable):
        path = html
    else:
        problem = f"`html=` is {type(html).__name__}; it takes a path."
        raise AppsTypeError(_wrong(subject, problem, _PATHS))
    base = Path(declared_in) if declared_in else None
    if isinstance(path, Path) and not path.is_absolute():
        # The cells of a notebook have a path each, in a folder that nobody ever made.
        if base is None or not base.is_absolute() or not base.parent.is_dir():
            problem = f"`html={str(path)!r}` is relative, and the code that says so is in no file."
            remedy = f'Write `Path("{path.as_posix()}").resolve()`: from the working folder.'
            raise AppsValueError(_wrong(subject, problem, remedy))
        path = base.parent / path
    return HtmlFile(location=path, stem=_stem(base) if base else "app")


_PATHS = (
    'Write `html="page.html"`, `html=Path(...)` or `html=importlib.resources.files("pkg") / '
    '"page.html"`.'
)
_DOWNLOAD = (
    "Save the page beside the code and name that file; a page that only shows another site has an "
    "`<iframe>`, and its origin in `csp`'s `frame_domains`."
)
_ADDRESS = (
    'The address comes first: `@ui("ui://name/page", html="page.html")`. A page that is declared '
    "elsewhere is linked by its address alone."
)
_FUNCTION = "Return the text from a function with `@app_resource` above it."


def _wrong(subject: str, problem: str, remedy: str) -> Finding:
    return Finding(
        code=Code.PAGE_OPTION_INVALID,
        subject=subject,
        problem=problem,
        consequence="There would be no page to serve.",
        remedy=remedy,
    )


def _stem(path: Path) -> str:
    return path.parent.name if path.stem == "__init__" else path.stem


def _slug(name: str) -> str:
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.").lower()
    # What no address can say is told apart by a number: two names may have nothing else.
    return slug if name.isascii() else f"{crc32(name.encode()):08x}-{slug}".rstrip("-")
