# ruff: noqa: E501, ISC004 (pages are easier to read as they are)
"""Built pages run under the strictest policy, in the order their files would."""

from __future__ import annotations

import pytest

from mcp_apps_plugin.view import build_page
from mcp_apps_plugin.view.library import library_names

pytestmark = pytest.mark.browser

ORDER = {
    "every kind of script": (
        """<!doctype html><script>log.push("inline", document.currentScript !== null)</script>
        <script src="a.js"></script><script src="late.js" defer data-name="late" id="late"></script>
        <script type="module" src="module.js"></script><script defer src="later.js"></script>
        <script type="module">log.push("inline module", typeof fromLate)</script>
        <script src="a.js"></script><script>log.push(typeof fromLate, fromA)</script><p id="end">
        <script>document.addEventListener("DOMContentLoaded", () => log.push("ready"))</script>""",
        {
            "a.js": 'var fromA = "a"; log.push("a", document.getElementById("end") === null);',
            "late.js": """function fromLate() {} undeclared = 1;
                log.push("late", document.currentScript.dataset.name, document.currentScript.id,
                    document.getElementById("end") !== null, document.readyState, this === window);""",
            "later.js": 'log.push("later", typeof fromLate, typeof undeclared, "</script><!--");',
            "module.js": 'log.push("module", typeof fromLate, typeof undeclared);',
        },
    ),
    "classic scripts with dynamic imports": (
        """<!doctype html><script src="sub/a.js"></script>
        <script>import("./sub/m.js").then(async (m) =>
            log.push(m === await import("./sub/m.js"), m === await globalThis.theirs))</script>""",
        {
            "sub/a.js": 'globalThis.theirs = import("./m.js")',
            "sub/m.js": 'export const x = "m"; log.push("m runs");',
        },
    ),
    "modules shared by scripts": (
        """<!doctype html><script type="module">
            import { count } from "./a.js"; import * as a from "./a.js"; a.more(); log.push(count);
        </script><script type="module">
            import { count, more } from "./a.js"; more(); log.push(count);
        </script><script type="module" src="a.js"></script>
        <script type="module">await 1; log.push((await import("./a.js")).count)</script>""",
        {"a.js": 'export let count = 0; export const more = () => { count++ }; log.push("once")'},
    ),
    "an import map": (
        """<!doctype html><script type="importmap">
            {"imports": {"lib": "./vendor/lib.js", "parts/": "./vendor/parts/"}}
        </script><script type="module" src="main.js"></script>""",
        {
            "main.js": 'import x from "lib"; import { y } from "parts/y.js"; log.push(x, y);',
            "vendor/lib.js": 'export default "lib"; import "parts/y.js";',
            "vendor/parts/y.js": 'export const y = "y";',
        },
    ),
    "sloppy code": (
        """<!doctype html><script src="a.js"></script><script src="b.js"></script>""",
        {
            "a.js": """<!-- an old comment
                var a = "</script>";
                with ({ b: 1 }) { log.push(b) } log.push(a, 010, delete globalThis.c);""",
            "b.js": "log.push(typeof a); let ok = 1",
        },
    ),
}


@pytest.mark.parametrize(("html", "files"), ORDER.values(), ids=ORDER.keys())
def test_scripts_keep_their_order_and_scope(html, files, write, site, visit):
    """A page logs the same as one document under the strict policy and from its files."""
    site.folder = write({"index.html": html, **files})
    site.documents["built.html"] = build_page(site.folder / "index.html").html
    expected, got = visit("index.html"), visit("built.html")
    assert expected["errors"] == []
    assert (got["log"], got["errors"]) == (expected["log"], [])
    assert expected["log"]


def test_async_scripts_run_when_the_document_is_there(build, site, visit):
    """A local script with `async` runs once, and may use the whole document."""
    page = build(
        '<!doctype html><script async src="a.js"></script><p id="p">',
        {"a.js": 'log.push(document.getElementById("p").id)'},
    )
    site.documents["built.html"] = page.html
    assert visit("built.html")["log"] == ["p"]


