"""Merging settings: nothing is lost, order of merging does not matter, twice is once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.protocol.capabilities import merge_settings, renders_pages, ui_settings

MIME = "text/html;profile=mcp-app"
SCALARS = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b"])
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
    ),
    max_leaves=8,
)
SETTINGS = st.dictionaries(st.sampled_from("pqrs"), JSON, max_size=4)
ORDINARY = st.dictionaries(
    st.sampled_from(["mimeTypes", "tags"]),
    st.lists(st.sampled_from("abc"), max_size=3, unique=True),
) | st.dictionaries(st.sampled_from(["elicitation", "limits"]), st.just({"form": {}}))


@given(SETTINGS, SETTINGS)
def test_no_key_is_lost(base: dict[str, Any], update: dict[str, Any]) -> None:
    """Every key of both sides is there afterwards, and neither side is changed."""
    before = repr(base), repr(update)
    assert merge_settings(base, update).keys() == base.keys() | update.keys()
    assert (repr(base), repr(update)) == before


@given(SETTINGS, SETTINGS)
def test_merging_again_changes_nothing(base: dict[str, Any], update: dict[str, Any]) -> None:
    """Merging is idempotent."""
    once = merge_settings(base, update)
    assert merge_settings(once, update) == once


@given(SETTINGS)
def test_nothing_is_neutral(settings: dict[str, Any]) -> None:
    """Merging with nothing gives the settings; lists lose repetitions only when they meet."""
    assert merge_settings(settings, {}) == settings
    assert merge_settings({}, settings) == settings


@given(ORDINARY, ORDINARY, ORDINARY)
def test_merging_is_associative(
    one: dict[str, Any], two: dict[str, Any], three: dict[str, Any]
) -> None:
    """Settings of the same shape merge in any grouping."""
    left = merge_settings(merge_settings(one, two), three)
    assert left == merge_settings(one, merge_settings(two, three))


@given(SETTINGS, SETTINGS, SETTINGS)
def test_the_keys_are_associative(
    one: dict[str, Any], two: dict[str, Any], three: dict[str, Any]
) -> None:
    """Where shapes differ the later wins, and no key is lost in any grouping."""
    left = merge_settings(merge_settings(one, two), three)
    right = merge_settings(one, merge_settings(two, three))
    assert left.keys() == right.keys()


def test_the_rules() -> None:
    """Objects merge deeply, lists become a union in order, else the later wins."""
    assert merge_settings(
        {"a": {"x": 1, "y": {"k": 1}}, "l": ["p", "q"], "s": 1},
        {"a": {"y": {"m": 2}}, "l": ["q", "r"], "s": 2},
    ) == {"a": {"x": 1, "y": {"k": 1, "m": 2}}, "l": ["p", "q", "r"], "s": 2}


@pytest.mark.parametrize(
    ("settings", "renders"),
    [
        (None, False),
        ({}, False),
        ({"mimeTypes": []}, False),
        ({"mimeTypes": ["text/html"]}, False),
        ({"mimeTypes": ["text/html+skybridge"]}, False),
        ({"mimeTypes": ["text/html; profile=mcp-app"]}, False),
        ({"mimeTypes": MIME}, False),
        ({"mimeTypes": 3}, False),
        ({"mimeTypes": [MIME]}, True),
        ({"mimeTypes": ["text/html", MIME]}, True),
    ],
)
def test_support_is_the_exact_mime_type(settings: Any, renders: bool) -> None:  # noqa: FBT001
    """The extension key alone is no support; nor is any other MIME type."""
    assert renders_pages(settings) is renders


@pytest.mark.parametrize("extensions", [None, 3, [], {}, {"io.modelcontextprotocol/ui": 3}])
def test_malformed_extensions(extensions: Any) -> None:
    """What a peer sent in a wrong shape counts as not declared."""
    assert ui_settings(extensions) is None
    assert ui_settings({"io.modelcontextprotocol/ui": {"a": 1}}) == {"a": 1}
