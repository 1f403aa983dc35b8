"""Makes one self-contained stylesheet of a stylesheet and everything it loads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from . import css
from .assets import data_uri, is_font
from .paths import local
from .problems import Problems, RefusedError, Source

if TYPE_CHECKING:
    from .folder import Folder
    from .parts import Parts

# Spares the reading of most large sheets; a backslash may hide any of the words.
_MAY_LOAD: Final = re.compile(r"url|src|import|image-set|\\", re.IGNORECASE)
_STYLE_END: Final = re.compile(r"</(?=style)", re.IGNORECASE)


class Piece(NamedTuple):
    """A part of a flattened stylesheet, in order."""

    text: str
    is_import: bool
    """Whether it is an `@import` of another origin, which only the start of a sheet may have."""


class Stylesheets:
    """Embeds what stylesheets name."""

    def __init__(self, folder: Folder, problems: Problems, parts: Parts) -> None:
        """Read from `folder`, report to `problems`, and take note of each file in `parts`."""
        self._parts = parts
        self._folder = folder
        self._problems = problems
        self._open: list[tuple[str, ...]] = []

    def file(self, path: tuple[str, ...]) -> list[str]:
        """The stylesheet in a file, as the texts of one or more `<style>` elements.

        Raises:
            RefusedError: When the file itself cannot be had.
        """
        return elements(self._file(path))

    def text(self, source: Source, start: int, end: int, base: tuple[str, ...]) -> list[str] | None:
        """The stylesheet in a part of a file; None when nothing in it has to change."""
        before = source.text[start:end]
        if not _MAY_LOAD.search(before):
            return None
        sheet = css.read(before)
        if not sheet.loads and not sheet.imports:
            return None
        texts = elements(self._flatten(source, start, end, base, sheet))
        closing = "".join(imported.closing for imported in sheet.imports) + sheet.closing
        return None if texts == [before + closing] else texts

    def declarations(self, text: str, source: Source, at: int, base: tuple[str, ...]) -> str:
        """A style attribute's decoded text with its URLs embedded."""
        changed: list[tuple[int, int, str]] = []
        for load in css.read(text).loads:
            replacement = self._embedded(load, base, source, at)
            if replacement is not None:
                changed.append((load.start, load.end, replacement))
        return _edited(text, changed)

    def _file(self, path: tuple[str, ...]) -> list[Piece]:
        text = self._folder.text(path)
        source = Source("/".join(path), text)
        self._parts.add(source, "sheet")
        self._open.append(path)
        try:
            return self._flatten(source, 0, len(text), path[:-1], css.read(text))
        finally:
            self._open.pop()

    def _flatten(
        self, source: Source, start: int, end: int, base: tuple[str, ...], sheet: css.Sheet
    ) -> list[Piece]:
        text = source.text[start:end]
        edits = [
            (load.start, load.end, replacement)
            for load in sheet.loads
            if (replacement := self._embedded(load, base, source, start + load.start)) is not None
        ]
        pieces: list[Piece] = []
        at = 0
        for imported in sheet.imports:
            pieces.append(Piece(text[at : imported.start], is_import=False))
            pieces += self._imported(imported, base, source, start)
            at = imported.end
        # Imports stand before everything that has a URL, so all edits are in the last piece.
        shifted = [(first - at, last - at, new) for first, last, new in edits]
        pieces.append(Piece(_edited(text[at:], shifted) + sheet.closing, is_import=False))
        return pieces

    def _imported(
        self, imported: css.Import, base: tuple[str, ...], source: Source, start: int
    ) -> list[Piece]:
        try:
            target = local(imported.url, base)
            if target is None:
                text = source.text[start + imported.start : start + imported.end]
                return [Piece(text + imported.closing, is_import=True)]
            if target.path in self._open:  # a cycle: browsers load the sheet once as well
                return []
            return _under_conditions(imported, target.name, self._file(target.path))
        except RefusedError as refused:
            self._problems.add(source, start + imported.start, refused)
            return []

    def _embedded(
        self, load: css.Load, base: tuple[str, ...], source: Source, at: int
    ) -> str | None:
        try:
            target = local(load.url, base)
            if target is None:
                return None
            uri = data_uri(target.name, self._folder.content(target.path), target.fragment)
        except RefusedError as refused:
            self._problems.add(source, at, refused)
            return None
        if is_font(target.name):
            what = f"The font {target.name!r} is embedded as a `data:` URI."
            self._problems.note(source, at, "page-font-data", what)
        return css.quoted(uri) if load.is_string else f"url({css.quoted(uri)})"


def _under_conditions(imported: css.Import, name: str, pieces: list[Piece]) -> list[Piece]:
    if imported.layer is None and not imported.supports and not imported.media:
        return pieces
    if any(piece.is_import for piece in pieces):
        what = f"{name!r} imports another origin and is imported with a condition."
        raise RefusedError(code="page-import-conditional", what=what)
    return [Piece(_wrapped(imported, "".join(p.text for p in pieces)), is_import=False)]


def _wrapped(imported: css.Import, text: str) -> str:
    """Put the conditions of an import around what it imported."""
    if imported.layer is not None:
        text = f"@layer {imported.layer}{{{text}\n}}"
    if imported.supports:
        text = f"@supports ({imported.supports}){{{text}\n}}"
    if imported.media:
        text = f"@media {imported.media}{{{text}\n}}"
    return text


def _edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, replacement in edits:
        parts += text[at:start], replacement
        at = end
    return "".join(parts) + text[at:]


def elements(pieces: list[Piece]) -> list[str]:
    """Distribute pieces over as few `<style>` elements as keep the order of the cascade.

    An `@import` only counts at the start of a sheet, so one that follows rules starts a new one.
    `</style` is written so that HTML does not see it; CSS reads it the same.
    """
    texts: list[str] = []
    has_rules = False
    for piece in pieces:
        if piece.is_import and (has_rules or not texts):
            texts.append("")
            has_rules = False
        elif not texts:
            texts.append("")
        texts[-1] += piece.text
        has_rules = has_rules or (not piece.is_import and not _only_space(piece.text))
    return [_style_safe(text) for text in texts]


def _only_space(text: str) -> bool:
    return all(token.kind in {"space", "comment"} for token in css.tokens(text))


def _style_safe(text: str) -> str:
    return _STYLE_END.sub(r"<\\/", text)
