from __future__ import annotations

import gzip
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.view import library
from mcp_apps_plugin.view.library import library_names
from mcp_apps_plugin.view.markup import tokens
from mcp_apps_plugin.view.problems import RefusedError
from mcp_apps_plugin.view.scripts import (
    first_error,
    parse,
    script_safe,
    string_literal,
    string_value,
    text_of,
)

_DANGER = st.sampled_from(
    ["</script>", "</SCRIPT ", "<!--", "<script>", "-->", "a", "</", " ", "\\n"]
)


def _leaves(code):
    """The tokens of a script, without comments."""
    found = []
    waiting = [parse(code.encode()).root_node]
    while waiting:
        node = waiting.pop()
        if node.type in {"string", "regex"} or (node.child_count == 0 and node.type != "comment"):
            found.append(text_of(node))
        elif node.type != "comment":
            waiting += reversed(node.children)
    return found


def _in_html(code):
    (script, *_) = tokens(f"<script>{code}</script>")
    return f"<script>{code}</script>"[script.end : script.content_end]


@given(st.lists(_DANGER, max_size=6).map("".join), st.sampled_from(["'", '"', "`"]))
def test_strings_keep_their_value(text, quote):
    """A string or template with markup in it means the same, and HTML does not see the markup."""
    safe = script_safe(f"x = {quote}{text}{quote};")
    assert _in_html(safe) == safe
    root = parse(safe.encode()).root_node
    assert not root.has_error
    literal = root.named_children[0].named_children[0].child_by_field_name("right")
    assert string_value(literal) == text.replace("\\n", "\n")


@given(st.lists(_DANGER, max_size=6).map("".join))
def test_comments_and_regular_expressions_stay_what_they_are(text):
    """Markup in comments and regular expressions neither ends the script nor changes the code."""
    text = text.replace("\\n", "").replace("/", "\\/").replace("<\\/", "</")
    code = f"a = 1; /* {text.replace('*/', '')} */ b = 2; // {text}\nc = 3;"
    safe = script_safe(code)
    assert _in_html(safe) == safe
    assert _leaves(safe) == _leaves(code)


@pytest.mark.parametrize(
    ("code", "safe"),
    [
        ("a</script>/g", "a< /script>/g"),
        ("a<!--b", "a< !--b"),
        ("/<!--/", "/\\x3c!--/"),
        ("/(?<!--)x/", "/(?<!\\x2d-)x/"),
        ("/[(?<!--]/", "/[(?\\x3c!--]/"),
        ("/[\\]](?<!--)/", "/[\\]](?<!\\x2d-)/"),
        ("String.raw`</script>`", 'String.raw`${"<"}/script>`'),
        ("tag`</script>${1}`", "tag`\\x3c/script>${1}`"),
        ("`${a</script>/g}`", "`${a< /script>/g}`"),
        ("`${'</script>'}`", "`${'\\x3c/script>'}`"),
        ("({ '</script>': 1 })", "({ '\\x3c/script>': 1 })"),
        ("const ok = '<script>'", "const ok = '<script>'"),
    ],
)
def test_each_place_has_its_way(code, safe):
    """What is written instead depends on what the markup is part of."""
    assert script_safe(code) == safe


def test_old_comments_are_comments():
    """`<!--` starts a comment in classic scripts, and stays one."""
    assert script_safe("<!-- a\nb") == "// -- a\nb"


def test_unreadable_places_are_refused():
    """Where nothing is known to mean the same, the script is refused and not guessed at."""
    with pytest.raises(RefusedError) as caught:
        script_safe("a = <b></script>")
    assert caught.value.code == "page-script-unsafe"


@given(st.text())
def test_string_literals_read_back(text):
    """Text written as a literal is the same text, and has nothing HTML knows."""
    text = text.encode("utf-8", "replace").decode()
    literal = string_literal(text)
    assert "<" not in literal
    assert json.loads(literal.replace("\\x3c", "<")) == text


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'\\x41\\u0042\\u{43}\\n\\\\\\'\\\n'", "ABC\n\\'"),
        ("`a`", "a"),
        ("`${a}`", None),
        ("1", None),
        ("''", ""),
    ],
)
def test_values_of_literals(literal, value):
    """Literals are read with their escapes; what is not a literal has no value."""
    root = parse(literal.encode()).root_node
    assert string_value(root.named_children[0].named_children[0]) == value


def test_without_name_shortening_no_token_changes(monkeypatch: pytest.MonkeyPatch):
    """Where the platform has no shortening minifier, the library keeps every token."""
    monkeypatch.setitem(sys.modules, "minify", None)
    whole, small = library(minify=False), library.__wrapped__()
    assert len(small) < len(whole) * 0.9
    assert _leaves(small) == _leaves(whole)


def test_the_library_is_small():
    """Minified and compressed, the library has at most 6 KB, and all its public names."""
    pytest.importorskip("minify", reason="this platform has no shortening minifier")
    small = library()
    assert len(gzip.compress(small.encode(), 9)) <= 6 * 1024
    assert all(name in small for name in library_names())
    assert first_error(parse(small.encode()).root_node) is None


def test_errors_have_a_place():
    """The first place that is not JavaScript is found."""
    root = parse(b"let a = 1;\nlet b = = 2;").root_node
    error = first_error(root)
    assert error is not None
    assert error.start_point[0] == 1
    assert first_error(parse(b"let a").root_node) is None
