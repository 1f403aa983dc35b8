"""Names that the page library does not have: found where that is certain, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.view import library
from mcp_apps_plugin.view.library import app_members, event_names, library_names
from mcp_apps_plugin.view.library_values import Code
from mcp_apps_plugin.view.misuse import misuses
from mcp_apps_plugin.view.scripts import capture, parse, string_value, text_of

INFO = '{ name: "shop", version: "1.0" }'
APP = f"const app = new McpApp.App({INFO});"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def found(*scripts: str, html: str = "", module: bool = False, elsewhere: bool = False):
    """What is wrong with a page's scripts, in words."""
    codes = [Code(script, is_module=module) for script in scripts]
    return [each.what for each in misuses(codes, html, loads_elsewhere=elsewhere)]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (f"new McpApp.Ap({INFO})", "no `Ap`. Did you mean `App`?"),
        ("McpApp.usetheme(1)", "Did you mean `useTheme`?"),
        ("const { UseTheme } = McpApp", "Did you mean `useTheme`?"),
        ("new McpApp.App()", "`new McpApp.App(…)` lacks the page's name and version."),
        ("new McpApp.App", "lacks the page's name and version."),
        ("new McpApp.App('shop')", "lacks the page's name and version."),
        ("new McpApp.App({ name: 'shop' })", "lacks the page's version."),
        ("new McpApp.App({ 'version': 1, /* name */ })", "lacks the page's name."),
        (f"McpApp.App({INFO})", "`McpApp.App` is called without `new`."),
        (f"{APP} app.callTool('x')", "Did you mean `callServerTool`?"),
        (f"{APP} app.sendMesage({{}})", "Did you mean `sendMessage`?"),
        (f"{APP} app.toolresult.then(f)", "Did you mean `toolResult`?"),
        (f"{APP} app.onToolResult = f", "`app.onToolResult` is set, and"),
        (f"{APP} app.ontoolresults = f", "Did you mean `ontoolresult`?"),
        (f"{APP} app.addEventListener('toolResult', f)", "Did you mean `toolresult`?"),
        (f"{APP} const {{ callTool }} = app; callTool()", "Did you mean `callServerTool`?"),
        (f"{APP} const {{ callTool: call }} = app; call()", "Did you mean `callServerTool`?"),
        (f"{APP} go(app); app.nope()", "no `nope`."),
        (f"{APP} const rows = {{}}; rows[key] = 1; app.nope()", "no `nope`."),
        (f"{APP} go(app); const rows = []; rows[0] = 1; app.nope()", "no `nope`."),
        (f"{APP} McpApp.useTheme(app); function f() {{ app.nope() }}", "no `nope`."),
        (f"{APP} const same = app; same.nope()", "no `nope`."),
        (f"let app; app = new McpApp.App({INFO}); app.nope()", "no `nope`."),
        (f"const app = window.it = new McpApp.App({INFO}); app.nope()", "no `nope`."),
        (f"(new globalThis.McpApp.App({INFO})).nope()", "no `nope`."),
        (f"const {{ App }} = McpApp; const a = new App({INFO}); a.nope()", "no `nope`."),
        (f"const {{ App: A }} = window.McpApp; const a = new A({INFO}); a.nope()", "no `nope`."),
        (f"const A = McpApp.App; var a = new A({INFO}); a.nope()", "no `nope`."),
    ],
)
def test_what_is_certain_is_found(code, said):
    """Each once, with the nearest name."""
    (what,) = found(code)
    assert said in what


