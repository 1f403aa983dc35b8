"""Who the two origins answer, and what they never give away."""

from __future__ import annotations

import json

import httpx2
import pytest
import websockets

from mcp_apps_plugin.dev.apps import sandbox_app, window_app
from mcp_apps_plugin.dev.views import Sandbox, View
from mcp_apps_plugin.dev.wire import Wire
from mcp_apps_plugin.host import AppBridge, ResolvedPage
from mcp_apps_plugin.protocol.csp import DEFAULT_POLICY
from mcp_apps_plugin.protocol.metadata import Permissions

TOKEN = "the-token"
HOST = "http://127.0.0.1:8765"
SANDBOX = "http://127.0.0.1:8766"


@pytest.fixture
def sandbox():
    return Sandbox(SANDBOX, HOST)


@pytest.fixture
def said():
    return []


@pytest.fixture
async def view(sandbox, said):
    """A page that is shown."""
    page = ResolvedPage(
        uri="ui://a/b",
        html="<!doctype html>",
        csp=None,
        permissions=Permissions(),
        domain=None,
        prefers_border=None,
        policy=DEFAULT_POLICY,
    )
    bridge = AppBridge(None, None, page=page)
    view = View(1, page, bridge, say=said.append, wire=Wire(lambda _: None))
    async with sandbox.showing(view):
        yield view


def ask(app, base):
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=base)


@pytest.fixture
async def window(sandbox):
    async def socket(_):
        raise AssertionError

    async with ask(window_app(sandbox, TOKEN, socket), HOST) as client:
        yield client


async def test_the_window_answers_with_the_token(window):
    """The page and its parts, under a policy that lets nobody frame it and frames the sandbox."""
    answer = await window.get(f"/{TOKEN}/")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert f"frame-src {SANDBOX}" in policy
    assert "unsafe" not in policy
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "set-cookie" not in answer.headers
    assert (await window.get(f"/{TOKEN}/js/main.js")).status_code == 200


REFUSED = {
    "no token": ("/", {}, 403),
    "another token": ("/nope/", {}, 403),
    "a part without token": ("/js/main.js", {}, 403),
    "another host": (f"/{TOKEN}/", {"host": "evil.example:8765"}, 421),
    "the other name of this machine": (f"/{TOKEN}/", {"host": "localhost:8765"}, 421),
    "another port": (f"/{TOKEN}/", {"host": "127.0.0.1:8766"}, 421),
    "another origin": (f"/{TOKEN}/js/main.js", {"origin": SANDBOX}, 403),
    "an opaque origin": (f"/{TOKEN}/js/main.js", {"origin": "null"}, 403),
    "a part for another site": (
        f"/{TOKEN}/js/main.js",
        {"sec-fetch-site": "cross-site", "sec-fetch-dest": "script"},
        403,
    ),
    "a frame of the sandbox": (
        f"/{TOKEN}/",
        {"sec-fetch-site": "same-site", "sec-fetch-dest": "iframe"},
        403,
    ),
    "up and out": (f"/{TOKEN}/../dev/guard.py", {}, 403),
    "a file that is none of the window's": (f"/{TOKEN}/guard.py", {}, 404),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_the_window_refuses(window, case):
    """Whoever is not this machine's user with this start's address."""
    path, headers, status = REFUSED[case]
    answer = await window.get(path, headers=headers)
    assert answer.status_code == status
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
async def test_the_window_is_read_only(window, method):
    """Nothing is done by a request: whatever is done goes over the guarded socket."""
    assert (await window.request(method, f"/{TOKEN}/")).status_code == 405


async def test_a_user_who_follows_a_link_is_let_in(window):
    """A terminal in a browser is another site, and its links are for opening."""
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}
    assert (await window.get(f"/{TOKEN}/", headers=headers)).status_code == 200


async def test_the_sandbox_serves_a_page_under_its_policy(sandbox, view):
    """The declared policy to the letter, then where to report, then who may embed."""
    async with ask(sandbox_app(sandbox), SANDBOX) as client:
        answer = await client.get(f"/{view.key}/")
        policy = answer.headers["content-security-policy"]
        assert policy == (
            f"{DEFAULT_POLICY}; report-uri {SANDBOX}/{view.key}/csp; frame-ancestors {HOST}"
        )
        assert TOKEN not in answer.text
        assert TOKEN not in str(answer.headers)
        assert (await client.get("/guessed/")).status_code == 404
        assert (await client.get(f"/{view.key}/", headers={"host": "a.example"})).status_code == 421
    sandbox_frame = sandbox.frame_of(view)
    assert sandbox_frame["src"].startswith(SANDBOX)


async def test_the_sandbox_takes_reports(sandbox, view, said):
    """What a browser reports is told; what is no report, or too much, is not."""
    report = {
        "csp-report": {"effective-directive": "img-src", "blocked-uri": "https://a.example/x"}
    }
    async with ask(sandbox_app(sandbox), SANDBOX) as client:
        path = f"/{view.key}/csp"
        assert (await client.post(path, content=json.dumps(report))).status_code == 204
        for nonsense in ("", "[]", "{}", "[" * 5000, '{"csp-report": {}}', '{"csp-report": 1}'):
            assert (await client.post(path, content=nonsense)).status_code == 400
        assert (await client.post(path, content=b" " * 70_000)).status_code == 413
        assert (await client.post("/guessed/csp", content=json.dumps(report))).status_code == 400
        for _ in range(300):
            await client.post(path, content=json.dumps(report))
    assert len(said) == 200
    assert said[0]["declaration"] == "resourceDomains"


@pytest.mark.parametrize("case", ["no origin", "the sandbox", "an opaque page", "no token"])
async def test_a_socket_is_for_the_window_alone(gallery, case):
    """The handshake of a socket knows no same-origin rule, so the host asks for it."""
    origin, token = gallery.rstrip("/").rsplit("/", 1)
    host, port = origin.rsplit(":", 1)
    given = {
        "no origin": None,
        "the sandbox": f"{host}:{int(port) + 1}",
        "an opaque page": "null",
        "no token": origin,
    }[case]
    path = "" if case == "no token" else f"/{token}"
    address = f"{origin.replace('http', 'ws')}{path}/socket"
    with pytest.raises(websockets.InvalidStatus) as refused:
        async with websockets.connect(address, origin=given, proxy=None):
            pass
    assert refused.value.response.status_code == 403
