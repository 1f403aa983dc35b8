"""A page that is text in memory: the library can be named in it, files cannot."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO, StringIO
from typing import IO, TYPE_CHECKING, Any

from .document import complete_document
from .inline import build_page
from .paths import LIBRARY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

_NAME = "page.html"


@lru_cache(maxsize=64)
def build_text(html: str) -> str:
    """Make a full document of HTML text, with the page library put in where it is named.

    Raises:
        PageBuildError: When it names a local file: text has no folder to look in.
    """
    if LIBRARY_NAME not in html:
        return complete_document(html)
    return build_page(_NAME, root=_Memory("", html)).html


class _Memory:
    """A folder in memory with one page in it."""

    def __init__(self, name: str, html: str) -> None:
        self.name = name
        self._html = html

    def iterdir(self) -> Iterator[Traversable]:
        if self.is_dir():
            yield self.joinpath(_NAME)

    def is_dir(self) -> bool:
        return not self.name

    def is_file(self) -> bool:
        return self.name == _NAME

    def joinpath(self, *descendants: Any) -> Traversable:
        return _Memory("/".join(map(str, descendants)), self._html)

    __truediv__ = joinpath

    def read_bytes(self) -> bytes:
        return self._html.encode()

    def read_text(self, encoding: str | None = None) -> str:
        del encoding
        return self._html

    def open(self, mode: str = "r", *_: Any, **__: Any) -> IO[Any]:
        return BytesIO(self.read_bytes()) if "b" in mode else StringIO(self._html)
