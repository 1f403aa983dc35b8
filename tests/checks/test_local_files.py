"""Relative addresses in a page: what never loads, and what only looks like it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from mcp_apps_plugin.checks.codes import CheckCode

_SPEC = importlib.util.spec_from_file_location("making", Path(__file__).with_name("conftest.py"))
making = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(making)
document = making.document

FOUND = {
    "a script": ('<script src="/static/app.js"></script>', "error", "`/static/app.js` (line 1)"),
    "a module": ('<script type="module" src="./app.js"></script>', "error", "`./app.js`"),
    "a style sheet": ('<link rel="stylesheet" href="app.css">', "error", "`app.css`"),
    "an import": ('<script type="module">import "./app.js"</script>', "error", "`./app.js`"),
    "a late import": ('<script>import("../app.js")</script>', "error", "`../app.js`"),
    "a bare name": (
        '<script type="module">import { App } from "@modelcontextprotocol/ext-apps"</script>',
        "error",
        "a name that only a bundler knows",
    ),
    "a picture": ('<img src="logo.png">', "warning", "`logo.png`"),
    "a background": ("<style>p { background: url(bg.png) }</style>", "warning", "`bg.png`"),
    "a fetch": ('<script>fetch("/api/orders")</script>', "warning", "`/api/orders`"),
    "a socket": ('<script>new WebSocket("/live")</script>', "warning", "`/live`"),
}
LEFT = [
    '<script src="https://cdn.example/app.js"></script>',
    '<script src="//cdn.example/app.js"></script>',
    '<script src="data:text/javascript,1"></script>',
    '<script type="text/template" src="row.html"></script>',
    '<script type="importmap">{"imports": {}}</script><script type="module">import "x"</script>',
    '<link rel="canonical" href="page.html">',
    '<template><img src="row.png"></template>',
    '<img src="{{ picture }}"><img src="">',
    '<svg><use href="#icon"></use></svg>',
    '<base href="https://a.example/"><img src="logo.png">',
    "<style>p { fill: url(#gradient) }</style>",
    "<script>fetch(address); fetch(`/api/${n}`)</script>",
    '<!-- <script src="app.js"></script> --><a href="/next">next</a>',
]


async def _look(judge, head):
    html = document(head=head)
    return [f for f in await judge(making.make_server(html=html)) if "local" in f.code]


@pytest.mark.parametrize("case", FOUND)
async def test_what_never_loads(case, judge):
    """It is named with its line; what the page cannot work without is an error."""
    head, severity, said = FOUND[case]
    (finding,) = await _look(judge, head)
    assert (finding.code, finding.severity) == (CheckCode.PAGE_LOCAL_FILE, severity)
    assert said in finding.problem


@pytest.mark.parametrize("head", LEFT)
async def test_what_is_no_file_beside_the_page(head, judge):
    """Other origins are another rule's, and much else only looks like a name."""
    assert await _look(judge, head) == []


async def test_the_page_library_in_a_page_that_nobody_declared(judge):
    """It stays a name, as only declared pages are touched; the remedy is to declare it."""
    (finding,) = await _look(judge, '<script src="mcp-app.js"></script>')
    assert "`@app_resource`" in finding.remedy
    (finding,) = await _look(
        judge, '<script src="mcp-app.js"></script><script src="a.js"></script>'
    )
    assert "`@app_resource`" not in finding.remedy


async def test_many_of_them_are_one_finding(judge):
    """The first three, and how many more."""
    (finding,) = await _look(judge, "".join(f'<img src="{n}.png">' for n in range(5)))
    assert "`0.png` (line 1), `1.png` (line 1), `2.png` (line 1) and 2 more" in finding.problem


@pytest.mark.parametrize(
    "script",
    [
        'import { App } from "https://esm.example/ext-apps"; new App().connect();',
        'import("https://esm.example/ext-apps").then((library) => library.start());',
    ],
)
async def test_a_library_from_elsewhere_may_shake_hands(script, judge):
    """What an imported module does cannot be seen, so nothing is said about the handshake."""
    html = f'<!doctype html><p>x<script type="module">{script}</script>'
    codes = {str(f.code) for f in await judge(making.make_server(html=html))}
    assert "page-origin" in codes
    assert "page-no-handshake" not in codes
