from __future__ import annotations

import pytest

from mcp_apps_plugin.view.scopes import reference_edits
from mcp_apps_plugin.view.scripts import apply, parse


@pytest.mark.parametrize(
    ("code", "linked"),
    [
        ("a = x", "a = m.x"),
        ("x()", ";(0, m.x)()"),
        ("a; x().b.c", "a; ;(0, m.x)().b.c"),
        ("a = x()", "a = (0, m.x)()"),
        ("(x)()", "((0, m.x))()"),
        ("((x))`a`", "(((0, m.x)))`a`"),
        ("x?.()", ";(0, m.x)?.()"),
        ("x.y()", "m.x.y()"),
        ("new x()", "new m.x()"),
        ("class A extends x {}", "class A extends m.x {}"),
        ("if (a) x()", "if (a) (0, m.x)()"),
        ("() => x()", "() => (0, m.x)()"),
        ("switch (1) { case 1: x() }", "switch (1) { case 1: ;(0, m.x)() }"),
        ("a.x; a?.x; ({ x: 1 }); x: for (;;) break x", None),
        ("({ x })", "({ x: m.x })"),
        ("({ [x]: x })", "({ [m.x]: m.x })"),
        ("({ x } = a)", "({ x: m.x } = a)"),
        ("({ x = x } = a)", "({ x: m.x = m.x } = a)"),
        ("[x] = a; x++", "[m.x] = a; m.x++"),
        ("for (x of a) x", "for (m.x of a) m.x"),
        ("let { y = x, [x]: z } = x", "let { y = m.x, [m.x]: z } = m.x"),
        ("import { x } from 'y'; export { x }", None),
        ("{ let x = 1; x } x", "{ let x = 1; x } m.x"),
        ("{ const { y: [x] } = a; x }", None),
        ("{ class x {} x }", None),
        ("{ function x() {} x } { function* x() {} }", None),
        ("function f() { if (1) { var x } x }", None),
        (
            "function f() { return () => { var x }; x }",
            "function f() { return () => { var x }; m.x }",
        ),
        ("function f(a = x) { var x }", "function f(a = m.x) { var x }"),
        ("function f(x, a = x) { x }", None),
        ("function f({ x }, ...y) { x }", None),
        ("function f(...x) { x }", None),
        ("x => x; (x = x) => x; async x => x", None),
        ("const f = (a) => { x; { let x } }", "const f = (a) => { m.x; { let x } }"),
        ("(function x() { x }); (class x { m = x })", None),
        (
            "class A { x() { x } get y() { return x } }",
            "class A { x() { m.x } get y() { return m.x } }",
        ),
        (
            "class A { #x = x; x = x; static { var x; x } }",
            "class A { #x = m.x; x = m.x; static { var x; x } }",
        ),
        (
            "try {} catch (x) { x } try {} catch { x }",
            "try {} catch (x) { x } try {} catch { m.x }",
        ),
        ("for (let x = 0; x;) x", None),
        ("for (const x of x) x", None),
        ("for (var x in a); ", None),
        ("switch (x) { case x: let x }", "switch (m.x) { case x: let x }"),
        ("`${x}`; a`${x()}`", "`${m.x}`; a`${(0, m.x)()}`"),
        ("typeof x; delete a[x]; void x", "typeof m.x; delete a[m.x]; void m.x"),
    ],
)
def test_references_and_nothing_else_are_replaced(code, linked):
    """An imported name is replaced where it means the import, and keeps what it does there."""
    data = code.encode()
    edits = reference_edits(parse(data).root_node, {"x"}, lambda name: f"m.{name}")
    assert apply(data, edits).decode() == (code if linked is None else linked)


def test_no_names_need_no_reading():
    """A module that imports nothing is not searched."""
    assert reference_edits(parse(b"x").root_node, set(), str) == []
