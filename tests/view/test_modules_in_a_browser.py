# ruff: noqa: E501 (scripts are easier to read as they are)
"""Linked modules do in a page what the same files do as modules."""

from __future__ import annotations

import pytest

from mcp_apps_plugin.view import build_page

pytestmark = pytest.mark.browser

_PAGE = '<!doctype html><script type="module" src="main.js"></script>'

CASES = {
    "order": {
        "main.js": 'log.push("main start"); import "./a.js"; import "./b.js"; log.push("main");',
        "a.js": 'import "./c.js"; log.push("a");',
        "b.js": 'import "./c.js"; log.push("b");',
        "c.js": 'log.push("c");',
    },
    "live bindings": {
        "main.js": """
            import { count, increment as more } from "./counter.js";
            log.push(count); more(); log.push(count, { count }); more()
            more()
            log.push([count].concat(count), `${count}`, typeof count);
            try { count = 9 } catch (error) { log.push(error.name) }
            try { ({ count } = { count: 3 }) } catch (error) { log.push(error.name) }
        """,
        "counter.js": "export let count = 1; export function increment() { count += 1 }",
    },
    "shadowing": {
        "main.js": """
            import { x, y, f } from "./a.js";
            { let x = "block"; log.push(x) }
            function g(x = y, { y: z = x } = {}, [w = f()] = []) { var y = "var"; return [x, y, z, w] }
            log.push(g(), x, y);
            try { throw { x: 1 } } catch ({ x }) { log.push(x) }
            for (const x of [1]) log.push(x);
            for (let y = 0; y < 1; y++) log.push(y);
            for (var i in { x }) log.push(i, x);
            const h = x => x, k = (...y) => y, l = async ({ x }) => x;
            log.push(h(5), k(6), x);
            (function f() { log.push(typeof f) })();
            (class x { static name2 = x.name }).name2;
            class C { x = x; [y] = y; static { log.push(x, this.name) } m(x) { return x } get y() { return y } }
            log.push(new C().x, new C()[y], new C().m(7), new C().y);
            switch (x) { case x: { function y() { return "inner" } log.push(y()) } }
            x: for (;;) { break x }
            log.push({ x, y: x, [x]: y, f }.x, { x() { return x } }.x(), ((x, y) => x)(8));
            var { x: renamed, ...rest } = { x: 1, y: 2 }; log.push(renamed, rest);
            if (x) { let f = () => "local"; log.push(f()) } else f()
            do f(); while (false)
            log.push(new f().constructor === f, f`a${1}b`, f?.(), (f)(), f.call("this"));
        """,
        "a.js": """export const x = "x", y = "y";
            export function f(...a) { return this === undefined ? "undefined" : String(this) }""",
    },
    "calls have no this": {
        "main.js": """import { f as g } from "./a.js"
            let a = 1
            g()
            a = (g())
            log.push(a, g(), [g()], (g)())
            const o = { g, h() { return g() } }
            log.push(o.g() === o, o.h())""",
        "a.js": "export function f() { return typeof this }",
    },
    "cycle with hoisted functions": {
        "main.js": 'import { even } from "./even.js"; log.push(even(10), even(7));',
        "even.js": 'import { odd } from "./odd.js"; export function even(n) { return n === 0 || odd(n - 1) }',
        "odd.js": """import { even } from "./even.js"; log.push(even(0));
            export function odd(n) { return n !== 0 && even(n - 1) }""",
    },
    "cycle with dead zone": {
        "main.js": 'import { a } from "./a.js"; log.push(a);',
        "a.js": 'import { b } from "./b.js"; export const a = "a" + b;',
        "b.js": """import { a } from "./a.js"; import * as self from "./b.js";
            try { a } catch (error) { log.push(error.name) }
            export const b = "b"; log.push(self.b, Object.keys(self));""",
    },
    "defaults": {
        "main.js": """
            import f, { default as again } from "./function.js"; import C from "./class.js";
            import arrow from "./arrow.js"; import value, { change } from "./value.js";
            import named, { inner } from "./named.js"; import Gen from "./generator.js";
            import paren from "./paren.js"; import later from "./later.js"; import as from "./as.js";
            log.push(f.name, f(), again === f, C.name, new C().m(), arrow.name, arrow(), value);
            change(); log.push(value, named.name, named(), [...Gen()], Gen.name, paren.name, later, as);
            inner(); log.push(typeof named);
        """,
        "function.js": "export default function () { return 'f' }",
        "class.js": "export default class { m() { return 'm' } }",
        "arrow.js": "export default () => 'arrow'",
        "value.js": "let v = 1; export { v as default2 }; export default v; export function change() { v = 2 }",
        "named.js": "export default function named() { return 1 } export function inner() { named = 5 }",
        "generator.js": "export default function* () { yield 1; yield 2 }",
        "paren.js": "export default (function () {})",
        "later.js": "let x = 1; export { x as default }; x = 2",
        "as.js": "import as from './later.js'; export default as\n;[1].forEach((x) => log.push(x))",
    },
    "default function is hoisted": {
        "main.js": 'import f from "./a.js"; log.push(f());',
        "a.js": 'import "./b.js"; export default async function () {}; export const late = 1',
        "b.js": 'import f from "./a.js"; log.push(typeof f, f.name);',
    },
    "re-exports and stars": {
        "main.js": """
            import * as all from "./barrel.js";
            import { a, renamed, ns, default as d, "odd name" as odd } from "./barrel.js";
            log.push(Object.keys(all), a, renamed, ns.b, d, odd, all[Symbol.toStringTag]);
            log.push(Object.isExtensible(all), "missing" in all, typeof all.then, String(all));
            try { all.a = 1 } catch (error) { log.push(error.name) }
            log.push(Reflect.getPrototypeOf(all) === null, all.both);
        """,
        "barrel.js": """
            export * from "./a.js"; export * from "./b.js"; export * as ns from "./b.js";
            export { b as renamed, default } from "./b.js"; export { c as "odd name" } from "./a.js";
            import { a as mine } from "./a.js"; export { mine as moved };
        """,
        "a.js": 'export const a = "a", c = "c", both = 1; export default "not this";',
        "b.js": 'export const b = "b", both = 2; export default "b default";',
    },
    "star of the same binding twice": {
        "main.js": 'import { x } from "./both.js"; log.push(x);',
        "both.js": 'export * from "./one.js"; export * from "./two.js";',
        "one.js": 'export * from "./origin.js";',
        "two.js": 'export { x } from "./origin.js";',
        "origin.js": "export let x = 1;",
    },
    "star cycles": {
        "main.js": 'import * as a from "./a.js"; log.push(Object.keys(a));',
        "a.js": 'export * from "./b.js"; export const x = 1;',
        "b.js": 'export * from "./a.js"; export const y = 2;',
    },
    "declarations of every kind": {
        "main.js": 'import * as a from "./a.js"; log.push(JSON.stringify(a), typeof a.C, a.h.name);',
        "a.js": """export const [one, { two, three: { four = 4 } = {}, ...five }, ...six] = [1, { two: 2, x: 5 }, 6];
            export let seven, eight = 8; export var nine = 9; export class C {} export async function h() {}
            export function* i() {} seven = 7; var ten = 10; export { ten as "10", ten as __proto__x };""",
    },
    "top-level await": {
        "main.js": """import { slow } from "./slow.js"; import "./other.js"; import { sync } from "./sync.js";
            log.push("main", slow, sync);""",
        "slow.js": """log.push("slow starts"); await new Promise((done) => setTimeout(done, 5));
            export const slow = await Promise.resolve("slow"); log.push("slow ends");""",
        "other.js": 'log.push("other"); for await (const x of [1, Promise.resolve(2)]) log.push(x);',
        "sync.js": 'export const sync = "sync"; log.push("sync"); async () => { await 1 };',
    },
    "dynamic imports": {
        "main.js": """
            const [a, again] = await Promise.all([import("./a.js"), import("./a.js")]);
            log.push(a === again, a.x, Object.keys(a), (await import(`./sub/b.js`)).up);
            await import("./c.js").then((c) => log.push(c.value), (error) => log.push(error.message));
            await import("./throws.js").catch((error) => log.push(error.message));
            await import("./throws.js").catch((error) => log.push(error.message));
        """,
        "a.js": 'export const x = 1; log.push("a runs");',
        "sub/b.js": 'export { x as up } from "../a.js";',
        "c.js": "export const value = await 3;",
        "throws.js": 'log.push("throws"); throw new Error("thrown");',
    },
    "an error stops what depends on it": {
        "main.js": 'import "./ok.js"; import "./bad.js"; import "./never.js"; log.push("main");',
        "ok.js": 'log.push("ok");',
        "bad.js": 'throw new TypeError("bad");',
        "never.js": 'log.push("never");',
    },
    "an asynchronous error stops what depends on it": {
        "main.js": 'import "./bad.js"; import "./sibling.js"; log.push("main");',
        "bad.js": 'await 0; throw new TypeError("bad later");',
        "sibling.js": 'log.push("sibling");',
    },
    "the module scope": {
        "main.js": """import "./a.js"; log.push(this, typeof onlyHere, typeof window.onlyHere);
            var onlyHere = 1; try { undeclared = 1 } catch (error) { log.push(error.name) }
            log.push((function () { return this })());""",
        "a.js": "var onlyHere = 2; function main() {} log.push(typeof main);",
    },
    "semicolons that are not there": {
        "main.js": """import { f } from "./a.js"
            const a = f
            f()
            import "./a.js"
            ;[1, 2].forEach(f)
            const b = a
            export { b };
            (function () { log.push("called") })()
            let c = 1
            f`tagged`
            c++
            f()
            label: f()
            if (c) f(); else f()
            while (c-- > 1) f()
            log.push(c)""",
        "a.js": 'export function f() { log.push("f") }',
    },
    "json and css modules": {
        "main.js": """
            import data from "./data.json" with { type: "json" };
            import sheet from "./a.css" with { type: "css" };
            log.push(data, sheet instanceof CSSStyleSheet, sheet.cssRules[0].selectorText);
            document.adoptedStyleSheets.push(sheet);
            log.push(getComputedStyle(document.documentElement).color);
            const again = await import("./data.json", { with: { type: "json" } });
            log.push(again.default === data, Object.keys(again));
        """,
        "data.json": '{"a": [1, "</script><!--\\u2028"], "__proto__": 1}',
        "a.css": "html { color: rgb(1, 2, 3) }",
    },
    "text that HTML knows": {
        "main.js": """import { parts, tag } from "./a.js";
            log.push(parts, tag`</script>${1}<!-- <script>`, "</script>", String.raw`</script>`);
            log.push("<!--<script></script>".match(/(?<!--x)<!--(?<script>.)/)?.groups.script);
            log.push(/[<!--a]/.test("#"), /<\\/script>/.test("</script>"), `a${`</SCRIPT >`}b`);
            // </script> <!-- in a comment
            /* </script> */
            let a = 3, script = 2, g = 1; log.push(a</script>/g, a < !--g);""",
        "a.js": """export const parts = ["</script>", '<!--', `</script\n>`];
            export function tag(strings, ...values) { return strings.join("|") + values }""",
    },
    "import.meta": {
        "sub/x.txt": "x",
        "main.js": 'import "./sub/a.js"; log.push(typeof import.meta.url);',
        "sub/a.js": """log.push(import.meta.url.endsWith("/sub/a.js"));
            log.push(import.meta.resolve("./c.js").endsWith("/sub/c.js"));""",
    },
    "names that could clash": {
        "main.js": """import { $m, $m1, $default, registry } from "./a.js"; const $mdefault = 5;
            log.push($m, $m1, $default, registry, $mdefault); export default () => {};""",
        "a.js": "export let $m = 1, $m1 = 2, $default = 3, registry = 4; export default function () {}",
    },
    "one module named in several ways": {
        "main.js": """import { n } from "./a.js"; import { n as m } from "./sub/../a.js";
            log.push(n === m);""",
        "a.js": 'export const n = {}; log.push("once");',
        "sub/x.js": "",
    },
}


@pytest.mark.parametrize("files", CASES.values(), ids=CASES.keys())
def test_linked_modules_behave_as_modules(files, write, site, visit):
    """The same files log the same values in the same order, linked and not."""
    site.folder = write({"index.html": _PAGE, **files})
    site.documents["built.html"] = build_page(site.folder / "index.html").html
    expected, got = visit("index.html"), visit("built.html")
    assert got["log"] == expected["log"]
    assert got["errors"] == expected["errors"]
    assert expected["log"] or expected["errors"]
