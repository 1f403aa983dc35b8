"""The files that a page is made of, as their author wrote them: what a finding names a line of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from .problems import Source


class Part(NamedTuple):
    """One file, read as what it is in the page."""

    source: Source
    kind: Literal["document", "script", "sheet"]


class Named(NamedTuple):
    """A module of another origin that a script names, and only an import map spells out."""

    source: Source
    offset: int
    url: str


@dataclass
class Parts:
    """Collects the files of one page, each once, in the order in which they were met."""

    files: dict[tuple[str, str], Part] = field(default_factory=dict[tuple[str, str], Part])
    named: list[Named] = field(default_factory=list[Named])

    def add(self, source: Source, kind: Literal["document", "script", "sheet"]) -> None:
        """Take note of a file."""
        self.files.setdefault((source.name, kind), Part(source, kind))

    def name(self, source: Source, offset: int, url: str) -> None:
        """Take note of a module of another origin."""
        self.named.append(Named(source, offset, url))
