import pytest

from mcp_apps_plugin.host import (
    INNER_SANDBOX,
    OUTER_SANDBOX,
    allow_attribute,
    proxy_page,
    sandbox_headers,
)
from mcp_apps_plugin.protocol.csp import DEFAULT_POLICY
from mcp_apps_plugin.protocol.metadata import Permissions


def test_permissions_become_the_frames_features():
    """Joined as the official host joins them, in a fixed order."""
    every = Permissions(camera=True, microphone=True, geolocation=True, clipboard_write=True)
    assert allow_attribute(every) == "camera; microphone; geolocation; clipboard-write"
    assert allow_attribute(Permissions(clipboard_write=True)) == "clipboard-write"
    assert allow_attribute(Permissions()) == ""


def test_the_policy_goes_by_header_and_names_who_may_embed():
    """The page's policy, whole, and the host's origin."""
    headers = sandbox_headers("http://127.0.0.1:8000")
    expected = f"{DEFAULT_POLICY}; frame-ancestors http://127.0.0.1:8000"
    assert headers["Content-Security-Policy"] == expected
    assert headers["Cache-Control"] == "no-store"
    assert sandbox_headers("https://h.example", "default-src 'none'")[
        "Content-Security-Policy"
    ].startswith("default-src 'none'; frame-ancestors")


@pytest.mark.parametrize("origin", ["*", "", "http://a.example/", "http://a.example; script-src *"])
def test_only_an_origin_may_embed(origin):
    """What is no origin does not get into the header."""
    with pytest.raises(ValueError, match="is no origin"):
        sandbox_headers(origin)


def test_the_proxy_page_knows_its_host_and_is_small():
    """The origin is in it, escaped; the whole is a page one can read."""
    page = proxy_page("http://127.0.0.1:8000")
    assert '<meta name="host-origin" content="http://127.0.0.1:8000">' in page
    assert "{{" not in page
    assert "<img" not in proxy_page('"><img src=x>')
    assert len(page) < 4000


def test_only_the_outer_frame_shares_an_origin():
    """The page's own frame runs scripts and has nothing else."""
    assert OUTER_SANDBOX.split() == ["allow-scripts", "allow-same-origin"]
    assert INNER_SANDBOX.split() == ["allow-scripts"]
