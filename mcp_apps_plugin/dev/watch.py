"""Which files a server is made of, and when they change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from watchfiles import Change, DefaultFilter
from watchfiles import awatch as _awatch  # pyright: ignore[reportUnknownVariableType]

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CODE: Final = frozenset({".py"})
"""Files that make the server itself another one."""

PAGES: Final = frozenset(
    {".html", ".htm", ".css", ".js", ".mjs", ".svg"}
    | {".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".woff", ".woff2", ".ttf"}
)
"""Files that pages can be made of. Data is none of them: a server that writes it would not rest."""


class _Sources(DefaultFilter):
    def __call__(self, change: Change, path: str) -> bool:
        suffix = Path(path).suffix.lower()
        return (suffix in CODE or suffix in PAGES) and super().__call__(change, path)


def folder_of(server: Path) -> Path:
    """Return the folder to watch: that of the file, or the whole package it is part of."""
    folder = server.resolve().parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


async def changes(folder: Path) -> AsyncIterator[frozenset[Path]]:
    """Yield the files that changed, as often as some did."""
    async for changed in _awatch(folder, watch_filter=_Sources(), debounce=120, step=30):
        yield frozenset(Path(path) for _, path in changed)


def only_pages(changed: frozenset[Path]) -> bool:
    """Tell whether nothing changed but what pages can be made of."""
    return all(path.suffix.lower() in PAGES for path in changed)
