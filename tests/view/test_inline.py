# ruff: noqa: E501 (pages are easier to read as they are)
from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_apps_plugin.view import PAGE_PROBLEM_CODES, PageBuildError, build_page, library

_MARKUP = st.sampled_from(
    [
        *("<p>", "</p>", "<!-- <img src=x.png> -->", "<img src='data:,x'>", "<a href=local.html>"),
        *("é\r\n", "<script>import('https://a.x/b')</script>", "<link rel=stylesheet href=//a.x>"),
        *("<script type=module>const a=`</p>`</script>", "<style>a{b:url(#c)}</style>", "\t"),
        *("<img srcset=' '>", "<script type='text/x' src=t.txt></script>", "<b a=>", "< &lt;"),
        *("<textarea><img src=x.png></textarea>", "<svg><use href='#a'/></svg>"),
        *("<p style='a: b(c)'>", "<iframe srcdoc='<p>'>"),
    ]
)


@settings(max_examples=60)
@given(st.lists(_MARKUP, max_size=10).map("".join))
def test_what_has_nothing_local_passes_through(tmp_path_factory, text):
    """A document without local files is the same document, byte for byte."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    html = f"<!DOCTYPE html>\r\n{text}"
    path.write_bytes(html.encode())
    assert build_page(path).html == html


def test_a_bundled_page_passes_through(build):
    """A single-file build of a bundler is served as it is, with all it has inside."""
    html = """<!doctype html><html lang="en"><head><meta charset="UTF-8" />
    <script type="module" crossorigin>(function(){const e=document.createElement("link").relList;
    if(e&&e.supports&&e.supports("modulepreload"))return;for(const r of document.querySelectorAll(
    'link[rel="modulepreload"]'))n(r)})();const u=import.meta.url;var a=()=>import("https://x/y.js");
    const re=/<\\/script>/,t=`<script>`;export{a as default}</script>
    <style rel="stylesheet" crossorigin>@font-face{src:url(data:font/woff2;base64,AA//)}</style>
    </head><body><div id="root"></div></body></html>"""
    page = build(html)
    assert page.html == html
    assert page.notes == ()


@pytest.mark.parametrize(
    ("html", "built"),
    [
        ("<script src=a.js></script>", "<script>let a</script>"),
        ('<script\n  src="a.js?v=1#x" id=i></script>', "<script id=i>let a</script>"),
        ("<script src=a.js>ignored</script>", "<script>let a</script>"),
        (
            "<script integrity=sha256-x crossorigin src=a.js data-x=1 nonce=n></script>",
            "<script data-x=1 nonce=n>let a</script>",
        ),
        ("<script src=a.js", None),
        ("<script src=a.js>", "<script>let a</script>"),
        ("<script type=module src=a.js></script>", "<script type=module>let a</script>"),
        ("<script type=text/x src=a.js></script>", None),
        ("<script nomodule src=a.js></script>", None),
        ("<script src></script>", None),
        ("<link rel=stylesheet href=a.css>", "<style>p{}</style>"),
        (
            '<LINK id=l media="print" href=a.css rel="StyleSheet" type=text/css title=t>',
            '<style id=l media="print" title=t>p{}</style>',
        ),
        ("<link rel=stylesheet href=end.css>", "<style>i{content:'<\\/style>'}</style>"),
        ("<link rel=preload as=style href=a.css>", ""),
        ("<link rel=modulepreload href=a.js>", ""),
        ("<link rel=icon href=x.txt>", '<link rel=icon href="data:text/plain;base64,eA==">'),
        ("<IMG alt=a SRC=x.txt>", '<IMG alt=a SRC="data:text/plain;base64,eA==">'),
        ("<img src='x.txt' a>", '<img src="data:text/plain;base64,eA==" a>'),
        (
            "<source srcset='x.txt 2x,https://a/b,c 3x, data:,y'>",
            '<source srcset="data:text/plain;base64,eA== 2x, https://a/b,c 3x, data:,y">',
        ),
        (
            "<p style=\"a:url('x.txt#f')\">",
            '<p style="a:url(&quot;data:text/plain;base64,eA==#f&quot;)">',
        ),
        (
            "<style>a{b:url(x.txt)}</style>",
            '<style>a{b:url("data:text/plain;base64,eA==")}</style>',
        ),
        ("<style type=text/less>a{b:url(x.txt)}</style>", None),
        (
            "<template><script src=a.js></script></template>",
            "<template><script>let a</script></template>",
        ),
        ("<script type=importmap>not json</script>", None),
    ],
)
def test_what_becomes_of_an_element(html, built, build):
    """Each element keeps what it is, without what only fetching needs."""
    files = {
        "a.js": "\ufefflet a",
        "a.css": "p{}",
        "x.txt": "x",
        "end.css": "i{content:'</style>'}",
    }
    page = build(f"<!doctype html>{html}", files)
    assert page.html == f"<!doctype html>{html if built is None else built}"


PROBLEMS = {
    "<img src=none.png>": "page-file-missing",
    "<img src=dir>": "page-file-directory",
    "<img src=../x.png>": "page-path-outside",
    "<img src=/x.png>": "page-path-absolute",
    "<img src='a\\b'>": "page-path-invalid",
    "<img srcset='none.png 1x'>": "page-file-missing",
    "<img srcset='/none.png 1x'>": "page-path-absolute",
    "<script src=none.js></script>": "page-file-missing",
    "<script type=module src=none.js></script>": "page-file-missing",
    "<script src=latin.js></script>": "page-file-encoding",
    "<link rel=stylesheet href=none.css>": "page-file-missing",
    "<style>@import 'none.css';</style>": "page-file-missing",
    "<style>a{b:url(../x)}</style>": "page-path-outside",
    "<p style='a:url(/x)'>": "page-path-absolute",
    "<iframe src=a.js></iframe>": "page-frame-local",
    "<object data=a.js></object>": "page-frame-local",
    "<svg><use href='a.svg#x'/></svg>": "page-use-external",
    "<base href='https://a.x/'><img src=a.js>": "page-base",
    "<script type=module>import 'lit'</script>": "page-import-bare",
    "<script type=module>import { x } from './a.js'</script>": "page-import-missing",
    "<script type=module>import x from './mcp-app.js'</script>": "page-import-missing",
    "<script type=module>import { Nope } from './mcp-app.js'</script>": "page-import-missing",
    "<script type=module>export { x } from './a.js'</script>": "page-import-missing",
    "<script type=module>import { x } from './two.js'</script>": "page-import-missing",
    "<script type=module>import './a.css'</script>": "page-import-type",
    "<script type=module>import './a.js' with { type: 'x' }</script>": "page-import-type",
    "<script type=module>import './a.js' with { type: 'json' }</script>": "page-import-type",
    "<script type=module>import './star.js'</script>": "page-import-star",
    "<script type=module>import './a.js'; let = =</script>": "page-script-syntax",
    "<script type=module>import './none.js'</script>": "page-file-missing",
    "<script type=module>import('./none.js')</script>": "page-file-missing",
    "<script>import('../x.js')</script>": "page-path-outside",
    "<script type=module>new URL('none', import.meta.url)</script>": "page-file-missing",
    "<script src=unsafe.js></script>": "page-script-unsafe",
    "<style>@import 'outside.css' print;</style>": "page-import-conditional",
}


@pytest.mark.parametrize(("html", "code"), PROBLEMS.items())
def test_problems_have_a_code_and_a_place(html, code, build):
    """What cannot be built is told with file, line, column, reason and remedy."""
    files = {
        "a.js": "let a",
        "a.css": "p{}",
        "dir/x": "",
        "latin.js": b"'\xe9'",
        "one.js": "export let x",
        "other.js": "export let x",
        "two.js": "export * from './one.js'; export * from './other.js'",
        "star.js": "export * from 'https://a.x/b.js'",
        "unsafe.js": "a = <b></script>",
        "outside.css": "@import 'https://a.x/b.css';",
    }
    with pytest.raises(PageBuildError) as caught:
        build(f"<!doctype html>\n{html}", files)
    (problem,) = caught.value.problems
    assert problem.code == code
    assert problem.file in {"page.html", "star.js"}
    assert problem.line == (1 if problem.file == "star.js" else 2)
    assert problem.column > 1 or code in {"page-base", "page-script-unsafe"}
    for text in (problem.what, problem.consequence, problem.remedy):
        assert text[-1] in ".?`)"
        assert text in str(caught.value)


NOTES = {
    "<style>@font-face{src:url(f.woff2)}</style>": "page-font-data",
    "<script type=module>new Worker(new URL('a.js', import.meta.url))</script>": "page-worker-local",
    "<link rel='alternate stylesheet' href=a.css>": "page-link-local",
    "<script type=module>import 'https://a.x/b'; let = =</script>": "page-script-syntax",
    "<script src=mcp-app.js></script><script>McpApp.useThem()</script>": "page-library-name",
    "<script src=mcp-app.js></script><script>new McpApp.App()</script>": "page-initialize",
    "<script src=mcp-app.js></script><script>go()</script>": "page-no-handshake",
    "<script>new McpApp.App({name: 'a', version: '1'}).connect()</script>": "page-no-handshake",
    "<script>if (</script>": "page-script-syntax",
    "<script type=module src=broken.js></script>": "page-script-syntax",
    "<script src=broken.js></script>": "page-script-syntax",
    "<script src=broken.js defer></script>": "page-script-syntax",
}

SPEAKS = [
    "<p>no script at all</p>",
    "<script>document.title = 'no library'</script>",
    "<script src=mcp-app.js></script><script>new McpApp.App(i).connect()</script>",
    "<script src=mcp-app.js></script><body onload='app.connect()'>",
    "<script src=mcp-app.js></script><script>new McpApp.App(i).run(go)</script>",
    "<script src=mcp-app.js></script><script src='https://a.x/connects.js'></script>",
    "<script src=mcp-app.js></script><script>post({ method: 'ui/initialize' })</script>",
    "<script type=module>import { App } from './mcp-app.js'; new App(i).connect()</script>",
    "<script>McpApp.connect({ method: 'ui/initialize' })</script>",
    "<script>if (window.McpApp) new McpApp.App(i).connect()</script>",
    "<script>window.McpApp?.App.on()</script>",
    "<script>try { new McpApp.App(i).connect() } catch {}</script>",
    "<script>const McpApp = { App: class { connect() {} } }; new McpApp.App(i).connect()</script>",
    "<script src='https://a.x/has-it.js'></script><script>new McpApp.App(i).connect()</script>",
    "<script>// McpApp.App\nconst a = 'McpApp.App'</script>",
    "<template><script>if (</script></template>",
    "<script type=text/template>if (</script>",
    "<script>if (" + " " * 50_000 + "</script>",
]


@pytest.mark.parametrize("html", SPEAKS)
def test_pages_that_may_speak_are_not_noted(html, build):
    """By the library, by hand, by a script from elsewhere; or nothing says that they should."""
    assert build(f"<!doctype html>{html}").notes == ()


@pytest.mark.parametrize("html", ["", " \n\t", "\ufeff", "<!-- soon -->\n"])
def test_an_empty_file_is_no_page(html, build):
    """It would be served as the bare bones of a document."""
    with pytest.raises(PageBuildError) as caught:
        build(html)
    (problem,) = caught.value.problems
    assert (problem.code, problem.file, problem.line) == ("page-content", "page.html", 0)


@pytest.mark.parametrize(("html", "code"), NOTES.items())
def test_notes_do_not_stop_a_page(html, code, build):
    """What may not work everywhere is noted, and the page is built."""
    files = {"f.woff2": "f", "a.js": "a", "a.css": "", "broken.js": "let a = = 1"}
    page = build(f"<!doctype html>{html}", files)
    assert [note.code for note in page.notes] == [code]


def test_a_misused_library_is_noted_where_it_is_written(build):
    """In whatever file, module or classic, and not in what a template holds."""
    page = build(
        "<!doctype html>\n<link rel=stylesheet href=a.css>\n<script src=a.js></script>\n"
        "<script type=module src=m.mjs></script>\n<template><script>McpApp.d()</script></template>\n"
        "<script>// \u00e9\u00e9\nMcpApp.c();</script>",
        {
            "a.css": "p {}\n" * 5,
            "a.js": "// \u00e9\nconst a = () => McpApp.a();",
            "m.mjs": "import './n.mjs';\nimport { useTheme } from './mcp-app.js';",
            "n.mjs": "import * as lib from './mcp-app.js';\n\n  lib.b();",
        },
    )
    places = [(note.file, note.line, note.column, note.what) for note in page.notes]
    said = "The page library has no `{}`."
    assert sorted(places) == [
        ("a.js", 2, 17, said.format("a")),
        ("n.mjs", 3, 3, said.format("b")),
        ("page.html", 7, 1, said.format("c")),
    ]


def test_every_code_is_shown_by_a_test():
    """No code is there that nothing can bring about."""
    elsewhere = {"page-file-unreadable"}  # needs a file that even the owner may not read
    assert PAGE_PROBLEM_CODES.keys() - elsewhere == {*PROBLEMS.values(), *NOTES.values()}


def test_all_problems_are_told_at_once(build):
    """One error lists everything, each once, with the lines of the files they are in."""
    with pytest.raises(PageBuildError) as caught:
        build(
            "<!doctype html>\n<img src=a.png>\n<script src=../x.js></script>\n"
            "<script type=module>\nimport './m.js';\nimport './m.js';</script>",
            {"m.js": "// é\nimport './n.js';\nimport { x } from './o.js';", "o.js": ""},
        )
    found = [(p.code, p.file, p.line, p.column) for p in caught.value.problems]
    assert sorted(found) == [
        ("page-file-missing", "m.js", 2, 8),
        ("page-file-missing", "page.html", 2, 6),
        ("page-import-missing", "m.js", 3, 19),
        ("page-path-outside", "page.html", 3, 9),
    ]
    assert "4 problems" in str(caught.value)


def test_a_page_that_is_not_utf8_is_refused(build):
    """The page itself is read as UTF-8 like everything else."""
    with pytest.raises(
        PageBuildError, match=r"^The page 'page.html'.*\n  page.html: .*0xe9"
    ) as caught:
        build(b"<!doctype html>\xe9")
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (0, 0)


def test_files_are_those_that_went_in(build):
    """What to watch for changes: each file once, the page first."""
    page = build(
        "<!doctype html><link rel=stylesheet href=a.css><img src=x.txt><img src=x.txt>",
        {"a.css": "@import 'b.css'; a{b:url(x.txt)}", "b.css": "", "x.txt": "x", "no.txt": ""},
    )
    assert [path.name for path in page.files] == ["page.html", "a.css", "x.txt", "b.css"]
    assert all(path.is_file() for path in page.files)


def test_data_can_be_given_with_the_page(build):
    """Data at build time is the same as data later."""
    html = "<!doctype html><meta charset=utf-8><p>"
    given_now = build(html, data={"a": 1}, tool_names={"b": "c"}).html
    assert given_now == build(html).with_data({"a": 1}, names={"b": "c"})
    assert given_now.startswith(
        '<!doctype html><meta charset=utf-8><script type="application/json"'
    )


def test_a_fragment_keeps_its_lines(build):
    """Places in a fragment are those of the file, not of the completed document."""
    with pytest.raises(PageBuildError) as caught:
        build("\n<img src=a.png>")
    assert caught.value.problems[0].line == 2


def test_what_is_shared_stands_before_live_scripts(build):
    """A script in a template does not run where it stands, so nothing shared is put there."""
    inert = "<template><script src=mcp-app.js></script></template>"
    page = build(f"<!doctype html>{inert}<script src=mcp-app.js></script>")
    assert page.html.startswith("<!doctype html><template><script></script></template><script>")
    assert page.html.count(library()) == 1
    used = "<template><script type=module>import { App } from './mcp-app.js'</script></template>"
    page = build(f"<!doctype html>{used}<p>")
    assert page.html.startswith(f"<!doctype html><script>{library()}</script><template>")
    page = build(f"<!doctype html>{inert}")
    assert page.html == f"<!doctype html><template><script>{library()}</script></template>"


def test_small_things_in_modules(build):
    """An odd export name, a URL of another origin and a broken literal are each told or kept."""
    page = build(
        """<!doctype html><link rel=stylesheet><script type=module>
        import { __proto__ as p } from "./odd.js"; new URL("https://a.x/", import.meta.url)</script>""",
        {"odd.js": "let x; export { x as __proto__ }"},
    )
    assert '{ ["__proto__"]: () => x }' in page.html
    assert 'new URL("https://a.x/", ' in page.html
    with pytest.raises(PageBuildError) as caught:
        build(
            "<!doctype html><script type=module>import './m.js'</script>",
            {"m.js": "export * from './none.js'; x = <b></script>"},
        )
    assert [problem.code for problem in caught.value.problems] == [
        "page-file-missing",
        "page-script-unsafe",
    ]
    assert [path.name for path in caught.value.files] == ["page.html", "m.js"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nwo.html", " Did you mean 'now.html'?"),
        ("NOW.html", " Did you mean 'now.html'? The case differs."),
        ("other.html", ""),
        ("none/now.html", ""),
    ],
)
def test_a_missing_file_names_the_one_beside_it(write, name, hint):
    """Of the folder it was looked for in; another folder's files are not its neighbours."""
    folder = write({"now.html": "<p>", "b.css": "p{}"})
    with pytest.raises(PageBuildError) as caught:
        build_page(folder / name)
    (problem,) = caught.value.problems
    assert problem.what == f"There is no file {name.rpartition('/')[2]!r}.{hint}"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        *[
            (name, " Did you mean 'mcp-app.js', the page library?")
            for name in ("mcp_app.js", "MCP-App.js", "mcpapp.js", "lib/mcp-apps.js", "mcp-app.mjs")
        ],
        ("mcp.js", ""),
        ("IMG/a.PNG", " Did you mean 'img/a.PNG'? The case differs."),
        ("img/a.PNG", " Did you mean 'img/a.png'? The case differs."),
    ],
)
def test_a_name_that_is_nearly_right(write, name, hint):
    """The library comes before every neighbour; a folder's name has a case too."""
    page = f"<script src={name}></script>" if name.endswith("js") else f"<img src={name}>"
    files = {"page.html": page, "mcp-app.js.bak": "1", "img/a.png": "x"}
    with pytest.raises(PageBuildError) as caught:
        build_page(write(files) / "page.html")
    (problem,) = caught.value.problems
    assert problem.what == f"There is no file {name!r}.{hint}"


def test_the_library_is_minified_once():
    """The library is read and minified once per process."""
    assert library() is library()
    assert library(minify=False) is library(minify=False)


def test_importing_loads_no_parser():
    """The JavaScript parser and the minifier are loaded when a page needs them."""
    code = """import sys; import mcp_apps_plugin.view as view
assert not {"tree_sitter", "tree_sitter_javascript", "rjsmin"} & set(sys.modules)"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_plain_page_loads_no_parser(write):
    """A page without a script of its own is built without the JavaScript parser."""
    folder = write(
        {
            "page.html": "<!doctype html><script src=mcp-app.js></script><link rel=stylesheet "
            "href=a.css>",
            "a.css": "p{}",
        }
    )
    code = f"""import sys; from mcp_apps_plugin.view import build_page
build_page({str(folder / "page.html")!r})
assert "tree_sitter" not in sys.modules"""
    subprocess.run([sys.executable, "-c", code], check=True)
