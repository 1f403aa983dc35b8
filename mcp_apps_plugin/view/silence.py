"""Finds pages that mean to speak to their host by the page library, and for certain never do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from .library_uses import Uses
from .markup import tokens
from .misuse import is_guarded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from .library_values import Code

_BY_HAND: Final = "ui/initialize"
_ASKED_FOR: Final = re.compile(
    r"typeof\s+McpApp|\b(?:globalThis|self|window)\s*(?:\?\.)?\s*\.?\s*McpApp|[\"'`]McpApp[\"'`]"
)
"""How a page asks whether the library is there."""

_CONNECTS: Final = re.compile(r"\b(?:connect|run)\b")


class Silence(NamedTuple):
    """Why a page never speaks."""

    place: tuple[int, Node] | None
    """The script and the node at fault; `None` when something is missing instead."""
    what: str
    remedy: str


def silence(scripts: Sequence[Code], html: str, *, has_library: bool) -> Silence | None:
    """Tell why the scripts of one page never begin to speak; `None` where they may.

    Args:
        scripts: The scripts that run in the page, without the library's own.
        html: The document, for what its attributes do.
        has_library: Whether the page library is in the page.
    """
    if any(_BY_HAND in script.text for script in scripts):
        return None
    if not has_library:
        place = _first_use(scripts)
        what = "`McpApp` is used, and the page library is not in the page."
        remedy = 'Put `<script src="mcp-app.js"></script>` above the script.'
        return None if place is None else Silence(place, what, remedy)
    if any(map(_CONNECTS.search, (*(script.text for script in scripts), *_handlers(html)))):
        return None
    what = "The page library is in the page, and nothing calls its `connect`."
    return Silence(None, what, "Call `app.connect()` when the page is ready for its data.")


def _first_use(scripts: Sequence[Code]) -> tuple[int, Node] | None:
    """The first place that needs the library; none where a page can do without."""
    texts = [script.text for script in scripts if "McpApp" in script.text]
    if not texts or any(map(_ASKED_FOR.search, texts)):
        return None
    uses = Uses(scripts)
    places = [(use.script, use.node) for use in uses.members if use.kind == "library"]
    places += uses.made
    if uses.is_replaced or any(is_guarded(node) for _, node in places):
        return None
    return min(places, key=lambda place: (place[0], place[1].start_byte), default=None)


def _handlers(html: str) -> Iterator[str]:
    for token in tokens(html):
        yield from (a.value for a in token.attributes.values() if a.name.startswith("on"))