def test_a_built_page_asks_for_nothing(build, site, visit, pixel):
    """Images, styles and scripts all work from the one document under the strict policy."""
    page = build(
        """<!doctype html><link rel="stylesheet" href="css/a.css"><style>
            @import "css/b.css" (min-width: 1px); #c { background: url(x.png) }</style>
        <link rel="preload" as="style" href="css/a.css">
        <img id="i" src="x.png" srcset="x.png 1x, x.png 2x"><p id="a">a<p id="b">b<p id="c">c
        <div id="d" style="background-image: url('x.png')"></div>
        <svg><image id="s" href="x.png" /></svg><script type="module" src="main.js"></script>""",
        {
            "css/a.css": '@import url("deep/c.css"); @import "b.css" layer(low) print;'
            '#a { color: rgb(1, 2, 3); background: url("../x.png") }',
            "css/b.css": "#b { color: rgb(4, 5, 6) }",
            "css/deep/c.css": "#c { color: rgb(7, 8, 9); background: url(../../x.png) }",
            "main.js": """await document.getElementById("i").decode();
                for (const id of "abcd") { const s = getComputedStyle(document.getElementById(id));
                    log.push(s.color, s.backgroundImage.slice(0, 19)) }
                const image = new Image();
                image.src = new URL("./x.png", import.meta.url).href;
                await image.decode(); log.push(image.width)""",
            "x.png": pixel,
        },
    )
    site.documents["built.html"] = page.html
    seen = visit("built.html")
    data = 'url("data:image/png'
    assert seen["errors"] == []
    assert seen["log"] == [
        *("rgb(1, 2, 3)", data, "rgb(4, 5, 6)", "none"),
        *("rgb(7, 8, 9)", data, "rgb(0, 0, 0)", data, 1),
    ]
    assert [name for name in site.asked if "favicon" not in name] == ["built.html"]


LIBRARY = {
    "classic": '<script src="mcp-app.js"></script><script>log.push(typeof McpApp.App)</script>',
    "with a dot": '<script src="./mcp-app.js?v=1"></script><script>log.push(typeof McpApp.App)</script>',
    "deferred": '<script defer src="mcp-app.js"></script><script defer src="use.js"></script>',
    "module": '<script type="module">import { App } from "./mcp-app.js"; log.push(typeof App)</script>',
    "namespace": """<script type="module">
        import * as McpApp from "./mcp-app.js"; log.push(typeof McpApp.App)</script>""",
    "late import": """<script type="module">
        log.push(typeof A); import { App as A } from "./mcp-app.js"</script>""",
    "module file": '<script type="module" src="module.js"></script>',
    "linked": '<script type="module">import { App } from "./linked.js"; log.push(typeof App)</script>',
    "star": '<script type="module">import { App } from "./star.js"; log.push(typeof App)</script>',
    "dynamic": """<script type="module">
        log.push(typeof (await import("./mcp-app.js")).App)</script>""",
    "both": """<script src="mcp-app.js"></script><script>globalThis.before = McpApp</script>
        <script type="module" async>import * as M from "./mcp-app.js";
        log.push(M === before ? typeof M.App : "twice")</script><script src="mcp-app.js"></script>""",
}


@pytest.mark.parametrize("scripts", LIBRARY.values(), ids=LIBRARY.keys())
@pytest.mark.parametrize("minify", [True, False])
def test_the_library_is_there_once(scripts, minify, build, site, visit):
    """However a page asks for the library, it has it once, and its class is a function."""
    page = build(
        f"<!doctype html>{scripts}",
        {
            "use.js": "log.push(typeof McpApp.App)",
            "module.js": 'import { App } from "./mcp-app.js"; log.push(typeof App)',
            "linked.js": 'import { App as A } from "./mcp-app.js"; export { A as App };',
            "star.js": 'export * from "./mcp-app.js";',
            "mcp-app.js": "throw new Error('not the library')",
        },
        minify=minify,
    )
    site.documents["built.html"] = page.html
    seen = visit("built.html")
    assert (seen["log"], seen["errors"]) == (["function"], [])
    assert page.html.count("globalThis.McpApp=" if minify else "globalThis.McpApp = ") == 1


def test_the_names_of_the_library_are_known(build, site, visit):
    """The names that imports are checked against are those the library has."""
    page = build('<!doctype html><script src="mcp-app.js"></script>')
    site.documents["built.html"] = page.html
    names = visit("built.html")["page"].evaluate("Object.keys(McpApp)")
    assert library_names() == set(names)


def test_data_and_names_reach_the_page(build, site, visit):
    """Data is read as it was given, whatever is in it."""
    data = {"a": "</script><script>alert(1)</script><!--", "b": ["\u2028", 1.5, None, "é\ud83d"]}
    page = build(
        """<!doctype html><script src="mcp-app.js"></script><script>
        log.push(McpApp.data, JSON.parse(document.getElementById("mcp-app-names").text))</script>"""
    )
    site.documents["built.html"] = page.with_data(data, names={"refresh": "weather_refresh"})
    seen = visit("built.html")
    expected = {"a": data["a"], "b": ["\u2028", 1.5, None, "é\ufffd"]}
    assert seen["errors"] == []
    assert seen["log"][1] == {"refresh": "weather_refresh"}
    assert str(seen["log"][0]["b"][3])[0] == "é"
    assert seen["log"][0]["a"] == expected["a"]


