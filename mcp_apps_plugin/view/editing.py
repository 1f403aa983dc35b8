"""Collects changes to a document and makes them, leaving everything else byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .markup import Attribute, Token


class Edits:
    """Changes to one text."""

    def __init__(self, text: str) -> None:
        """Change nothing yet."""
        self._text = text
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, replacement: str) -> None:
        """Put something in the place of a part of the text."""
        self._edits.append((start, end, replacement))

    def value(self, attribute: Attribute, value: str) -> None:
        """Give an attribute a new value."""
        escaped = value.replace("&", "&amp;").replace('"', "&quot;")
        name = self._text[attribute.start : attribute.start + len(attribute.name)]
        self.replace(attribute.start, attribute.end, f'{name}="{escaped}"')

    def drop(self, token: Token, names: Iterable[str]) -> None:
        """Take attributes away from a start tag, with the white space before each."""
        for name in names:
            attribute = token.attributes.get(name)
            if attribute is not None:
                before = self._text[token.start : attribute.start]
                start = token.start + len(before.rstrip("\t\n\f\r "))
                self.replace(start, attribute.end, "")

    def content(self, token: Token, content: str) -> None:
        """Put something in the place of a raw-text element's content."""
        closed = self._text.startswith("</", token.content_end)
        self.replace(
            token.end, token.content_end, content if closed else f"{content}</{token.name}>"
        )

    def result(self) -> str:
        """The text with all changes made."""
        parts: list[str] = []
        at = 0
        for start, end, replacement in sorted(self._edits, key=lambda edit: edit[:2]):
            parts += self._text[at:start], replacement
            at = end
        return "".join(parts) + self._text[at:]


def kept(text: str, token: Token, dropped: Iterable[str]) -> str:
    """The attributes of a tag as they are written, without some, each after a space."""
    return "".join(
        f" {text[attribute.start : attribute.end]}"
        for attribute in token.attributes.values()
        if attribute.name not in dropped
    )
