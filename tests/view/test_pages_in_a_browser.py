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
                var a = "</script>"; --> not code
                with ({ b: 1 }) { log.push(b) } log.push(a, 010, delete globalThis.c);""".replace(
                "--> not code", ""
            ),
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
