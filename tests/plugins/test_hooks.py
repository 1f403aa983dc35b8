"""The six hooks: what each changes, in which order, and what a failing plugin does to others."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.resources import ResourceContent

from mcp_apps_plugin import (
    AppResource,
    Code,
    Finding,
    MCPAppsPluginWarning,
    app_resource,
    audit,
    hookimpl,
    ui,
)
from mcp_apps_plugin.plugins import plugins
from mcp_apps_plugin.plugins.manager import PluginError, PluginManager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

URI = "ui://w/page"
UI = "io.modelcontextprotocol/ui"
HOOKS = [
    "mcp_apps_customize_capabilities",
    "mcp_apps_customize_tool",
    "mcp_apps_customize_page",
    "mcp_apps_contribute_pages",
    "mcp_apps_audit",
    "mcp_apps_server_attached",
]


@app_resource(URI)
def page() -> str:
    return "<!doctype html><title>W</title>"


def server_with_page() -> FastMCP[Any]:
    server = FastMCP("s")

    @server.tool
    @ui(page)
    def show() -> dict[str, int]:
        return {}

    return server


@pytest.fixture
def register() -> Iterator[Callable[..., None]]:
    """Register plugins for one test."""
    names: list[str] = []

    def add(plugin: object, name: str = "acme") -> None:
        plugins().register(plugin, name, distribution=f"{name}-dist", version="1.0")
        names.append(name)

    yield add
    for name in names:
        plugins().unregister(name)


async def test_customize_tool(connect: Any, register: Any) -> None:
    """A tool's `_meta` is chained through plugins, after our own; `None` leaves it."""
    seen: list[Any] = []

    class Plugin:
        @hookimpl
        def mcp_apps_customize_tool(self, server: Any, tool: Any, meta: Any) -> Any:
            seen.append((server.name, tool.name, meta["ui"]))
            return {**meta, "openai/outputTemplate": meta["ui"]["resourceUri"]}

    class Silent:
        @hookimpl
        def mcp_apps_customize_tool(self, meta: Any) -> None:
            seen.append(meta["openai/outputTemplate"])

    register(Plugin())
    register(Silent(), "silent")
    server = server_with_page()
    server.tool(lambda: 1, name="plain")
    async with connect(server) as client:
        for _ in range(3):
            tools = {tool.name: tool.meta for tool in await client.list_tools()}
    assert tools["show"]["openai/outputTemplate"] == URI
    assert "openai/outputTemplate" not in tools["plain"]
    both = {"resourceUri": URI, "visibility": ["model", "app"]}
    assert seen == [("s", "show", both), URI]


async def test_customize_page(connect: Any, register: Any) -> None:
    """A page's `_meta.ui` is chained through plugins, once, and stands in list and read."""
    seen: list[Any] = []

    class Plugin:
        @hookimpl
        def mcp_apps_customize_page(self, server: Any, uri: str, ui: Any) -> Any:
            seen.append((server.name, uri))
            return {**ui, "csp": {**ui["csp"], "connectDomains": ["https://acme.example"]}}

    register(Plugin())
    server = server_with_page()
    server.resource("ui://other/page")(lambda: "<p>")
    async with connect(server) as client:
        for _ in range(2):
            for listed in await client.list_resources():
                (item,) = await client.read_resource(listed.uri)
                assert listed.meta["ui"] == item.meta["ui"]
                assert item.meta["ui"]["csp"]["connectDomains"] == ["https://acme.example"]
    assert sorted(seen) == [("s", "ui://other/page"), ("s", URI)]


@pytest.mark.parametrize("declared", [False, True])
async def test_customize_what_an_item_has(connect: Any, register: Any, *, declared: bool) -> None:
    """A read whose item has options of its own gives plugins those, completed by the page's."""
    seen: list[Any] = []

    class Plugin:
        @hookimpl
        def mcp_apps_customize_page(self, server: Any, uri: str, ui: Any) -> Any:
            seen.append((server.name, uri, ui))
            return {**ui, "domain": "plugin.example"}

    def page() -> Any:
        return ResourceContent("<p>", meta={"ui": {"domain": "item.example"}})

    register(Plugin())
    server = FastMCP("s")
    if declared:
        page = app_resource(prefers_border=True)(page)
    server.resource(URI)(page)
    async with connect(server) as client:
        (listed,) = await client.list_resources()
        (item,) = await client.read_resource(URI)
    assert listed.meta["ui"]["domain"] == item.meta["ui"]["domain"] == "plugin.example"
    assert seen[-1][:2] == ("s", URI)
    assert seen[-1][2]["domain"] == "item.example"
    assert seen[-1][2].get("prefersBorder") is (True if declared else None)
    assert "connectDomains" in seen[-1][2]["csp"]


