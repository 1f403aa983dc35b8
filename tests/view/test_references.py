from __future__ import annotations

from time import perf_counter

import pytest

from mcp_apps_plugin.view import library
from mcp_apps_plugin.view.references import CSP_LISTS, external_origins


def _kinds(html):
    return [(found.origin, found.kind) for found in external_origins(html)]


@pytest.mark.parametrize(
    ("html", "origin", "kind"),
    [
        ("<script src=https://a.x/b.js></script>", "https://a.x", "resource"),
        ("<script type=module src='//A.x:8/b.js'></script>", "https://a.x:8", "resource"),
        ("<link rel='preload stylesheet' href=https://a.x/b>", "https://a.x", "resource"),
        ("<link rel=preload as=fetch href=https://a.x/b>", "https://a.x", "connect"),
        ("<link rel=icon href=http://a.x/b>", "http://a.x", "resource"),
        ("<video poster=https://a.x/b></video>", "https://a.x", "resource"),
        ("<iframe src=https://a.x></iframe>", "https://a.x", "frame"),
        ("<base href=https://u:p@a.x/>", "https://a.x", "base"),
        ("<object data=https://a.x></object>", "https://a.x", "object"),
        ("<svg><use xlink:href=https://a.x/s#i></svg>", "https://a.x", "resource"),
        ("<p style='background: url(https://a.x/b)'>", "https://a.x", "resource"),
        ("<style>@import 'https://a.x/b';</style>", "https://a.x", "resource"),
        ("<style>a { b: url( //a.x/b ) }</style>", "https://a.x", "resource"),
        ("<script type=module>import 'https://a.x/b'</script>", "https://a.x", "resource"),
        ("<script type=module>export * from '//a.x/b'</script>", "https://a.x", "resource"),
        ("<script>import(`https://a.x/b`)</script>", "https://a.x", "resource"),
        ("<script>fetch('https://a.x/b')</script>", "https://a.x", "connect"),
        ("<script>window.fetch('https://a.x/' + b)</script>", "https://a.x", "connect"),
        ("<script>fetch(`https://a.x/${b}`)</script>", "https://a.x", "connect"),
        ("<script>const A = 'https://a.x'; fetch(`${A}/b`)</script>", "https://a.x", "connect"),
        ("<script>fetch(new URL('/b', 'https://a.x'))</script>", "https://a.x", "connect"),
        ("<script>new WebSocket('wss://a.x/b')</script>", "wss://a.x", "connect"),
        ("<script>new EventSource('https://a.x/b')</script>", "https://a.x", "connect"),
        ("<script>new Worker('https://a.x/b')</script>", "https://a.x", "resource"),
        ("<script>r.open('GET', 'https://a.x/b')</script>", "https://a.x", "connect"),
        ("<script>navigator.sendBeacon('https://a.x/b')</script>", "https://a.x", "connect"),
        ("<script>new Image().src = 'https://a.x/b'</script>", "https://a.x", "resource"),
        (
            "<script>let i = new Image(); i.src = 'https://a.x/b'</script>",
            "https://a.x",
            "resource",
        ),
        ("<script>new Audio('https://a.x/b').play()</script>", "https://a.x", "resource"),
        (
            "<script>const s = document.createElement('script'); s.src = 'https://a.x/b'</script>",
            "https://a.x",
            "resource",
        ),
        (
            "<script>const f = document.createElement('IFRAME'); f.src = `https://a.x/${b}`</script>",
            "https://a.x",
            "frame",
        ),
        (
            "<script>document.querySelector('.b').src = 'https://a.x/b'</script>",
            "https://a.x",
            "element",
        ),
        (
            "<script>const i = new Image(); i.setAttribute('src', 'https://a.x/b')</script>",
            "https://a.x",
            "resource",
        ),
        (
            "<script>new FontFace('F', 'url(https://a.x/b) format(\"woff2\")')</script>",
            "https://a.x",
            "resource",
        ),
        (
            "<script>a.b.style.background = 'red url(\"https://a.x/b\")'</script>",
            "https://a.x",
            "resource",
        ),
    ],
)
def test_what_a_page_loads_from_elsewhere(html, origin, kind):
    """Each way of loading is found, with what has to allow it."""
    assert _kinds(f"<!doctype html>{html}") == [(origin, kind)]
    assert kind in CSP_LISTS


@pytest.mark.parametrize(
    "html",
    [
        "<a href=https://a.x>",
        "<!-- <script src=https://a.x></script> -->",
        "<noscript><img src=https://a.x></noscript>",
        "<script type=text/plain src=https://a.x></script>",
        "<script nomodule src=https://a.x></script>",
        "<script>// https://a.x\nconst a = 'https://a.x'; window.open('https://a.x', 'b')</script>",
        "<script>fetch('/local'); fetch(unknown); fetch(`https://${host}/a`)</script>",
        "<svg xmlns='http://www.w3.org/2000/svg'>",
        "<img src=data:image/png;base64,AA//BB><img src='http://[bad'><img src=https:>",
        "<link rel=canonical href=https://a.x><link href=https://a.x>",
        "<style>a::before { content: 'https://a.x' } @namespace url(http://a.x);</style>",
        "<script type=importmap>{'imports': {'a': 'https://a.x'}}</script>",
        "<p style='--a: b//c'>",
        "<script>a.href = 'https://a.x'; location.href = 'https://a.x'</script>",
        "<script>const player = {}; player.src = 'https://a.x'; this.src = 'https://a.x'</script>",
        "<script>const a = document.createElement('a'); a.src = 'https://a.x'</script>",
        "<script>const i = new Image(); i.setAttribute('title', 'https://a.x')</script>",
        "<script>const i = new Image(); i.alt = 'https://a.x'; i.src = 'data:,'</script>",
        "<script>let i = new Image(); { let i = {}; i.src = 'https://a.x' }</script>",
        "<script>let i = new Image(); const f = (i) => { i.src = 'https://a.x' }</script>",
        "<script>a.style.content = 'https://a.x'; a.url = 'url(https://a.x)'</script>",
        "<script>new FontFace('https://a.x', data)</script>",
    ],
)
def test_what_is_not_loaded_is_not_found(html):
    """Links, comments, names and text that only look like loads are no findings."""
    assert external_origins(f"<!doctype html>{html}") == []


def test_places_and_order():
    """Findings come in the order of the document, with their lines."""
    html = """<!doctype html>
        <img srcset="https://a.x/1 1x,
        https://b.x/2 2x">
        <script>é;
        fetch("https://c.x")</script>"""
    assert [(f.origin, f.line) for f in external_origins(html)] == [
        ("https://a.x", 2),
        ("https://b.x", 2),
        ("https://c.x", 5),
    ]


def test_an_audit_is_fast():
    """A page of some 50 KB with the library and a table takes milliseconds, not seconds."""
    script = "const r = await fetch('https://api.x/z');\n" + "document.body.append(`${r}`);\n" * 60
    rows = "<tr><td class=a>1</td></tr>\n" * 800
    html = (
        f"<!doctype html><script>{library()}</script><table>{rows}</table><script>{script}</script>"
    )
    external_origins(html)
    start = perf_counter()
    assert len(external_origins(html)) == 1
    assert perf_counter() - start < 0.5
