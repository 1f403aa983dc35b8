"""The pytest plugin as users have it: light, silent until asked, in every asyncio flavour."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CHECKS = Path(__file__).parents[1] / "checks"
SERVER = """
    import pytest
    from fastmcp import FastMCP
    from mcp_apps_plugin import app_resource, ui
    mcp = FastMCP("shop")

    @app_resource("ui://shop/page")
    def page() -> str:
        return '<!doctype html><p>shop<script src="mcp-app.js"></script>' \\
            '<script>new McpApp.App({ name: "shop", version: "1" }).connect()</script>'

    @mcp.tool
    @ui(page)
    def show(city: str) -> dict:
        return {"city": city}
"""
TESTS = """
    async def test_client(mcp_apps_client):
        async with mcp_apps_client(mcp, era="legacy", apps=False, http=True) as client:
            assert [tool.name for tool in await client.list_tools()] == ["show"]

    async def test_matrix(mcp_apps_matrix):
        async with mcp_apps_matrix(mcp) as client:
            assert (await client.call_tool("show", {"city": "Oslo"})).data == {"city": "Oslo"}
        assert mcp_apps_matrix.sees_pages is (mcp_apps_matrix.apps == "apps")

    async def test_host(mcp_apps_host):
        async with mcp_apps_host(mcp) as host, host.open("show", {"city": "Oslo"}) as session:
            assert session.view.result.structured_content == {"city": "Oslo"}

    async def test_contract(mcp_apps_contract):
        await mcp_apps_contract(mcp, arguments={"show": {"city": "Oslo"}})
"""
ANYIO = """
    pytestmark = pytest.mark.anyio

    @pytest.fixture
    def anyio_backend():
        return "asyncio"
"""


def test_it_is_light_and_changes_nothing(pytester):
    """A run that asks for nothing imports neither FastMCP nor this package."""
    pytester.makepyfile("""
        import sys
        def test_nothing_is_imported():
            assert "pytest_mcp_apps" in sys.modules
            assert not {"mcp_apps_plugin", "fastmcp", "mcp", "playwright"} & sys.modules.keys()
    """)
    pytester.runpytest_subprocess("-p", "no:anyio").assert_outcomes(passed=1)


def test_every_fixture_has_the_prefix_and_none_is_autouse(pytester):
    """`--fixtures` lists them with what they are for."""
    shown = pytester.runpytest_subprocess("--fixtures", "-q").stdout.str()
    for name in ("client", "matrix", "host", "browser", "contract"):
        assert f"mcp_apps_{name}" in shown
    plugin = __import__("pytest_mcp_apps")
    fixtures = [v for v in vars(plugin).values() if type(v).__name__ == "FixtureFunctionDefinition"]
    assert len(fixtures) == 5
    assert not any(f._fixture_function_marker.autouse for f in fixtures)


@pytest.mark.parametrize(
    ("extra", "options"),
    [
        ("", ("-o", "asyncio_mode=auto", "-p", "no:anyio")),
        ("\n    pytestmark = pytest.mark.asyncio\n", ("-o", "asyncio_mode=strict")),
        (ANYIO, ("-p", "no:asyncio")),
    ],
    ids=["asyncio-auto", "asyncio-strict", "anyio"],
)
def test_the_fixtures_work(pytester, extra, options):
    """With pytest-asyncio in both modes, and with anyio alone."""
    pytester.makepyfile(SERVER + extra + TESTS)
    loop = ("-o", "asyncio_default_fixture_loop_scope=function")
    done = pytester.runpytest_subprocess(*options, *(() if extra == ANYIO else loop))
    done.assert_outcomes(passed=9)


def test_each_rule_fails_a_test(pytester):
    """One broken server for each rule, under one contract: every test fails, and says its code."""
    pytester.makepyfile(f"""
        import importlib.util, sys
        import pytest
        import mcp_apps_plugin
        mcp_apps_plugin.deactivate()
        sys.path.insert(0, {str(CHECKS)!r})
        import test_rules

        @pytest.mark.parametrize("code", test_rules.CASES)
        async def test_broken(code, mcp_apps_contract):
            broken, _, *hosts = test_rules.CASES[code]
            await mcp_apps_contract(test_rules.make(**broken), hosts=hosts, strict=True)
    """)
    done = pytester.runpytest_subprocess(
        "-o", "asyncio_mode=auto", "-q", "--tb=line", "-p", "no:anyio"
    )
    codes = __import__("json").loads(_codes(pytester))
    done.assert_outcomes(failed=len(codes))
    text = done.stdout.str()
    assert [code for code in codes if f"[{code}]" not in text] == []


def _codes(pytester) -> str:
    """The codes that have a broken server."""
    program = f"import sys, json; sys.path.insert(0, {str(CHECKS)!r}); import test_rules;"
    return pytester.runpython_c(program + "print(json.dumps(list(test_rules.CASES)))").stdout.lines[
        -1
    ]


def test_without_a_browser_the_test_is_skipped(pytester, monkeypatch):
    """And says what is missing."""
    monkeypatch.setenv("MCP_APPS_CHROMIUM", "/nowhere/chromium")
    pytester.makepyfile("def test_it(mcp_apps_browser): raise AssertionError")
    done = pytester.runpytest_subprocess("-rs", "-p", "no:anyio")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["*SKIPPED*needs *"])