async def test_contribute_pages(connect: Any, register: Any, tmp_path: Path) -> None:
    """Pages of plugins are listed and read on every server."""
    (tmp_path / "p.html").write_text("<!doctype html><title>P</title>", encoding="utf-8")
    contributed = AppResource("ui://acme/help", html=tmp_path / "p.html")

    class Plugin:
        @hookimpl
        def mcp_apps_contribute_pages(self) -> list[AppResource]:
            return [contributed]

    register(Plugin())
    async with connect(FastMCP("s")) as client:
        assert [str(each.uri) for each in await client.list_resources()] == ["ui://acme/help"]
        (item,) = await client.read_resource("ui://acme/help")
    assert item.text == "<!doctype html><title>P</title>"


async def test_audit(register: Any) -> None:
    """Findings of plugins stand in the report beside our own."""

    class Plugin:
        @hookimpl
        def mcp_apps_audit(self, server: Any, registry: Any) -> Any:
            assert server.name == registry.server
            for tool in registry.tools:
                yield Finding("acme-1", tool.name, "is bad.", "Bad things.", "Stop.", "warning")

    register(Plugin())
    report = await audit(server_with_page())
    assert [(f.code, f.subject) for f in report.findings] == [("acme-1", "show")]


def test_server_attached(register: Any) -> None:
    """A plugin is told of servers that exist when it is loaded, and of each later one, once."""
    told: list[str] = []

    class Plugin:
        @hookimpl
        def mcp_apps_server_attached(self, server: Any) -> None:
            told.append(server.name)

    early = FastMCP("early")
    register(Plugin())
    late = FastMCP("late")
    assert told.count(early.name) == 1
    assert told.count(late.name) == 1


async def test_the_order(register: Any) -> None:
    """`tryfirst`, then built-in, then in the order of loading, then `trylast`."""
    order: list[str] = []

    def plugin(name: str, **options: Any) -> Any:
        class Plugin:
            @hookimpl(**options)
            def mcp_apps_customize_tool(self, meta: Any) -> Any:
                order.append(name)
                assert ("ui" in meta) is (name != "first")
                return {**meta, "who": [*meta.get("who", []), name]}

            @hookimpl(**options)
            def mcp_apps_customize_capabilities(self) -> Any:
                return {"acme": {"who": name, "all": [name]}}

        return Plugin()

    for name, options in (
        ("last", {"trylast": True}),
        ("one", {}),
        ("first", {"tryfirst": True}),
        ("two", {}),
    ):
        register(plugin(name, **options), name)
    server = server_with_page()
    async with Client(server) as client:
        (tool,) = await client.list_tools()
        capabilities = client.session.server_capabilities
    assert order == ["first", "one", "two", "last"]
    assert tool.meta["who"] == order
    assert capabilities.extensions["acme"] == {"who": "last", "all": order}


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("error", [RuntimeError("no luck"), KeyError("x"), TypeError("t")])
async def test_a_failing_plugin(
    connect: Any, register: Any, caplog: pytest.LogCaptureFixture, hook: str, error: Exception
) -> None:
    """A plugin that fails in a hook is named once; requests, and other plugins, go on."""

    def fails(*_: Any) -> Any:
        raise error

    def works(_self: Any) -> Any:
        return {"acme": {"works": True}}

    namespace = {hook: hookimpl(lambda _self: fails())}
    register(type("Broken", (), namespace)(), "broken")
    register(type("Works", (), {"mcp_apps_customize_capabilities": hookimpl(works)})(), "works")
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        server = server_with_page()
        async with connect(server) as client:
            for _ in range(2):
                (tool,) = await client.list_tools()
                (resource,) = await client.list_resources()
                (item,) = await client.read_resource(URI)
                await client.call_tool("show")
    assert tool.meta["ui"]["resourceUri"] == URI
    assert resource.meta["ui"] == item.meta["ui"]
    (record,) = [r for r in caplog.records if "broken" in r.message]
    for said in ("'broken'", "broken-dist", hook, type(error).__name__, "plugin-failed"):
        assert said in record.message
    (info,) = [each for each in plugins().infos() if each.name == "broken"]
    assert info.status == "active"
    assert info.failures == (f"{type(error).__name__}: {error}",)


@pytest.mark.parametrize(
    ("hook", "value"),
    [
        ("mcp_apps_customize_capabilities", 3),
        ("mcp_apps_customize_capabilities", {UI: "no object"}),
        ("mcp_apps_customize_tool", ["x"]),
        ("mcp_apps_customize_page", {"csp": {"connectDomains": ["'self'; script-src *"]}}),
        ("mcp_apps_customize_page", {"unknown": 1}),
        ("mcp_apps_customize_page", "csp"),
        ("mcp_apps_contribute_pages", ["ui://a/b"]),
        ("mcp_apps_contribute_pages", 3),
        ("mcp_apps_audit", ["bad"]),
    ],
)
async def test_results_of_a_wrong_shape(
    connect: Any, register: Any, caplog: pytest.LogCaptureFixture, hook: str, value: Any
) -> None:
    """A result that the hook does not allow counts as a failure and changes nothing."""
    register(type("Broken", (), {hook: hookimpl(lambda _self: value)})(), "broken")
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        async with connect(server_with_page()) as client:
            (tool,) = await client.list_tools()
            (resource,) = await client.list_resources()
            (item,) = await client.read_resource(URI)
    assert tool.meta["ui"]["resourceUri"] == URI
    assert resource.meta["ui"] == item.meta["ui"]
    assert set(item.meta["ui"]) == {"csp"}
    assert [hook in r.message for r in caplog.records if "broken" in r.message] == [True]