def test_a_fragment_is_rendered_in_standards_mode(build, site, visit):
    """A fragment becomes a document with its title in the head."""
    page = build("<title>T</title><style>p { color: red }</style><p>é<script>log.push(1)</script>")
    site.documents["built.html"] = page.html
    shown = visit("built.html")["page"]
    facts = "[document.compatMode, document.title, document.head.children.length, document.charset]"
    assert shown.evaluate(facts) == ["CSS1Compat", "T", 3, "UTF-8"]


def test_modules_of_other_origins_stay_there(write, site, visit):
    """What comes from another origin is imported from there, and linked modules can use it."""
    there = "{there}/outside.js"
    files = {
        "index.html": f"""<!doctype html><script type="module" src="main.js"></script>
            <script type="module">import o from "{there}"; log.push("alone", o)</script>""",
        "main.js": f"""import o, {{ more, n }} from "{there}"; import * as all from "{there}";
            import {{ n as again }} from "./b.js"; import {{ all as star }} from "./b.js";
            more(); log.push(o, n, again, all.n, star === all);
            log.push((await import("./late.js")).n)""",
        "b.js": f'export {{ n }} from "{there}"; export * as all from "{there}";',
        "late.js": f'import "./b.js"; export {{ n }} from "{there}";',
        "outside.js": "export default 'out'; export let n = 1; export function more() { n++ }",
    }
    site.folder = write({n: text.replace("{there}", site.url) for n, text in files.items()})
    built = build_page(site.folder / "index.html").html
    (site.folder / "built.html").write_text(built, encoding="utf-8")
    expected, got = visit("index.html"), visit("built.html")
    assert got["errors"] == []
    # What waits for the network takes its own time in each.
    assert sorted(map(str, got["log"])) == sorted(map(str, expected["log"]))
    assert expected["log"]


SHEETS = {
    "order": (
        '<link rel="stylesheet" href="a.css">',
        {
            "a.css": '@import "b.css"; @import url(c.css); p { margin-left: 1px }',
            "b.css": "p { color: rgb(1, 0, 0); margin-left: 2px } p { top: 1px",
            "c.css": "p { color: rgb(2, 0, 0) } /* open",
        },
    ),
    "layers": (
        "<style>@layer high, low; @import 'b.css' layer(low); @import 'c.css' layer;"
        "@import 'd.css' layer(high) supports(display: grid) screen; p { top: 3px }</style>",
        {
            "b.css": "p { color: rgb(1, 0, 0); top: 1px }",
            "c.css": "p { left: 5px } @layer inner { p { left: 6px; bottom: 1px } }",
            "d.css": "p { color: rgb(9, 0, 0); margin-left: 9px }",
        },
    ),
    "conditions that do not hold": (
        "<style>@import 'b.css' print; @import 'b.css' supports(color: nonsense);"
        "@import 'c.css' supports(not (color: nonsense)) (min-width: 1px) and (max-width: 9999px)"
        "</style>",
        {"b.css": "p { color: rgb(1, 0, 0) }", "c.css": "p { left: 7px }"},
    ),
    "cycles": (
        '<link rel="stylesheet" href="a.css">',
        {
            "a.css": '@import "b.css"; p { color: rgb(1, 0, 0) }',
            "b.css": '@import "a.css"; p { color: rgb(2, 0, 0); left: 2px }',
        },
    ),
    "another origin in between": (
        '<style>@import "b.css"; @import "{there}/o.css"; @import "c.css"; p { left: 1px }</style>',
        {
            "b.css": "p { color: rgb(1, 0, 0); top: 1px }",
            "o.css": "p { color: rgb(2, 0, 0); top: 2px; bottom: 2px }",
            "c.css": "p { top: 3px } i { content: '</style>' }",
        },
    ),
    "imports that do not count": (
        "<style>p { color: rgb(1, 0, 0) } @import 'b.css';</style><style>@import 'c.css' </style>"
        '<link rel="stylesheet" href="c.css" media="print">',
        {"b.css": "p { color: rgb(2, 0, 0) }", "c.css": "p { left: 8px }"},
    ),
}


@pytest.mark.parametrize(("html", "files"), SHEETS.values(), ids=SHEETS.keys())
def test_stylesheets_cascade_as_their_files_do(html, files, write, site, visit):
    """A page looks the same as one document and from its files."""
    document = f"<!doctype html>{html}<p style='position: relative'>text"
    site.folder = write(
        {n: t.replace("{there}", site.url) for n, t in {"index.html": document, **files}.items()}
    )
    built = build_page(site.folder / "index.html").html
    (site.folder / "built.html").write_text(built, encoding="utf-8")
    look = """() => { const s = getComputedStyle(document.querySelector("p"));
        return [s.color, s.top, s.left, s.bottom, s.marginLeft] }"""
    expected, got = (visit(n)["page"].evaluate(look) for n in ("index.html", "built.html"))
    assert got == expected
    assert set(expected) != {"rgb(0, 0, 0)", "auto", "0px"}
    assert [line for line in built.splitlines() if "href" in line and "there" not in line] == []
