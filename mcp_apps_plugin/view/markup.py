"""A tokenizer for HTML that knows where every tag and attribute stands in the text.

It follows the tokenization chapter of the HTML standard, as far as start tags, end tags, comments
and raw text are concerned. Positions let the builder change single attributes while everything
else passes through byte for byte, which no tree-building parser can promise; and the standard
library's parser ends scripts and comments differently from one Python release to the next.
"""

from __future__ import annotations

import re
from html import unescape
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAME: Final = re.compile(r"[^\t\n\f\r />]*")
_BEFORE_ATTRIBUTE: Final = re.compile(r"[\t\n\f\r /]*")
_ATTRIBUTE_NAME: Final = re.compile(r"=?[^\t\n\f\r />=]*")
_SPACES: Final = re.compile(r"[\t\n\f\r ]*")
_UNQUOTED: Final = re.compile(r"[^\t\n\f\r >]*")
_COMMENT_END: Final = re.compile(r"--!?>")
_SCRIPT_MARK: Final = re.compile(r"<!--|-->|</?script(?=[\t\n\f\r />])", re.IGNORECASE)

# Elements whose content is text. `noscript` is among them since scripts run wherever pages do.
_RAW: Final = frozenset(
    {
        "iframe",
        "noembed",
        "noframes",
        "noscript",
        "plaintext",
        "script",
        "style",
        "textarea",
        "title",
        "xmp",
    }
)
_FOREIGN: Final = frozenset({"svg", "math"})
_PLAIN_TAG: Final = re.compile(r"</?([A-Za-z][^\t\n\f\r />]*)[\t\n\f\r ]*>")
_NO_ATTRIBUTES: Final[Mapping[str, Attribute]] = MappingProxyType({})


class Attribute(NamedTuple):
    """One attribute of a start tag."""

    name: str
    value: str
    start: int
    end: int
    value_start: int
    """Where the value starts, after its quote; equal to `end` when there is no value."""


class Token(NamedTuple):
    """A tag, comment or doctype, from `start` to `end` in the text."""

    kind: Literal["start", "end", "comment", "doctype"]
    name: str
    start: int
    end: int
    attributes: Mapping[str, Attribute] = _NO_ATTRIBUTES
    content_end: int = -1
    """For raw-text elements: where the content that starts at `end` ends. Otherwise -1."""

    def get(self, name: str) -> str | None:
        """The value of an attribute, or None without it."""
        found = self.attributes.get(name)
        return None if found is None else found.value


def tokens(html: str, start: int = 0) -> Iterator[Token]:
    """Yield the tags, comments and doctypes of a document, lazily and in order."""
    foreign = 0
    at = start
    while (at := html.find("<", at)) >= 0:
        following = html[at + 1 : at + 2]
        if following.isascii() and following.isalpha():
            token, self_closing = _start_tag(html, at)
            if token is None:
                return
            if token.name in _FOREIGN:
                foreign += not self_closing
            elif token.name in _RAW and not (foreign and self_closing):
                token = _with_content(html, token)
        elif following == "/":
            token = _end_tag(html, at)
            if token.name in _FOREIGN:
                foreign = max(0, foreign - 1)
        elif following == "!":
            token = _declaration(html, at, in_foreign=foreign > 0)
        elif following == "?":
            token = Token("comment", "", at, _after(html, ">", at))
        else:
            at += 1
            continue
        yield token
        at = max(token.end, token.content_end)


def _after(html: str, mark: str, at: int) -> int:
    found = html.find(mark, at)
    return len(html) if found < 0 else found + len(mark)


def _start_tag(html: str, at: int) -> tuple[Token | None, bool]:
    """Read the start tag at `at`; None when the document ends inside it."""
    if plain := _PLAIN_TAG.match(html, at):
        return Token("start", plain[1].lower(), at, plain.end()), False
    name_end = _match(_NAME, html, at + 1)
    attributes: dict[str, Attribute] = {}
    here = name_end
    while True:
        here = _match(_BEFORE_ATTRIBUTE, html, here)
        if here >= len(html):
            return None, False
        if html[here] == ">":
            break
        attribute = _attribute(html, here)
        if attribute is None:
            return None, False
        attributes.setdefault(attribute.name, attribute)
        here = attribute.end
    # A slash counts only where it is not the end of an unquoted value.
    self_closing = html[here - 1] == "/" and all(a.end != here for a in attributes.values())
    token = Token("start", html[at + 1 : name_end].lower(), at, here + 1, attributes)
    return token, self_closing


def _match(pattern: re.Pattern[str], html: str, at: int) -> int:
    found = pattern.match(html, at)
    return at if found is None else found.end()


def _attribute(html: str, at: int) -> Attribute | None:
    name_end = _match(_ATTRIBUTE_NAME, html, at)
    name = html[at:name_end].lower()
    equals = _match(_SPACES, html, name_end)
    if html[equals : equals + 1] != "=":
        return Attribute(name, "", at, name_end, name_end)
    start = _match(_SPACES, html, equals + 1)
    quote = html[start : start + 1]
    if quote in {'"', "'"}:
        end = html.find(quote, start + 1)
        if end < 0:
            return None
        return Attribute(name, unescape(html[start + 1 : end]), at, end + 1, start + 1)
    end = _match(_UNQUOTED, html, start)
    return Attribute(name, unescape(html[start:end]), at, end, start)


def _end_tag(html: str, at: int) -> Token:
    following = html[at + 2 : at + 3]
    if not (following.isascii() and following.isalpha()):
        return Token("comment", "", at, _after(html, ">", at))
    if plain := _PLAIN_TAG.match(html, at):
        return Token("end", plain[1].lower(), at, plain.end())
    token, _ = _start_tag(html, at + 1)  # attributes of end tags are read and mean nothing
    if token is None:
        return Token("comment", "", at, len(html))
    return Token("end", token.name, at, token.end)


def _declaration(html: str, at: int, *, in_foreign: bool) -> Token:
    if html.startswith("<!--", at):
        for short in (">", "->"):
            if html.startswith(short, at + 4):
                return Token("comment", "", at, at + 4 + len(short))
        found = _COMMENT_END.search(html, at + 4)
        return Token("comment", "", at, found.end() if found else len(html))
    if in_foreign and html.startswith("<![CDATA[", at):
        return Token("comment", "", at, _after(html, "]]>", at))
    kind: Literal["doctype", "comment"] = (
        "doctype" if html[at + 2 : at + 9].lower() == "doctype" else "comment"
    )
    return Token(kind, "", at, _after(html, ">", at))


def _with_content(html: str, token: Token) -> Token:
    if token.name == "plaintext":
        end = len(html)
    elif token.name == "script":
        end = _script_end(html, token.end)
    else:
        closing = re.compile(rf"</{token.name}(?=[\t\n\f\r />])", re.IGNORECASE)
        found = closing.search(html, token.end)
        end = found.start() if found else len(html)
    return token._replace(content_end=end)


def _script_end(html: str, at: int) -> int:
    """Where a script's text ends, with the standard's escaped and double escaped states."""
    escaped = double = False
    while found := _SCRIPT_MARK.search(html, at):
        mark = found.group().lower()
        at = found.end()
        if mark == "<!--":
            escaped = True
            at -= 2  # the two dashes may already be those of `-->`
        elif mark == "-->":
            escaped = double = False
        elif mark == "<script":
            double = escaped
        elif double:
            double = False
        else:
            return found.start()
    return len(html)
