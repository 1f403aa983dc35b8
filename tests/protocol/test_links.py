"""Addresses, and the link in every spelling that hosts read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.protocol.links import (
    friendly_name,
    link_of,
    rewrite_links,
    uri_problem,
    visibility_of,
    without_links,
)

A, B, C = "ui://a/1", "ui://b/2", "ui://c/3"


@pytest.mark.parametrize(
    "uri", ["ui://weather/dashboard", "ui://a", "ui://a/", "ui://A.b-c_d/e/f.html", "ui://x/%20;=~"]
)
def test_addresses(uri: str) -> None:
    """A fixed, absolute URI with a host part is an address, whatever its path."""
    assert uri_problem(uri) is None


@given(st.text(max_size=30))
def test_an_accepted_address_is_a_plain_uri(text: str) -> None:
    """Whatever is accepted is ASCII, starts with `ui://`, has a host, and no template or space."""
    uri = f"ui://{text}"
    if uri_problem(uri) is None:
        assert uri.isascii()
        assert uri[5].isalnum()
        assert not set(uri) & set(' {}?#"<>\\^`|\n\t')


@pytest.mark.parametrize(
    ("meta", "link"),
    [
        (None, None),
        ({}, None),
        ({"ui": {"resourceUri": A}, "ui/resourceUri": B, "openai/outputTemplate": C}, A),
        ({"ui": {}, "ui/resourceUri": B, "openai/outputTemplate": C}, B),
        ({"openai/outputTemplate": C}, C),
        ({"ui": True, "ui/resourceUri": B}, B),
        ({"ui": {"resourceUri": "https://a"}}, None),
        ({"ui": {"resourceUri": "https://a"}, "ui/resourceUri": B}, None),
        ({"ui": {"resourceUri": 3}}, None),
        ({"ui": {"resourceUri": "UI://a"}}, None),
    ],
)
def test_reading_a_link(meta: Any, link: str | None) -> None:
    """Nested first, then the flat key, then ChatGPT's; only `ui://` counts."""
    assert link_of(meta) == link


def test_rewriting_and_dropping() -> None:
    """Every spelling is rewritten or dropped, and everything else stays."""
    meta = {
        "ui": {"resourceUri": A, "visibility": ["app"]},
        "ui/resourceUri": A,
        "openai/outputTemplate": A,
        "acme": A,
    }
    assert rewrite_links(meta, lambda uri: uri.replace("ui://a", "ui://ns/a")) == {
        "ui": {"resourceUri": "ui://ns/a/1", "visibility": ["app"]},
        "ui/resourceUri": "ui://ns/a/1",
        "openai/outputTemplate": "ui://ns/a/1",
        "acme": A,
    }
    assert without_links(meta) == {"ui": {"visibility": ["app"]}, "acme": A}
    assert meta["ui"]["resourceUri"] == A
    assert rewrite_links({"ui": {"resourceUri": "x"}}, str.upper) == {"ui": {"resourceUri": "x"}}


@pytest.mark.parametrize(
    ("meta", "who"),
    [
        (None, {"model", "app"}),
        ({"ui": {}}, {"model", "app"}),
        ({"ui": {"visibility": ["app"]}}, {"app"}),
        ({"ui": {"visibility": ["app", "other"]}}, {"app"}),
        ({"ui": {"visibility": []}}, set()),
        ({"ui": {"visibility": "app"}}, set()),
        ({"ui": {"visibility": None}}, set()),
    ],
)
def test_visibility(meta: Any, who: set[str]) -> None:
    """Absent means both; nonsense means nobody."""
    assert visibility_of(meta) == who


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("ui://get-time/mcp-app.html", "Get Time"),
        ("ui://get-time/view.html", "Get Time"),
        ("ui://weather/dashboard", "Dashboard"),
        ("ui://weather/sun_and-rain", "Sun And Rain"),
        ("ui://weather", "Weather"),
        ("ui://weather/a/b.html", "A"),
        ("ui://view.html", "View.html"),
        ("ui://--/x.html", "ui://--/x.html"),
    ],
)
def test_names(uri: str, name: str) -> None:
    """A page's display name comes from its URI."""
    assert friendly_name(uri) == name