@pytest.mark.parametrize(
    "code",
    [
        f"{APP} app.ontoolresult = f; app.onerror = f; app.connect(); app.toString()",
        f"{APP} app.addEventListener('toolresult', f); app.addEventListener(name, f)",
        "new McpApp.App(info); new McpApp.App(...given); new McpApp.App({ ...info })",
        "new McpApp.App({ name, version }); new McpApp.App({ [key]: 1 })",
        # What the page has itself.
        f"{APP} app.cache = {{}}; app.cache.clear()",
        f"{APP} app.onrefresh = f; app.onrefresh()",
        f"{APP} Object.assign(app, {{ nope() {{}} }}); app.nope()",
        f"{APP} app['nope'] = f; app.nope()",
        f"{APP} extend(app); function extend(it) {{ it.nope = f }} app.nope()",
        f"McpApp.App.prototype.nope = f; {APP} app.nope()",
        "McpApp.nope = f; McpApp.nope()",
        f"class Mine extends McpApp.App {{ nope() {{}} }} const app = new Mine({INFO}); app.any()",
        f"const {{ App }} = McpApp; class A extends App {{}} const app = new A({INFO}); app.nope()",
        f"{APP} for (const key in extra) app[key] = extra[key]; app.nope()",
        f"{APP} Object.assign(app, McpApp.data); app.nope(); app.onnope = f",
        f"{APP} mix(app, extra); function mix(it, more) {{ Object.assign(it, more) }} app.nope()",
        f"Object.assign(McpApp.App.prototype, extra); {APP} app.nope()",
        f"{APP} Reflect.set(app, key, f); app.nope()",
        f"{APP} [app[key]] = given; app.nope()",
        f"{APP} delete app.onnope",
        # What the page asks for first.
        f"{APP} if (app.nope) app.nope()",
        f"{APP} app.nope?.(); app.nope ?? 1; typeof app.other",
        f"{APP} try {{ app.nope() }} catch {{}}",
        # What may be something else.
        f"function f(McpApp) {{ {APP} app.nope() }}",
        f"var McpApp = {{}}; {APP} app.nope()",
        f"window.McpApp = {{}}; {APP} app.nope()",
        f"McpApp.App = Mine; {APP} app.nope()",
        f"change(McpApp); {APP} app.nope()",
        f"{APP} function f(app) {{ app.nope() }}",
        f"{APP} {{ let app = other; app.nope() }}",
        f"let app = new McpApp.App({INFO}); app = other; app.nope()",
        f"let app = new McpApp.App({INFO}); [app] = others; app.nope()",
        f"let app = new McpApp.App({INFO}); for (app of others) app.nope()",
        f"const app = wrap(new McpApp.App({INFO})); app.nope()",
        f"const app = new Other.App({INFO}); app.nope()",
        f"const {{ App = Mine }} = McpApp; const app = new App({INFO}); app.nope()",
        "import { App } from './other.js'; const app = new App(); app.nope()",
        "const a = b, b = a; a.nope()",
    ],
)
def test_what_is_not_certain_is_not_found(code):
    """Pages that do as they like with objects of their own, and with ours."""
    assert found(code, module="import" in code) == []


@pytest.mark.parametrize(
    "imported",
    [
        ("import { App } from './mcp-app.js'", "App"),
        ("import { App as A } from '../x/mcp-app.js'", "A"),
        ("import * as lib from './mcp-app.js'", "lib.App"),
    ],
)
def test_modules_name_the_library_themselves(imported):
    """The page builder replaces these imports."""
    line, name = imported
    assert len(found(f"{line}; const app = new {name}({INFO}); app.nope()", module=True)) == 1


def test_classic_scripts_share_their_names():
    """And modules do not: what stands in one is nobody's business."""
    assert len(found(APP, "app.nope()")) == 1
    assert found(APP, "var app = other; app.nope()") == []
    assert found(APP, "function add() { app.nope = f }", "app.nope()") == []
    assert found(APP, "app.nope()", module=True) == []


def test_attributes_are_code_too():
    """What a handler in an attribute uses is used."""
    set_it = f"{APP} app.onrefresh = f"
    assert len(found(set_it)) == 1
    assert found(set_it, html='<button onclick="app.onrefresh()">') == []


def test_what_other_code_may_add():
    """An app that is handed to a script from elsewhere may have anything."""
    assert len(found(f"{APP} app.nope()", elsewhere=True)) == 1
    assert found(f"{APP} plugin.install(app); app.nope()", elsewhere=True) == []


def test_one_fault_is_said_once():
    """By its first place."""
    (each,) = misuses([Code(f"{APP}\napp.nope();\napp.nope()", is_module=False)], "")
    assert each.node.start_point.row == 1


