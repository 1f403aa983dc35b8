"""A tokenizer for CSS that knows where every token stands, and what a stylesheet loads.

It follows the CSS Syntax standard for the tokens that matter to loading: comments, strings, URLs,
functions, at-keywords and brackets. Positions let the builder change single URLs while everything
else passes through byte for byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\n\r\f])?|[^0-9a-fA-F\n\r\f]|\Z)"
_BREAK = r"\\(?:\r\n|[\n\r\f])"  # an escaped line end, which only strings have
_NAME = rf"(?:[-\w]|[^\x00-\x7f]|{_ESCAPE})"
_IDENT = rf"(?:--|-?(?:[A-Za-z_]|[^\x00-\x7f]|{_ESCAPE})){_NAME}*"
_TOKEN: Final = re.compile(
    rf"""(?P<space>[ \t\n\r\f]+)
    |(?P<comment>/\*.*?(?:\*/|\Z))
    |(?P<string>"(?:[^"\\\n\r\f]|{_ESCAPE}|{_BREAK})*"?|'(?:[^'\\\n\r\f]|{_ESCAPE}|{_BREAK})*'?)
    |(?P<cd><!--|-->)
    |(?P<number>[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?:{_IDENT}|%)?)
    |(?P<at>@{_IDENT})
    |(?P<hash>\#{_NAME}+)
    |(?P<ident>{_IDENT})
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_URL_START: Final = re.compile(r"[ \t\n\r\f]*")
_URL_REST: Final = re.compile(rf"(?:[^\s()\"'\\\x00-\x1f\x7f]|{_ESCAPE})*", re.ASCII)
_BAD_URL_REST: Final = re.compile(rf"(?:[^)\\]|{_ESCAPE}|\\)*\)?", re.DOTALL)
_ESCAPED: Final = re.compile(
    r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|.)|\Z)", re.DOTALL
)
_HIGHEST: Final = 0x10FFFF
_CLOSERS: Final = {"(": ")", "[": "]", "{": "}"}

Kind = Literal[
    "space", "comment", "string", "cd", "number", "at", "hash", "ident", "function", "url", "other"
]


class Token(NamedTuple):
    """One CSS token, from `start` to `end` in the text."""

    kind: Kind
    value: str
    """Decoded: a string's text, a URL, a name in lower case; otherwise as written."""
    start: int
    end: int


def tokens(css: str, start: int = 0) -> Iterator[Token]:
    """Yield every token of a stylesheet or of a style attribute."""
    at = start
    while found := _TOKEN.match(css, at):
        kind: Kind = found.lastgroup  # type: ignore[assignment]  # the group names are the kinds
        value, end = found.group(), found.end()
        if kind == "string":
            inner = value[1:-1] if _closed(value) else value[1:]
            value = unescape(inner[:-1] if _ends_in_escape(inner) else inner)
        elif kind == "at":
            value = unescape(value[1:]).lower()
        elif kind == "ident":
            value = unescape(value).lower()
            if css.startswith("(", end):
                kind, end = "function", end + 1
                after = _at(_URL_START, css, end)
                if value == "url" and css[after : after + 1] not in {'"', "'"}:
                    value, kind, end = _url(css, after)
        yield Token(kind, value, at, end)
        at = end


def _at(pattern: re.Pattern[str], css: str, at: int) -> int:
    found = pattern.match(css, at)
    return at if found is None else found.end()


def _closed(text: str) -> bool:
    """Whether a string token ends with its quote, and not with an escaped one."""
    return len(text) > 1 and text[-1] == text[0] and not _ends_in_escape(text[:-1])


def _url(css: str, start: int) -> tuple[str, Kind, int]:
    """Read an unquoted URL; a malformed one is skipped as browsers skip it."""
    end = _at(_URL_REST, css, start)
    after = _at(_URL_START, css, end)
    if after >= len(css) or css[after] == ")":
        return unescape(css[start:end]), "url", min(after + 1, len(css))
    return "", "other", _at(_BAD_URL_REST, css, end)


