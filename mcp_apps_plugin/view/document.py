"""Where a document's parts start: whether HTML is complete, and where early content goes."""

from __future__ import annotations

from typing import Final

from .markup import tokens

_OPENING: Final = '<!doctype html><html><head><meta charset="utf-8">'
_BLANK: Final = "\ufeff\t\n\f\r "


def complete_document(html: str) -> str:
    """Make a full HTML document of a fragment; a full document is returned as it is.

    Hosts expect a document, and without a doctype browsers fall into quirks mode. The head is
    left open on purpose: a `<title>` or `<style>` at the start of the fragment then stays in it,
    and the first thing that is not head content opens the body.
    """
    at = 0
    for token in tokens(html):
        if html[at : token.start].strip(_BLANK):
            break
        if token.kind == "doctype" or (token.kind == "start" and token.name == "html"):
            return html
        if token.kind != "comment":
            break
        at = token.end
    return f"{_OPENING}{html.removeprefix(chr(0xFEFF))}</html>"


def insertion_point(html: str) -> int:
    """Where content that scripts read goes: as early in the head as the charset allows.

    Only the start of the document is looked at, so this is cheap for a page of any size.
    """
    point = at = 0
    for token in tokens(html):
        if html[at : token.start].strip(_BLANK):
            break
        at = token.end
        if token.kind == "comment":
            continue
        early = token.kind == "doctype" or (
            token.kind == "start"
            and (
                token.name in {"html", "head"}
                or (token.name == "meta" and "charset" in token.attributes)
            )
        )
        if not early:
            break
        point = token.end
    return point