def test_the_names_are_those_of_the_library():
    """What the types promise is what an app has, and what the library's code asks an app for."""
    root = parse(library(minify=False).encode()).root_node
    pairs = capture(root, "(pair value: (string) @value)")["value"]
    wire = {string_value(node.parent.child_by_field_name("key")): node for node in pairs}
    sent = {string_value(node).split(" ")[0] for key, node in wire.items() if "/" in (key or "")}
    used = capture(root, "(member_expression object: (identifier) @of) @used")["used"]
    asked = {
        text_of(node.child_by_field_name("property"))
        for node in used
        if text_of(node.child_by_field_name("object")) == "app"
    }
    assert {"callServerTool", "openLink", "sendLog"} <= sent <= app_members()
    assert {"onerror", "fallbackRequestHandler", "openLink"} <= asked <= app_members()
    assert {f"on{event}" for event in event_names() - {"connected"}} <= app_members()
    assert {"App", "useTheme", "data"} <= library_names()
    code = library(minify=False)
    assert [n for n in app_members() if n.removeprefix("on") not in code] == []


KNOWN = st.sampled_from(sorted(app_members() - {"constructor"}))
UNKNOWN = st.text(LETTERS, min_size=3, max_size=12).filter(
    lambda name: name not in {*app_members(), "name"} and not name.startswith("on")
)
USED = st.sampled_from(
    ["APP.MEMBER(1);", "wait(APP.MEMBER);", "APP\n  .MEMBER\n();", "x = APP.MEMBER.y;"]
)
DECLARED = st.sampled_from(
    [
        "const APP = new McpApp.App(INFO);",
        "let APP = new (McpApp).App(INFO);",
        "var APP = (new globalThis.McpApp.App(INFO));",
        "let APP; APP = new McpApp.App(INFO);",
        "const { App } = McpApp; const APP = new App(INFO);",
        "const { useTheme, App: Made } = McpApp; const APP = new Made(INFO); useTheme(APP);",
        "const first = new McpApp.App(INFO), APP = first;",
    ]
)
WRAPPED = st.sampled_from(
    [
        "BODY",
        "{ BODY }",
        "(async () => { await 1; BODY })();",
        "function go(other) { BODY }",
        "class A { b() { BODY } }",
        "for (const x of y) { BODY }",
        "/* APP.other */ BODY // APP.another()",
        "function f(APP) { APP.whatever() } BODY",
    ]
)


@st.composite
def pages(draw):
    """Draw a page with an app, and a name that no app has."""
    wrong = draw(UNKNOWN)
    name = draw(st.sampled_from(["app", "App2", "a", "$", "view", "name", "McpApps"]))
    frame = f"{draw(DECLARED)}{draw(WRAPPED)}"
    uses = draw(st.lists(st.tuples(USED, KNOWN), max_size=4))

    def written(*more: tuple[str, str]) -> str:
        body = "".join(use.replace("MEMBER", member) for use, member in (*uses, *more))
        return frame.replace("BODY", body).replace("INFO", INFO).replace("APP", name)

    return written(), written((draw(USED), wrong)), wrong, f"\n{name}.{wrong} = 1;"


@given(pages())
def test_of_any_page_only_the_wrong_name_is_found(drawn):
    """However an app is made, named and wrapped; and nothing once the page gives it the name."""
    right, mistaken, wrong, given_to_it = drawn
    assert found(right) == []
    (what,) = found(mistaken)
    assert f"no `{wrong}`" in what
    assert found(mistaken + given_to_it) == []


WORDS = [
    *("McpApp", "App", "app", ".", ",", ";", "=", "=>", "(", ")", "{", "}", "[", "]", "new"),
    *("const", "let", "var", "class", "extends", "function", "async", "await", "import", "from"),
    *("export", "'./mcp-app.js'", ":", "?", "?.", "...", "on", "x", "\n", "`", "${", "delete"),
    *("typeof", "for", "of"),
]


@given(st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join), st.booleans())
def test_any_text_can_be_read(text, module):
    """A script that is no JavaScript is for another rule to say."""
    found(APP, text, module=module)