@pytest.mark.parametrize(
    ("plugin", "said"),
    [
        ({"mcp_apps_no_such_hook": hookimpl(lambda _self: None)}, "mcp_apps_no_such_hook"),
        (
            {"mcp_apps_audit": hookimpl(lambda _self, nonsense: nonsense)},
            "nonsense",
        ),
    ],
)
def test_a_plugin_that_does_not_fit(plugin: dict[str, Any], said: str) -> None:
    """A plugin with unknown hooks or arguments is left out as a whole, and named with the cause."""
    manager = PluginManager()
    good = {"mcp_apps_customize_capabilities": hookimpl(lambda _self: {"acme": {}})}
    with pytest.warns(MCPAppsPluginWarning, match=said) as caught:
        manager.register(type("Bad", (), {**plugin, **good})(), "bad", distribution="bad-dist")
    assert "bad-dist" in str(caught[0].message)
    assert "acme" not in manager.customize_capabilities(FastMCP("s"), {})
    (info,) = [each for each in manager.infos() if each.name == "bad"]
    assert info.status == "failed"
    assert said in info.failures[0]


def test_two_plugins_of_one_name() -> None:
    """Two distributions may name their plugins alike, even like one of ours: both count."""
    manager = PluginManager()

    def plugin(key: str) -> Any:
        hook = hookimpl(lambda _self: {key: {}})
        return type("Plugin", (), {"mcp_apps_customize_capabilities": hook})()

    manager.register(plugin("one"), "links", distribution="one-dist")
    manager.register(plugin("two"), "acme", distribution="two-dist")
    manager.register(plugin("three"), "acme", distribution="three-dist")
    assert manager.customize_capabilities(FastMCP("s"), {}).keys() == {UI, "one", "two", "three"}
    infos = [(each.name, each.distribution) for each in manager.infos() if each.status == "active"]
    assert ("links", "mcp-apps-plugin") in infos
    assert ("links", "one-dist") in infos
    assert infos[-2:] == [("acme", "two-dist"), ("acme", "three-dist")]


def test_the_same_plugin_twice() -> None:
    """One object under two names is left out the second time, with the cause."""
    manager = PluginManager()
    hook = hookimpl(lambda _self: {"one": {}})
    plugin = type("Plugin", (), {"mcp_apps_customize_capabilities": hook})()
    manager.register(plugin, "one")
    with pytest.warns(MCPAppsPluginWarning, match=r"(?i)already registered"):
        manager.register(plugin, "two")
    assert "one" in manager.customize_capabilities(FastMCP("s"), {})


async def test_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `MCP_APPS_STRICT=1` a failing plugin raises instead."""
    monkeypatch.setenv("MCP_APPS_STRICT", "1")
    manager = PluginManager()

    def fails(_self: Any) -> Any:
        return {}["no luck"]

    bad = type("Bad", (), {"mcp_apps_customize_capabilities": hookimpl(fails)})
    manager.register(bad(), "bad", distribution="bad-dist")
    with pytest.raises(PluginError, match=r"bad-dist.*no luck") as caught:
        manager.customize_capabilities(FastMCP("s"), {})
    assert caught.value.code == Code.PLUGIN_FAILED
    with pytest.raises(PluginError, match="no_such"):
        manager.register(type("X", (), {"mcp_apps_no_such": hookimpl(lambda _self: 0)})(), "x")


def test_our_own_behaviour_goes_through_the_hooks() -> None:
    """The built-in plugins are listed with the hooks they implement, before any other."""
    infos = [each for each in PluginManager().infos() if each.distribution == "mcp-apps-plugin"]
    assert {info.name for info in infos} >= {"capability", "links", "defaults", "link-rules"}
    assert {hook for info in infos for hook in info.hooks} >= {
        "mcp_apps_customize_capabilities",
        "mcp_apps_customize_tool",
        "mcp_apps_customize_page",
        "mcp_apps_audit",
    }
    assert all(info.version for info in infos)


def test_the_specifications() -> None:
    """There are exactly the six hooks, each with timing, result and merging in its docstring."""
    from mcp_apps_plugin.plugins import hookspecs

    found = [name for name in vars(hookspecs) if name.startswith("mcp_apps_")]
    assert sorted(found) == sorted(HOOKS)
    for name in found:
        text = getattr(hookspecs, name).__doc__
        assert "Runs" in text
        assert "Args:" in text
        assert "Returns:" in text or "Nothing is returned" in text
