from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.view.markup import tokens

_PARTS = st.sampled_from(
    [
        *("<a", "<!--", "-->", "--!>", "<script", "</script", "<style>", "</style >", "<svg", "/>"),
        *(">", "</", "<", " a", "=", "'", '"', "b", " ", "/", "<!doctype html>", "<?x", "]]>"),
        *("<![CDATA[", "<title>", "</title>", "\n", "&amp;", "text", "<noscript>"),
        *("</noscript>", "<plaintext>"),
    ]
)


@given(st.lists(_PARTS, max_size=14).map("".join))
def test_tokens_are_in_order_and_inside_the_text(html):
    """Tokens never overlap, start with `<`, and attributes lie inside their tags."""
    at = 0
    for token in tokens(html):
        assert at <= token.start < token.end <= len(html)
        assert html[token.start] == "<"
        at = max(token.end, token.content_end)
        assert at <= len(html)
        for attribute in token.attributes.values():
            assert token.start < attribute.start < attribute.end < token.end
            assert html[attribute.start : attribute.end].lower().startswith(attribute.name)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z:-]{0,5}", fullmatch=True), st.text(max_size=8), max_size=4
    )
)
def test_attributes_read_as_written(attributes):
    """Quoted attributes read back as another parser reads them."""
    seen: list[tuple[str, str | None]] = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag, attrs):
            seen.extend(attrs if tag else [])

    pairs = " ".join(f'{name}="{value.replace(chr(34), "")}"' for name, value in attributes.items())
    html = f"<a {pairs}>"
    (token,) = tokens(html)
    Parser().feed(html)
    assert {a.name: a.value for a in token.attributes.values()} == dict(seen)


def _read(html):
    return [
        (t.kind, t.name, html[t.end : t.content_end] if t.content_end >= 0 else None)
        for t in tokens(html)
    ]


@pytest.mark.parametrize(
    ("html", "content"),
    [
        ("<script>a</script>", "a"),
        ("<SCRIPT>a</script x>b", "a"),
        ("<script>a</scripty></script>", "a</scripty>"),
        ("<script><!--<script></script>--></script>", "<!--<script></script>-->"),
        ("<script><!-- </script>", "<!-- "),
        ("<script><!--><script></script>", "<!--><script>"),
        ("<script><!--<script>-->x</script>", "<!--<script>-->x"),
        ("<script>'<!--<scripty>'</script>", "'<!--<scripty>'"),
        ("<script>open", "open"),
        ("<style></style", "</style"),
        ("<title>a<b></title>", "a<b>"),
        ("<noscript><link></noscript>", "<link>"),
        ("<plaintext></plaintext>", "</plaintext>"),
        ("<script/>x</script>", "x"),
    ],
)
def test_raw_text_ends_where_the_standard_says(html, content):
    """Scripts, styles and the like end where browsers end them."""
    assert _read(html)[0][2] == content


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("<!--><a>-->", ["", "a"]),
        ("<!-- --!><a>", ["", "a"]),
        ("<!---><a>", ["", "a"]),
        ("<!-- <a> ", [""]),
        ("<?php <a> ?><b>", ["", "b"]),
        ("</ <a><b>", ["", "b"]),
        ("<![CDATA[<a>]]><b>", ["", "b"]),
        ("<svg><![CDATA[<a>]]><b>", ["svg", "", "b"]),
        ("<svg><title/><a></svg><title/><a>", ["svg", "title", "a", "svg", "title"]),
        ("<a <b>", ["a"]),
        ("<a b='", []),
        ("< a><1>", []),
        ("</b x='>'><a>", ["b", "a"]),
    ],
)
def test_tags_are_those_of_the_standard(html, names):
    """Comments, bogus comments and unfinished tags are read as browsers read them."""
    assert [token.name for token in tokens(html)] == names


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        ("<a b=c/>", {"b": "c/"}),
        ("<a b = 'c' b=d E>", {"b": "c", "e": ""}),
        ("<a\tb=\"&quot;&lt;\"c='d'/>", {"b": '"<', "c": "d"}),
        ("<a =b=c / d>", {"=b": "c", "d": ""}),
        ("<a b=>", {"b": ""}),
    ],
)
def test_attributes_of_every_form(tag, attributes):
    """Attributes are read as browsers read them; of two with one name the first counts."""
    (token,) = tokens(tag)
    assert {a.name: a.value for a in token.attributes.values()} == attributes
