"""Reads files below a page's folder, in a file system or in a package, and nothing outside it."""

from __future__ import annotations

import re
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .paths import LIBRARY_NAME
from .problems import RefusedError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_LIKE_THE_LIBRARY: Final = re.compile(r"mcp[-_. ]?apps?(\.min)?\.m?js", re.IGNORECASE)


class Folder:
    """The folder (or package) that everything in a page has to come from.

    Works on `Traversable` throughout, so packages in zip files are fine. Where the files are real
    ones, a symbolic link may not lead out of the folder.
    """

    def __init__(self, root: Traversable, page: tuple[str, ...]) -> None:
        """Open `root` for the page at `page`."""
        self._root = root
        self._contents: dict[tuple[str, ...], bytes] = {}
        self._read: dict[Path, None] = {}
        self._allowed: list[Path] = []
        if isinstance(root, Path):
            self._allow(root, page)
        # Namespace packages spread over several folders: allow the one the page is found in.
        elif isinstance(found := self._join(page), Path) and len(found.parents) >= len(page):
            self._allow(found.parents[len(page) - 1], page)

    def _allow(self, root: Path, page: tuple[str, ...]) -> None:
        self._allowed.append(root.resolve())
        # Some installers link each file of a package to a cache. The author named the page, so
        # where the page really stands is the page's folder too.
        real = root.joinpath(*page).resolve()
        if real.parts[-len(page) :] == page:
            self._allowed.append(real.parents[len(page) - 1])

    @property
    def files(self) -> tuple[Path, ...]:
        """The real files that were read, in order."""
        return tuple(self._read)

    def text(self, path: tuple[str, ...]) -> str:
        """Read a file as UTF-8 text, without a byte order mark.

        Raises:
            RefusedError: When there is no such file, or it may not or cannot be read.
        """
        content = self.content(path)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            name = "/".join(path)
            what = f"{name!r} is not UTF-8: byte {content[error.start]:#04x} in line {line}."
            raise RefusedError(code="page-file-encoding", what=what) from None

    def content(self, path: tuple[str, ...]) -> bytes:
        """Read a file.

        Raises:
            RefusedError: When there is no such file, or it may not or cannot be read.
        """
        if path not in self._contents:
            self._contents[path] = self._load(path)
        return self._contents[path]

    def _load(self, path: tuple[str, ...]) -> bytes:
        name = "/".join(path)
        try:
            found = self._join(path)
            if isinstance(found, Path):
                self._contain(found, name)
            if found.is_dir():
                raise RefusedError(code="page-file-directory", what=f"{name!r} is a folder.")
            if not found.is_file():
                raise self._missing(path)
            content = found.read_bytes()
        except FileNotFoundError:
            raise self._missing(path) from None
        except (OSError, ValueError, RuntimeError) as error:  # e.g. no permission, a loop of links
            reason = getattr(error, "strerror", None) or error
            what = f"{name!r} cannot be read: {reason}."
            raise RefusedError(code="page-file-unreadable", what=what) from error
        if isinstance(found, Path):
            self._read[found] = None
        return content

    def _missing(self, path: tuple[str, ...]) -> RefusedError:
        """Name the file beside it that is called most like it, or the page library."""
        hint = ""
        if _LIKE_THE_LIBRARY.fullmatch(path[-1]):
            hint = f" Did you mean {LIBRARY_NAME!r}, the page library?"
        with suppress(OSError, ValueError):
            for place, name in () if hint else enumerate(path):
                beside = [each.name for each in self._join(path[:place]).iterdir()]
                if name in beside:
                    continue
                case = [each for each in beside if each.casefold() == name.casefold()]
                last = place == len(path) - 1
                near = case or (get_close_matches(name, beside, n=1, cutoff=0.75) if last else [])
                if near:
                    said = "/".join((*path[:place], near[0], *path[place + 1 :]))
                    hint = f" Did you mean {said!r}?" + (" The case differs." if case else "")
                break
        what = f"There is no file {'/'.join(path)!r}.{hint}"
        return RefusedError(code="page-file-missing", what=what)

    def _join(self, path: tuple[str, ...]) -> Traversable:
        found = self._root
        for segment in path:
            found = found.joinpath(segment)
        return found

    def _contain(self, found: Path, name: str) -> None:
        real = found.resolve()
        if not any(real.is_relative_to(allowed) for allowed in self._allowed):
            what = f"{name!r} is a link that leads out of the page's folder."
            raise RefusedError(code="page-path-outside", what=what)
