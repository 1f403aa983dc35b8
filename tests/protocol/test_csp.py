"""The grammar of origins and the policy built from them, with properties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin import AppsValueError, Csp
from mcp_apps_plugin.protocol.csp import (
    DEFAULT_POLICY,
    build_policy,
    covers,
    is_origin,
    origin_problem,
)

DIRECTIVES = [
    "default-src",
    "script-src",
    "style-src",
    "connect-src",
    "img-src",
    "font-src",
    "media-src",
    "frame-src",
    "object-src",
    "base-uri",
]
LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
HOST = st.lists(LABEL, min_size=1, max_size=4).map(".".join)
ORIGIN = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["https", "http", "wss", "ws"]),
    st.sampled_from(["", "*."]),
    HOST,
    st.one_of(st.just(""), st.integers(0, 65535).map(":{}".format)),
)
FIELDS = ["connect_domains", "resource_domains", "frame_domains", "base_uri_domains"]
WIRE_NAMES = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("https://a; script-src *", "white space, a quote, a comma or a semicolon"),
        ("https://a.example;", "semicolon"),
        ("https://a.example,https://b.example", "comma"),
        ("'self'", "quote"),
        ("'self'; script-src *", "quote"),
        ('https://"a"', "quote"),
        ("https://a.example\n", "white space"),
        ("https://a.example\r\nSet-Cookie: x", "white space"),
        ("https://a.example\x00", "white space"),
        (" https://a.example", "white space"),
        ("https://a.example/", "ends with a slash"),
        ("https://a.example/path", "has a path"),
        ("https://a.example?x", "has a path"),
        ("https://a.example#x", "has a path"),
        ("https://user:pw@a.example", "credentials"),
        ("https://user@a.example", "credentials"),
        ("a.example", "has no scheme; write `https://a.example`"),
        ("*.a.example", "has no scheme"),
        ("*", "would allow every origin"),
        ("https://*", "would allow every origin"),
        ("http://*:8080/", "would allow every origin"),
        (
            "a.example/x",
            "has no scheme, and has a path; an origin ends after host and port: `https://a.example`",
        ),
        ("//a.example", "has no scheme"),
        ("https:", "is a scheme"),
        ("data:", "is a scheme"),
        ("blob:", "is a scheme"),
        ("file://a", "has the scheme `file`"),
        ("ui://a/b", "has the scheme `ui`"),
        ("HTTPS://a.example", "has the scheme `HTTPS`"),
        ("https://", "is not scheme, host and port"),
        ("https://a.*.example", "is not scheme, host and port"),
        ("https://*a.example", "is not scheme, host and port"),
        ("https://a.example:", "is not scheme, host and port"),
        ("https://a.example:x", "is not scheme, host and port"),
        ("https://a.example:*", "is not scheme, host and port"),
        ("https://a.example:65536", "port above 65535"),
        ("https://a..example", "is not scheme, host and port"),
        ("https://-a.example", "is not scheme, host and port"),
        ("https://straße.example", "is not ASCII"),
        ("", "is empty"),
        (None, "is NoneType, not a string"),
        (3, "is int, not a string"),
    ],
)
def test_what_is_no_origin(entry: Any, problem: str) -> None:
    """An entry that would change the policy, or that a browser would not read, is named."""
    assert problem in (origin_problem(entry) or "")
    with pytest.raises(AppsValueError) as caught:
        Csp(connect_domains=[entry])
    assert f"`{entry}`" in str(caught.value)
    assert "connect_domains" in str(caught.value)


@pytest.mark.parametrize(
    "entry",
    [
        "https://api.example.com",
        "https://api.example.com:8443",
        "http://localhost:5173",
        "wss://live.example.com",
        "https://*.example.com",
        "http://127.0.0.1:80",
        "https://[::1]:8080",
        "https://xn--strae-oqa.example",
        "https://a_b.example",
    ],
)
def test_what_is_an_origin(entry: str) -> None:
    """Scheme, host and port, with a wildcard for the first label at most."""
    assert origin_problem(entry) is None
    assert Csp(frame_domains=[entry]).to_wire()["frameDomains"] == [entry]


@given(ORIGIN)
def test_origins_are_accepted_as_they_are(origin: str) -> None:
    """Every origin of the grammar is accepted, and is not changed on the way to the wire."""
    assert is_origin(origin)
    assert Csp(resource_domains=[origin]).to_wire()["resourceDomains"] == [origin]


@given(st.text(max_size=40))
def test_an_accepted_text_is_harmless(text: str) -> None:
    """Whatever is accepted has no character that means anything in a header."""
    if is_origin(text):
        assert text.isascii()
        assert not set(text) & set(" \t\r\n;,'\"\\<>/?#@%") - {"/"}
        assert text.count("/") == 2


ENTRY = st.one_of(
    ORIGIN,
    st.text(max_size=30),
    st.integers(),
    st.none(),
    st.sampled_from(["'unsafe-eval'", "https://a; script-src *", "*", "x\r\nX-H: 1"]),
)


@given(st.dictionaries(st.sampled_from(WIRE_NAMES), st.lists(ENTRY, max_size=4)))
def test_no_header_can_be_injected(csp: dict[str, Any]) -> None:
    """The policy has exactly its directives, and only origins are added, whatever a server says."""
    policy = build_policy(csp)
    parts = policy.split("; ")
    assert [part.split(" ")[0] for part in parts] == DIRECTIVES
    assert policy.isascii()
    assert not set(policy) & set('\r\n\t\x00,"')
    fixed = {"'none'", "'self'", "'unsafe-inline'", "data:"}
    for part in parts:
        assert all(word in fixed or is_origin(word) for word in part.split(" ")[1:])


@pytest.mark.parametrize("csp", [{}, {"connectDomains": None}, {"connectDomains": "https://a"}])
def test_malformed_lists_count_as_empty(csp: dict[str, Any]) -> None:
    """What is no list is no list of origins."""
    assert "connect-src 'self';" in build_policy(csp)


def test_the_policy() -> None:
    """Each list goes into its directives; none declared is the strictest policy."""
    policy = build_policy(
        {
            "connectDomains": ["https://api.example"],
            "resourceDomains": ["https://cdn.example"],
            "frameDomains": ["https://frame.example"],
            "baseUriDomains": ["https://base.example"],
        }
    )
    assert policy == (
        "default-src 'none'; "
        "script-src 'self' 'unsafe-inline' https://cdn.example; "
        "style-src 'self' 'unsafe-inline' https://cdn.example; "
        "connect-src 'self' https://api.example; "
        "img-src 'self' data: https://cdn.example; "
        "font-src 'self' https://cdn.example; "
        "media-src 'self' data: https://cdn.example; "
        "frame-src https://frame.example; "
        "object-src 'none'; "
        "base-uri https://base.example"
    )
    assert build_policy(None) == DEFAULT_POLICY
    assert "connect-src 'none'" in DEFAULT_POLICY
    assert build_policy({}).endswith("frame-src 'none'; object-src 'none'; base-uri 'self'")


@pytest.mark.parametrize(
    ("declared", "origin", "covered"),
    [
        ("https://a.example", "https://a.example", True),
        ("https://a.example", "https://A.EXAMPLE", True),
        ("https://a.example", "https://b.example", False),
        ("https://a.example", "https://x.a.example", False),
        ("https://*.a.example", "https://x.a.example", True),
        ("https://*.a.example", "https://x.y.a.example", True),
        ("https://*.a.example", "https://a.example", False),
        ("https://*.a.example", "https://xa.example", False),
        ("https://a.example:443", "https://a.example", True),
        ("https://a.example:8443", "https://a.example", False),
        ("http://a.example", "https://a.example", True),
        ("https://a.example", "http://a.example", False),
        ("ws://a.example", "wss://a.example", True),
        ("https://[::1]", "https://[::1]:443", True),
    ],
)
def test_what_a_list_covers(declared: str, origin: str, covered: bool) -> None:  # noqa: FBT001
    """A list allows an origin as a browser matches it."""
    assert covers([declared], origin) is covered


@given(ORIGIN.filter(lambda origin: "*" not in origin))
def test_an_origin_covers_itself(origin: str) -> None:
    """Listing an origin allows it."""
    assert covers(["https://other.example", origin], origin)
    assert not covers([], origin)
