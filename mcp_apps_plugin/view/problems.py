"""What can be wrong with a page's files, and how it is told: all of it, at once, with places."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path


class _Kind(NamedTuple):
    """What follows from one kind of problem, and the usual way out."""

    consequence: str
    remedy: str


_NEVER_LOADS = "Hosts would show the page without it, or no page at all."

#: Every code a page problem or note can carry. The codes are stable; the wording is not.
PAGE_PROBLEM_CODES: dict[str, _Kind] = {
    "page-path-outside": _Kind(
        "Only files inside the page's folder or package become part of the page.",
        "Move the file into the page's folder, or the page up to where both lie below it.",
    ),
    "page-path-absolute": _Kind(
        "A page served as `ui://` has no site root and no file system to look in.",
        "Write the name relative to this file.",
    ),
    "page-path-invalid": _Kind(
        "Hosts, browsers and file systems would not agree on which file this is.",
        "Write a plain relative name with forward slashes.",
    ),
    "page-file-missing": _Kind(_NEVER_LOADS, "Create the file or correct the name."),
    "page-file-directory": _Kind(_NEVER_LOADS, "Name a file inside the folder."),
    "page-file-unreadable": _Kind(_NEVER_LOADS, "Let the server's user read the file."),
    "page-file-encoding": _Kind(
        "Pages are sent as UTF-8 text, so its characters would be wrong.",
        "Save the file as UTF-8.",
    ),
    "page-base": _Kind(
        "It changes what every relative name means, and local files are embedded by name.",
        "Remove the `<base href>`, or make all names absolute `https:` URLs.",
    ),
    "page-frame-local": _Kind(
        "A frame, object or embed cannot carry a local file in one document.",
        "Put the content into the page itself.",
    ),
    "page-use-external": _Kind(
        "Browsers do not follow `<use>` into `data:` documents.",
        "Copy the symbol into the page and refer to it as `#id`.",
    ),
    "page-script-syntax": _Kind(
        "Browsers run none of it, and its imports and exports cannot be told for certain.",
        "Correct the syntax, write the semicolon that the line before lacks, or bundle the script.",
    ),
    "page-script-unsafe": _Kind(
        "HTML would end the script here.", "Write it as `<\\/script` or `<\\!--`."
    ),
    "page-import-bare": _Kind(
        "Browsers only follow relative names, URLs and names in an import map.",
        "Write a relative name such as `./{name}.js`, add an import map, or bundle the page.",
    ),
    "page-import-missing": _Kind(
        "The browser would refuse to run the importing module.",
        "Import a name the module exports, or export it there.",
    ),
    "page-import-type": _Kind(
        "Browsers would refuse to load it as a module.",
        'Import JavaScript, or add `with { type: "json" }` or `with { type: "css" }`.',
    ),
    "page-import-star": _Kind(
        "The names behind `export * from` another origin are not known before the page runs.",
        "Name the exports: `export { a, b } from`.",
    ),
    "page-import-conditional": _Kind(
        "One stylesheet cannot import another origin's sheet under two conditions.",
        "Move this `@import` to the stylesheet that the page names.",
    ),
    "page-font-data": _Kind(
        "The default policy of hosts allows no `data:` fonts; strict hosts show the fallback.",
        "Give a fallback family, or use the host's own fonts.",
    ),
    "page-worker-local": _Kind(
        "The default policy of hosts allows no workers from `data:` or `blob:`.",
        "Do the work on the page, or on the server through a tool call.",
    ),
    "page-link-local": _Kind(_NEVER_LOADS, "Remove the element, or make it a plain stylesheet."),
    "page-library-name": _Kind(
        "What is set there is never called, and what is called there stops the script.",
        "Correct the name; `mcp-app.d.ts` lists them all.",
    ),
    "page-initialize": _Kind(
        "Hosts answer the handshake with an error, and the page waits for ever.",
        'Write `new McpApp.App({ name: "weather", version: "1.0" })`.',
    ),
    "page-no-handshake": _Kind(
        "Hosts wait for the handshake: they keep the frame hidden and send it no data.",
        "Put the page library into the page, and call `app.connect()`.",
    ),
}

_OF_EVERY_PAGE: dict[str, _Kind] = {
    "page-content": _Kind(
        "The host would show an error or an empty frame.", "Write the page into the file."
    ),
}
"""Codes that pages without a file can have as well; they are not the builder's own."""


@dataclass(frozen=True, slots=True)
class PageProblem:
    """One thing wrong with a page, or worth knowing about it."""

    code: str
    """Stable name of the kind of problem; see `PAGE_PROBLEM_CODES`."""
    file: str
    """The file, relative to the page's folder, with forward slashes."""
    line: int
    """Line in the file, from 1; 0 when the whole file is meant."""
    column: int
    """Column in the line, from 1; 0 when the whole file is meant."""
    what: str
    """What is wrong."""
    consequence: str
    """What would happen."""
    remedy: str
    """What to do."""

    def __str__(self) -> str:
        """Say everything in one line that editors and terminals can jump from."""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.what} {self.consequence} {self.remedy} [{self.code}]"


class PageBuildError(ValueError):
    """A page cannot become one document.

    `problems` lists every reason, and `files` what was read, to build again when one changes.
    """

    def __init__(
        self, page: str, problems: tuple[PageProblem, ...], files: tuple[Path, ...] = ()
    ) -> None:
        """Keep the problems and put all of them into the message."""
        self.page = page
        self.problems = problems
        self.files = files
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"The page {page!r} cannot be built: {count}\n{lines}")


class RefusedError(Exception):
    """A name or file is refused; whoever knows the place turns this into a problem."""

    def __init__(self, *, code: str, what: str, remedy: str | None = None) -> None:
        """Keep what a problem needs besides the place."""
        super().__init__(what)
        self.code = code
        self.what = what
        self.remedy = remedy


@dataclass(frozen=True)
class Source:
    """The text of one file, able to tell where an offset stands."""

    name: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        while following := self.text.find("\n", starts[-1]) + 1:
            starts.append(following)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of `offset`, both from 1; 0 and 0 for a negative offset."""
        if offset < 0:
            return 0, 0
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


@dataclass
class Problems:
    """Collects what is found while a page is built."""

    found: list[PageProblem] = field(default_factory=list[PageProblem])
    notes: list[PageProblem] = field(default_factory=list[PageProblem])

    def add(self, source: Source, offset: int, refused: RefusedError) -> None:
        """Record a refusal at a place; the page will not be built."""
        self._record(self.found, source, offset, refused)

    def note(
        self, source: Source, offset: int, code: str, what: str, remedy: str | None = None
    ) -> None:
        """Record something worth knowing that does not stop the page."""
        refused = RefusedError(code=code, what=what, remedy=remedy)
        self._record(self.notes, source, offset, refused)

    @staticmethod
    def _record(into: list[PageProblem], source: Source, offset: int, it: RefusedError) -> None:
        kind = PAGE_PROBLEM_CODES.get(it.code) or _OF_EVERY_PAGE[it.code]
        line, column = source.position(offset)
        remedy = it.remedy or kind.remedy
        problem = PageProblem(it.code, source.name, line, column, it.what, kind.consequence, remedy)
        if problem not in into:  # an asset named twice at one place, e.g. through two entries
            into.append(problem)
