"""The page half: one HTML document from files, and the page library. Stands alone.

Nothing here knows MCP servers or hosts: files go in, a document comes out.
"""

from __future__ import annotations

from .data import embed
from .document import complete_document, insertion_point
from .inline import BuiltPage, build_page
from .library import library
from .problems import PAGE_PROBLEM_CODES, PageBuildError, PageProblem
from .text import build_text

__all__ = [
    "PAGE_PROBLEM_CODES",
    "BuiltPage",
    "PageBuildError",
    "PageProblem",
    "build_page",
    "build_text",
    "complete_document",
    "embed",
    "insertion_point",
    "library",
]
