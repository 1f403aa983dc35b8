"""What the parts of one page build share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .editing import Edits
from .parts import Parts
from .stylesheets import Stylesheets

if TYPE_CHECKING:
    from .folder import Folder
    from .problems import Problems, Source


@dataclass
class Build:
    """One document on its way to standing alone."""

    source: Source
    """The document as written."""
    base: tuple[str, ...]
    """The folder its relative names start from, below the root."""
    folder: Folder
    problems: Problems
    parts: Parts = field(default_factory=Parts)
    """The files it is made of."""
    stylesheets: Stylesheets = field(init=False)
    edits: Edits = field(init=False)

    def __post_init__(self) -> None:
        """Start without changes."""
        self.stylesheets = Stylesheets(self.folder, self.problems, self.parts)
        self.edits = Edits(self.source.text)
