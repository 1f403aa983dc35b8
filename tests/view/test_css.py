from __future__ import annotations

import pytest
import tinycss2
from hypothesis import assume, example, given
from hypothesis import strategies as st

from mcp_apps_plugin.view import css

_PARTS = st.sampled_from(
    [
        *("a", "-b", "--c", "é", "url(", "URL(", "src(", "x(", "@import", "@layer", "#h", "1px"),
        *("1e3", "1e", "+.5%", "-", "--", ">", "<!--", "-->", "/*", "*/", "/* x */", "'", '"'),
        *("'a'", '"b"', "\\", "\\a", "\\0000a b", "\\\n", "\n", " ", "\t", "(", ")", "[", "]", "{"),
        *("}", ";", ",", "u", "url", "//", "data:x", "\\75rl(", "1url(", "|", "~=", "$="),
    ]
)


def _theirs(nodes):
    """Every URL, string and at-keyword, in order, as another parser sees them."""
    for node in nodes:
        if node.type in {"string", "url"}:
            yield node.type, node.value
        elif node.type == "at-keyword":
            yield "at", node.lower_value
        elif node.type == "function":
            yield "function", node.lower_name
            yield from _theirs(node.arguments)
        elif node.type.endswith("block"):
            yield from _theirs(node.content)


@given(st.lists(_PARTS, max_size=12).map("".join))
def test_tokens_are_those_of_another_parser(text):
    """Strings, URLs, functions and at-keywords are found where tinycss2 finds them."""
    assume("\\\n" not in text)  # the other parser takes an escaped line break into a URL
    ours = [
        (token.kind, token.value)
        for token in css.tokens(text)
        if token.kind in {"at", "function", "string", "url"}
    ]
    theirs = list(_theirs(tinycss2.parse_component_value_list(text)))
    # The other parser keeps an unclosed string in some places as an error, without its text.
    assert [t for t in ours if t[0] != "string"] == [t for t in theirs if t[0] != "string"]


@given(st.lists(_PARTS, max_size=12).map("".join))
def test_tokens_cover_the_text(text):
    """Tokens follow each other without gaps, so that nothing is lost when they are replaced."""
    tokens = list(css.tokens(text))
    assert "".join(text[token.start : token.end] for token in tokens) == text


@given(st.text(max_size=20))
def test_quoted_urls_read_back(url):
    """A URL written as a string reads back the same, and has nothing HTML knows."""
    written = css.quoted(url.replace("\0", ""))
    (token,) = css.tokens(written)
    assert (token.kind, token.value) == ("string", url.replace("\0", ""))
    assert not set("<>&'") & set(written)


@given(st.lists(_PARTS, max_size=12).map("".join))
@example("'\\a\n")  # the line end belongs to the escape, and not to a string that is broken off
@example("\\75rl('\\a\n")
@example("\\[(")
def test_closed_text_leaves_nothing_open(text):
    """After its closing, a stylesheet does not swallow what follows."""
    sheet = css.read(text)
    closed = text + "".join(i.closing for i in sheet.imports) + sheet.closing
    assert css.read(closed).closing == ""
    assert css.read(f"{closed}\n@media x{{").closing == "}"
    (rule,) = tinycss2.parse_stylesheet(f"{closed}\nz{{}}", skip_whitespace=True)[-1:]
    assert tinycss2.serialize(rule.prelude).strip() == "z"


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("a { background: url(x.png) }", ["x.png"]),
        ("a { background: URL( 'x y.png' ), url(\"z\") }", ["x y.png", "z"]),
        ("a { b: image-set('x' 1x, url(y) 2x type('image/png')) }", ["x", "y"]),
        ("@font-face { src: url(f.woff2) format('woff2'), local('L') }", ["f.woff2"]),
        ("@namespace url(http://www.w3.org/1999/xhtml); a { b: u\\72l(x) }", ["x"]),
        ("a { b: 'url(no)'; /* url(no) */ c: url(yes\\)\\20 x) }", ["yes) x"]),
        ("a { b: url(bad url) url(good) }", ["good"]),
        ("background: url(x); --y: url(z)", ["x", "z"]),
        ("@media print { @supports (x: url(s)) { a { b: url(u) } } }", ["s", "u"]),
        ("a { b: url(", [""]),
    ],
)
def test_what_a_stylesheet_loads(text, urls):
    """URLs are found wherever browsers load them, and nowhere else."""
    assert [load.url for load in css.read(text).loads] == urls


@pytest.mark.parametrize(
    ("text", "imports"),
    [
        ("@import 'a';@import url(b) screen;", [("a", None, "", ""), ("b", None, "", "screen")]),
        ("@IMPORT url('a') layer;", [("a", "", "", "")]),
        (
            "@import 'a' layer(x.y) supports(display: grid) (width > 1px), print",
            [("a", "x.y", "display: grid", "(width > 1px), print")],
        ),
        ("@charset 'utf-8';@layer a, b;/* x */@import 'a';", [("a", None, "", "")]),
        ("@layer a {} @import 'a';", []),
        ("p {} @import 'a';", []),
        ("@media x { @import 'a'; }", []),
        ("@import nonsense; @import 'a' supports(", [("a", None, "", "")]),
    ],
)
def test_imports_that_browsers_follow(text, imports):
    """Imports count at the start of a sheet, with their conditions."""
    found = css.read(text).imports
    assert [(i.url, i.layer, i.supports, i.media) for i in found] == imports
