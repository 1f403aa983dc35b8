"""The documentation as it stands: pages and their code blocks."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^( *)```(\w+)([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        page: The page it stands on, relative to the project.
        line: The line of its first line of code.
        language: The word behind the fence.
        title: The file it shows, or "".
        code: Its text.
    """

    page: str
    line: int
    language: str
    title: str
    code: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        title = re.search(r'title="([^"]+)"', fence[3])
        line = text.count("\n", 0, fence.start(4)) + 1
        code = textwrap.dedent(fence[4])
        found.append(Block(name_of(page), line, fence[2], title[1] if title else "", code))
    return found


def pytest_generate_tests(metafunc):
    """Give tests that ask for `page` or `block` each of them."""
    if "page" in metafunc.fixturenames:
        metafunc.parametrize("page", PAGES, ids=name_of)
    if "block" in metafunc.fixturenames:
        blocks = [block for page in PAGES for block in blocks_of(page)]
        metafunc.parametrize("block", blocks, ids=str)
    if "blocks" in metafunc.fixturenames:
        metafunc.parametrize("blocks", [blocks_of(page) for page in PAGES], ids=map(name_of, PAGES))