def unescape(text: str) -> str:
    """Decode CSS escapes; an escaped line break in a string is nothing."""
    return _ESCAPED.sub(_decode, text) if "\\" in text else text


def _decode(found: re.Match[str]) -> str:
    digits, character = found.groups()
    if digits:
        code = int(digits, 16)
        bad = code == 0 or code > _HIGHEST or 0xD800 <= code <= 0xDFFF  # noqa: PLR2004 (surrogates)
        return "\ufffd" if bad else chr(code)
    if character is None:
        return "\ufffd"
    return "" if character in {"\r\n", "\r", "\n", "\f"} else str(character)


def quoted(url: str) -> str:
    """Write a URL as a CSS string that is safe in a `<style>` element and in an attribute."""
    escaped = (f"\\{ord(c):x} " if c in "\"&'<>\\\n\r\f\0" else c for c in url)
    return f'"{"".join(escaped)}"'


class Load(NamedTuple):
    """A URL that a stylesheet loads, and the text to replace to change it."""

    url: str
    start: int
    end: int
    is_string: bool
    """Whether the text is a bare string, which stays one: `image-set("a.png" 1x)`."""


class Import(NamedTuple):
    """An `@import` that browsers follow, with its conditions as text."""

    url: str
    start: int
    end: int
    layer: str | None
    """The layer's name, empty for an anonymous layer, None without."""
    supports: str
    media: str
    closing: str = ""
    """What has to follow the rule so that nothing in it stays open."""


@dataclass
class Sheet:
    """What one stylesheet loads."""

    loads: list[Load] = field(default_factory=list[Load])
    imports: list[Import] = field(default_factory=list[Import])
    closing: str = ""
    """What has to follow the text so that nothing in it stays open."""


def read(css: str) -> Sheet:
    """Find everything a stylesheet, or a style attribute, loads."""
    sheet = Sheet()
    stack: list[str] = []  # open brackets: "(", "[", "{", or a function with its bracket
    at_rule = ""  # the at-rule whose prelude or block at the outermost level we are in
    ending = ""  # what ends the rule whose prelude we are in, at the outermost level
    importing = True  # whether an `@import` would still be followed here
    stream = list(tokens(css))
    index = 0
    while index < len(stream):
        token = stream[index]
        index += 1
        if token.kind in {"space", "comment"} or (token.kind == "cd" and not stack):
            continue
        if not stack and not ending and token.kind == "at":
            at_rule = token.value
            if at_rule == "import" and importing and (after := _import(css, stream, index, sheet)):
                index, at_rule = after, ""
                continue
            importing = importing and at_rule in {"charset", "layer", "import"}
        elif not stack and not at_rule:
            importing = False  # a rule has begun
        if not stack:
            ending = (";" if at_rule else "{}") if token.value != ";" or not at_rule else ""
        if at_rule not in {"import", "namespace"} and (load := _load(stream, index - 1, stack)):
            sheet.loads.append(load)
        was_inside = bool(stack)
        _nest(stack, token)
        importing = importing and stack != ["{"]
        if was_inside and not stack and token.value == "}":
            at_rule = ending = ""
        if not stack and token.kind == "other" and token.value == ";":
            at_rule = ""
    if stack[:1] == ["{"]:
        ending = ""  # the rule has its block, which only has to be closed
    if not sheet.imports or not sheet.imports[-1].closing:
        sheet.closing = _closing(css, stream, stack, ending)
    return sheet


def _nest(stack: list[str], token: Token) -> None:
    """Follow the brackets that a token opens or closes."""
    if token.kind == "function" or (token.kind == "other" and token.value in _CLOSERS):
        # With its bracket: an escape may name a function `{`.
        stack.append(f"{token.value}(" if token.kind == "function" else token.value)
    elif token.kind == "other" and stack and token.value == _CLOSERS.get(stack[-1], ")"):
        stack.pop()


