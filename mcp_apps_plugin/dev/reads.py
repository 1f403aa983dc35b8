"""Which files the server's process has read: a change of any other one means nothing to it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_WRITING = os.O_WRONLY | os.O_RDWR


class Reads:
    """Hears of every file that this process opens, until it ends.

    To be made before anything of the server is loaded.
    """

    def __init__(self) -> None:
        self._read: set[str] = set()
        self._written: set[str] = set()
        sys.addaudithook(self._hear)

    def among(self, files: Iterable[Path]) -> set[Path]:
        """Return those of the files that the process has read, and not written itself."""
        read = {os.path.realpath(path) for path in tuple(self._read)}
        read -= {os.path.realpath(path) for path in tuple(self._written)}
        return {file for file in files if os.path.realpath(file) in read}

    def _hear(self, event: str, given: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(given[0], str):
            return
        path, _, flags = given
        into = self._written if isinstance(flags, int) and flags & _WRITING else self._read
        into.add(path if path.startswith(os.sep) else str(Path.cwd() / path))
