"""The page builder's problems, said as findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.protocol.findings import Finding

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from mcp_apps_plugin.view import BuiltPage, PageBuildError


def build_findings(subject: str, location: str, error: PageBuildError) -> tuple[Finding, ...]:
    """Say what keeps a page from being built.

    Args:
        subject: The page and where it is declared.
        location: The page's own file.
        error: What the builder said.
    """
    return tuple(
        Finding(
            code=problem.code,
            subject=subject,
            problem=f"{_place(location, problem.line)}: {problem.what}"
            if problem.file == error.page
            else f"{_place(problem.file, problem.line)} of {location}: {problem.what}",
            consequence=problem.consequence,
            remedy=problem.remedy,
        )
        for problem in error.problems
    )


def note_findings(subject: str, location: Traversable, built: BuiltPage) -> tuple[Finding, ...]:
    """Say what is worth knowing of a page that was built, each at its line.

    Args:
        subject: The page and where it is declared.
        location: The page's own file, beside which the others are.
        built: The page.
    """
    folder = str(location).removesuffix(location.name)
    return tuple(
        Finding(
            code=note.code,
            subject=subject,
            problem=note.what,
            consequence=note.consequence,
            remedy=note.remedy,
            severity="warning",
            place=_place(f"{folder}{note.file}", note.line),
        )
        for note in built.notes
    )


def _place(file: str, line: int) -> str:
    return f"{file}:{line}" if line else file