def _load(stream: list[Token], index: int, stack: list[str]) -> Load | None:
    token = stream[index]
    if token.kind == "url":
        return Load(token.value, token.start, token.end, is_string=False)
    if token.kind != "string" or not stack:
        return None
    if stack[-1] in {"url(", "src("}:
        opening = next(t for t in reversed(stream[:index]) if t.kind == "function")
        closing = stream[index + 1 : index + 3]
        end = next((t.end for t in closing if t.value == ")"), token.end)
        return Load(token.value, opening.start, end, is_string=False)
    if stack[-1] in {"image-set(", "-webkit-image-set("}:
        return Load(token.value, token.start, token.end, is_string=True)
    return None


def _import(css: str, stream: list[Token], index: int, sheet: Sheet) -> int | None:
    """Read an `@import` from the token after its keyword on, and return the index after it.

    Without a URL it is a rule like any other that browsers do not know: None.
    """
    end = index
    stack: list[str] = []
    while end < len(stream):
        token = stream[end]
        if not stack and token.value == ";" and token.kind == "other":
            break
        _nest(stack, token)
        end += 1
    words = [t for t in stream[index:end] if t.kind not in {"space", "comment"}]
    url = _import_url(words)
    if url is None:
        return None
    start = stream[index - 1].start
    if end < len(stream):
        conditions = _conditions(css, words, stream[end].start)
        sheet.imports.append(Import(url, start, stream[end].end, *conditions))
    else:
        closing = _closing(css, stream, stack, ";")
        layer, supports, media = _conditions(css, words, len(css))
        media = f"{media}{closing[:-1]}" if media else ""
        sheet.imports.append(Import(url, start, len(css), layer, supports, media, closing))
    return end + 1


def _import_url(words: list[Token]) -> str | None:
    """Take the URL off the words of an `@import`."""
    if words and words[0].kind in {"string", "url"}:
        return words.pop(0).value
    if [t.kind for t in words[:2]] == ["function", "string"] and words[0].value == "url":
        url = words[1].value
        del words[: 3 if len(words) > 2 and words[2].value == ")" else 2]  # noqa: PLR2004
        return url
    return None


def _conditions(css: str, words: list[Token], end: int) -> tuple[str | None, str, str]:
    layer: str | None = None
    supports = ""
    if words and words[0].kind == "ident" and words[0].value == "layer":
        layer = ""
        del words[0]
    elif words and words[0].kind == "function" and words[0].value == "layer":
        layer = _arguments(css, words, end)
    if words and words[0].kind == "function" and words[0].value == "supports":
        supports = _arguments(css, words, end)
    media = css[words[0].start : end].strip() if words else ""
    return layer, supports, media


def _arguments(css: str, words: list[Token], end: int) -> str:
    """Take a function with its arguments off the words, and return the arguments' text."""
    start = words[0].end
    depth = 0
    for index, token in enumerate(words):
        depth += token.kind == "function" or (token.kind == "other" and token.value == "(")
        depth -= token.kind == "other" and token.value == ")"
        if not depth:
            del words[: index + 1]
            return css[start : token.start].strip()
    words.clear()
    return css[start:end].strip()


def _closing(css: str, stream: list[Token], stack: list[str], ending: str) -> str:
    closing = ""
    last = stream[-1] if stream else None
    text = css[last.start :] if last else ""
    # A backslash at the very end would escape what follows; before a line break it is nothing.
    dangling = "\n" if _ends_in_escape(text) else ""
    if last and last.kind == "comment":
        dangling = ""
        closing = "" if text.endswith("*/") and text != "/*/" else "*/"
    elif last and last.kind == "string" and not _closed(text):
        closing = text[0]
    elif last and (last.kind == "url" or (last.kind == "other" and not last.value)):
        closing = "" if text.endswith(")") and not _ends_in_escape(text[:-1]) else ")"
    rest = "".join(_CLOSERS.get(opened, ")") for opened in reversed(stack)) + ending
    return dangling + closing + rest if closing or rest else ""


def _ends_in_escape(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1
