"""A FastMCP of another shape: a warning at the import, and an error where the feature is used."""

from __future__ import annotations

from typing import Any

import pytest

CHANGES = """
import asyncio, functools, json, pathlib, sys, types, warnings
from fastmcp import FastMCP
import fastmcp.resources, fastmcp.tools, fastmcp.server.transforms

def without(owner, name):
    def other(self, *changed): raise AssertionError(name)
    setattr(owner, name, other)

def odd_init():
    init = FastMCP.__init__
    class Odd:
        def __get__(self, obj, owner): return init.__get__(obj, owner) if obj else init
    FastMCP.__init__ = Odd()

def gone(module):
    import importlib
    real = importlib.import_module
    importlib.import_module = lambda n, *a: types.SimpleNamespace() if n == module else real(n, *a)
"""
SERVERS = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import mcp_apps_plugin
    from mcp_apps_plugin import app_resource, attach_ui, audit, ui
    from mcp_apps_plugin import AppsConfigurationError, MCPAppsError
    FastMCP("first"), FastMCP("second")
said = "".join(str(w.message) for w in caught)
pathlib.Path("page.html").write_text("<p>")

def file(server, **options):
    @server.tool
    @ui("ui://a/file", html="page.html", **options)
    def from_file() -> dict: return {}

def words(server): file(server, text="words")

def fallback(server): file(server, fallback="words")

def pages(server):
    @app_resource("ui://a/page")
    def page() -> str: return "<p>"
    @server.tool
    @ui(page)
    def from_function() -> dict: return {}

def templates(server):
    @server.resource("ui://a/page/{item}")
    def page(item: str) -> str: return "<p>"
    @server.tool
    @ui("ui://a/page/1")
    def from_template() -> dict: return {}

def namespaces(server):
    child = FastMCP("child")
    file(child)
    server.mount(child, namespace="below")

def foreign(server):
    server.resource("ui://a/foreign")(lambda: "<p>")

def plain(server):
    server.tool(lambda: {}, name="plain")

def attached(server):
    plain(server)
    server.resource("ui://a/file")(lambda: "<p>")
    attach_ui(server, {"plain": "ui://a/file"})

async def start(build):
    server = FastMCP("s")
    try:
        build(server)
        async with server._lifespan_manager(): return ""
    except MCPAppsError as error:
        assert {f.code for f in error.findings} == {"fastmcp-changed"}, error
        return type(error).__name__ + ": " + str(error)

builds = [file, words, fallback, pages, templates, namespaces, foreign, plain, attached]
stopped = {each.__name__: text for each in builds if (text := asyncio.run(start(each)))}
print(json.dumps([[type(w.message).__name__ for w in caught], said, stopped]))
"""
ALL = {"file", "words", "fallback", "pages", "templates", "namespaces", "attached"}


@pytest.mark.parametrize(
    ("change", "off", "stopped"),
    [
        ("", "", set()),
        (
            "without(fastmcp.tools.Tool, 'convert_result')",
            "`text=` and `fallback=`",
            {"words", "fallback"},
        ),
        ("without(fastmcp.tools.Tool, '_run')", "`text=` and `fallback=`", {"words", "fallback"}),
        (
            "without(fastmcp.resources.Resource, 'convert_result')",
            "pages from functions, files and texts are not completed",
            {"pages"},
        ),
        (
            "without(fastmcp.resources.ResourceTemplate, 'convert_result')",
            "pages from templates are not completed",
            set(),
        ),
        (
            "without(fastmcp.server.transforms.Namespace, 'list_tools')",
            "links, results and names below a namespace",
            {"namespaces"},
        ),
        ("gone('fastmcp.server.context')", "pages from functions", {"pages"}),
        ("gone('fastmcp.server.mixins.lifespan')", "looked over again", set()),
        ("del FastMCP.run", "", set()),
        (
            "o = FastMCP._lifespan_manager\\nFastMCP._lifespan_manager = lambda me: o(me)",
            "servers are not looked over when they start",
            set(),
        ),
        (
            "odd_init()",
            "everything",
            ALL,
        ),
        (
            "FastMCP.providers = property(lambda s: s.p, lambda s, p: vars(s).update(p=p))",
            "everything",
            ALL,
        ),
        (
            "import fastmcp.server.providers.wrapped_provider as w\\ndel w._WrappedProvider",
            "everything",
            ALL,
        ),
    ],
)
def test_each_feature(run_python: Any, change: str, off: str, stopped: set[str]) -> None:
    """What is off is said once; a server that uses it does not start, and any other one does."""
    change = change.replace("\\n", "\n").replace(
        "del FastMCP.run", "del next(c for c in FastMCP.__mro__ if 'run' in vars(c)).run"
    )
    kinds, said, found = run_python(CHANGES + change + SERVERS)
    assert kinds == (["MCPAppsCompatibilityWarning"] if off else [])
    assert off in said
    assert set(found) == stopped
    for text in found.values():
        assert text.startswith("MCPAppsError: " if stopped == ALL else "AppsConfigurationError: ")
        assert "FastMCP 4." in text
        assert off in text
        assert "program.py:" in text or "attach" in text


def test_after_deactivation(run_python: Any) -> None:
    """Declarations are refused only while the package is active."""
    code = """
odd_init()
warnings.simplefilter("ignore")
from mcp_apps_plugin import activate, deactivate, ui, MCPAppsError
refused = []
for switch in (activate, deactivate, activate):
    switch()
    try: ui("ui://a/b")(lambda: {})
    except MCPAppsError: refused.append(switch.__name__)
print(json.dumps(refused))
"""
    assert run_python(CHANGES + code, warnings="ignore") == ["activate", "activate"]


def test_one_server_of_another_shape(run_python: Any) -> None:
    """One server that takes no parts is warned of, and the others go on."""
    code = """
class Own(FastMCP):
    @property
    def local_provider(self): raise LookupError("none here")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from mcp_apps_plugin import ui
    one, own, two = FastMCP("one"), Own("own"), FastMCP("two")
    two.tool(ui(visibility="app")(lambda: {}), name="f")
print(json.dumps([str(w.message) for w in caught]))
"""
    (said,) = run_python(CHANGES + code)
    assert "LookupError: none here" in said
    assert "everything, on this server" in said
