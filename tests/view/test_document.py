from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.view import complete_document, embed, insertion_point
from mcp_apps_plugin.view.data import names_place
from mcp_apps_plugin.view.markup import tokens

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["</script>", "<!--", "<script>", "\u2028", "\ud800", "]]>"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(_JSON)
def test_embedded_json_reads_back(data):
    """Any JSON comes back as it was, and no markup in it reaches the document."""
    html = embed("<!doctype html><p>", data=data, names={"a": "b"})
    scripts = [token for token in tokens(html) if token.name == "script" and token.kind == "start"]
    found = {token.get("id"): html[token.end : token.content_end] for token in scripts}
    if data is not None:
        text = found.pop("mcp-app-data")
        assert json.loads(text) == data
        assert not set("<\u2028\u2029") & set(text)
    assert json.loads(found.pop("mcp-app-names")) == {"a": "b"}
    assert not found
    html.encode()


NAMES = '<script type="application/json" id="mcp-app-names">'


@pytest.mark.parametrize(
    "own",
    [
        '<script>/* the element id="mcp-app-names"> is ours */</script>',
        '<p id="mcp-app-names">{}</p>',
        f"<!-- {NAMES} -->",
        f"<script>const opening = '{NAMES}';</script>",
        f"{NAMES}words</script>",
        f"{NAMES}[1]</script>",
        f'{NAMES}{{"a": 1}}</script>',
        f"{NAMES}{'[' * 100_000}</script>",
        f"{NAMES}{{}}",
        NAMES * 20_000,
    ],
    ids=str.__len__,
)
def test_what_looks_like_the_names(own):
    """A page's own text is none of ours, before and after there are names in it."""
    html = f"<!doctype html>{own}"
    assert names_place(html) is None
    named = embed(html, names={"a": "n_a"})
    place = names_place(named)
    assert json.loads(named[place]) == {"a": "n_a"}
    assert named.endswith(own)
    below = f"{own}{embed('<p>', names={'a': 'n_a'})}"  # however far down it stands
    place = names_place(below)
    if own != f"{NAMES}{{}}":
        assert json.loads(below[place]) == {"a": "n_a"}


@pytest.mark.parametrize("data", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_json_cannot_say_is_refused(data):
    """Data that JavaScript could not parse never reaches a page."""
    with pytest.raises((TypeError, ValueError)):
        embed("<!doctype html>", data=data)


def test_nothing_to_embed_changes_nothing():
    """Without data and names the document is the same object."""
    html = "<!doctype html><p>"
    assert embed(html) is html
    assert embed(html, names={}) is html


@pytest.mark.parametrize(
    "before",
    [
        "<!doctype html>",
        "\ufeff <!-- x --><!DOCTYPE html PUBLIC 'x'>",
        "<!doctype html>\n<html lang=en>\n<!-- c --><head a>\n<meta charset=utf-8>",
        "<html><head>",
        "",
    ],
)
def test_data_stands_before_everything_that_reads_it(before):
    """The place is after the doctype, the head's tag and the charset, before all else."""
    html = f"{before}<meta name=viewport><script>read()</script>"
    assert insertion_point(html) == len(before)


@pytest.mark.parametrize(
    "html",
    [
        "<!doctype html>",
        "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'><p>",
        "<html><p>",
        "\ufeff\n <!-- a --> <!-- b -->\t<!doctype html><p>",
        "<!--[if IE]><![endif]--><HTML lang=en>",
    ],
)
def test_a_full_document_is_left_alone(html):
    """A document with a doctype or an html tag passes through as the same object."""
    assert complete_document(html) is html


@pytest.mark.parametrize(
    "fragment",
    [
        "",
        "text",
        "<p>x",
        "text <!doctype html>",
        "<!-- only a comment -->",
        "<!-- open",
        "<head><title>x</title></head><body class=a>b",
        "<p><!doctype html>",
        "x<html>",
    ],
)
def test_a_fragment_is_completed(fragment):
    """Anything else gets a doctype, a charset and an end, and is inside unchanged."""
    html = complete_document(fragment)
    assert html.startswith('<!doctype html><html><head><meta charset="utf-8">')
    assert html.endswith(f"{fragment}</html>")
    assert complete_document(html) is html


def test_a_byte_order_mark_does_not_end_up_inside():
    """The mark of a fragment would be text in the document."""
    assert "\ufeff" not in complete_document("\ufeff<p>")
