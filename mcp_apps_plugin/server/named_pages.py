"""The files that handlers name as their page: built once for as long as they stay as they are.

A handler may write the file that it names, for each caller another one; so what was built is only
served again while every file that went into it is the very same.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from mcp_apps_plugin.view import BuiltPage

_LIMIT: Final = 64
"""How many are kept; of more, those that were named last."""

_SETTLED: Final = 2_000_000_000
"""Nanoseconds after which another change shows in a file's times, on every file system."""

_Stamp: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Build:
    """What was built of one location.

    Attributes:
        location: What the handler named; kept, so that no other has its name meanwhile.
        files: The files that went in.
        page: The page; `None` where there is none, or files have changed.
        stamps: What tells whether a file is still the same; `None` where it was gone again.
        began: When it was built, in nanoseconds.
    """

    location: Traversable
    files: tuple[Path, ...]
    page: BuiltPage | None = None
    stamps: tuple[_Stamp | None, ...] = ()
    began: int = 0

    def still_true(self) -> bool:
        """Tell whether every file is as it was, and was at rest when it was read."""
        return None not in self.stamps and self.stamps == _stamps(self.files) and self._at_rest()

    def _at_rest(self) -> bool:
        # Two changes within one tick of the file system's clock leave the same time.
        changes = [max(stamp[:2]) for stamp in self.stamps if stamp is not None]
        return self.began - max(changes, default=0) > _SETTLED


_builds: dict[tuple[type, str], _Build] = {}
_lock = threading.Lock()


def built(location: Traversable) -> BuiltPage:
    """Build the page in a file, unless it was built before and nothing has changed.

    Raises:
        PageBuildError: It cannot become one document.
    """
    from mcp_apps_plugin.view import (  # noqa: PLC0415  heavy, and for pages only
        PageBuildError,
        build_page,
    )

    name = location.absolute() if isinstance(location, Path) else location
    key = type(location), str(name)
    with _lock:
        known = _builds.pop(key, None)
        if known is not None:
            _builds[key] = known  # the last one to be dropped
    if known is not None and known.page is not None and known.still_true():
        return known.page
    began = time.time_ns()
    try:
        page = build_page(location)
    except PageBuildError as error:
        # Those that it was built from before, too: the error may be that one of them is gone.
        before = () if known is None else known.files
        _keep(key, _Build(location, tuple({*error.files, *before})))
        raise
    _keep(key, _Build(location, page.files, page, _stamps(page.files), began))
    return page


def built_files() -> frozenset[Path]:
    """List the files of those pages, also of the ones that cannot be built any more."""
    with _lock:
        return frozenset(file for build in _builds.values() for file in build.files)


def forget_built() -> None:
    """Build every one anew when it is named again: files have changed."""
    with _lock:
        for key, build in _builds.items():
            _builds[key] = replace(build, page=None)


def _keep(key: tuple[type, str], build: _Build) -> None:
    with _lock:
        _builds.pop(key, None)
        _builds[key] = build
        while len(_builds) > _LIMIT:
            del _builds[next(iter(_builds))]


def _stamps(files: tuple[Path, ...]) -> tuple[_Stamp | None, ...]:
    return tuple(map(_stamp, files))


def _stamp(file: Path) -> _Stamp | None:
    try:
        found = file.stat()
    except OSError:
        return None
    # Beside the time and the size: a file with another's times may have been put in its place.
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
