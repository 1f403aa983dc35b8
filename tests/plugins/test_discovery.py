"""Plugins of real distributions, found in processes of their own."""

from __future__ import annotations

from typing import Any

import pytest

LIST = """
import json
from mcp_apps_plugin.plugins import plugins
from fastmcp import FastMCP
server = FastMCP("s")
print(json.dumps([[i.name, i.distribution, i.version, i.status, list(i.hooks), list(i.failures)]
    for i in plugins().infos() if i.distribution != "mcp-apps-plugin"]
    + [plugins().customize_capabilities(server, {})]))
"""
GOOD = """
from mcp_apps_plugin import hookimpl

@hookimpl
def mcp_apps_customize_capabilities(server):
    return {"com.acme/reports": {"server": server.name}}
"""
WIRE = """
import asyncio, json
from fastmcp import FastMCP, Client
import mcp_apps_plugin
server = FastMCP("s")

@server.resource("ui://w/page")
def page() -> str:
    return "<p>"

async def main():
    async with Client(server) as client:
        listed = (await client.list_resources())[0].meta["ui"]["csp"]["connectDomains"]
        return [client.session.server_capabilities.extensions, listed]
print(json.dumps(asyncio.run(main())))
"""
UI = {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}
HOOK = "mcp_apps_customize_capabilities"


def test_an_installed_plugin(run_python: Any, install: Any) -> None:
    """An installed distribution changes the wire without a line in the server."""
    install(
        "acme-csp",
        GOOD
        + """
@hookimpl
def mcp_apps_customize_page(ui):
    return {**ui, "csp": {**ui["csp"], "connectDomains": ["https://acme.example"]}}
""",
    )
    extensions, origins = run_python(WIRE)
    assert extensions == {**UI, "com.acme/reports": {"server": "s"}}
    assert origins == ["https://acme.example"]


def test_broken_neighbours(run_python: Any, install: Any) -> None:
    """A plugin that fails to import, or to be found, harms nobody and is listed with its cause."""
    install("aaa-broken", "import no_such_module_at_all", version="2.1")
    install("bbb-syntax", "def (:")
    install("ccc-unknown", GOOD.replace(HOOK, "mcp_apps_misspelt"))
    install("zzz-good", GOOD, version="3.0")
    listed = run_python(LIST, warnings="ignore")
    merged = listed.pop()
    assert merged == {**UI, "com.acme/reports": {"server": "s"}}
    by_name = {each[0]: each for each in listed}
    assert by_name["zzz-good"] == ["zzz-good", "zzz-good", "3.0", "active", [HOOK], []]
    name, distribution, version, status, hooks, failures = by_name["aaa-broken"]
    assert (name, distribution, version, status, hooks) == (
        "aaa-broken",
        "aaa-broken",
        "2.1",
        "failed",
        [],
    )
    assert failures == ["ModuleNotFoundError: No module named 'no_such_module_at_all'"]
    assert by_name["bbb-syntax"][3] == by_name["ccc-unknown"][3] == "failed"
    assert "mcp_apps_misspelt" in by_name["ccc-unknown"][5][0]


def test_one_warning_for_each(run_python: Any, install: Any) -> None:
    """A broken plugin is one warning that names it, its distribution, the step and the cause."""
    install("aaa-broken", "1 / 0")
    code = """
        import json, warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import mcp_apps_plugin
            from fastmcp import FastMCP
            FastMCP("a"), FastMCP("b")
        print(json.dumps([[type(w.message).__name__, str(w.message)] for w in caught]))
    """
    ((kind, message),) = run_python(code)
    assert kind == "MCPAppsPluginWarning"
    for said in ("aaa-broken", "load", "ZeroDivisionError", "MCP_APPS_PLUGINS", "plugin-failed"):
        assert said in message


def test_strict(run_python: Any, install: Any) -> None:
    """`MCP_APPS_STRICT=1` raises for a broken plugin, with the cause."""
    install("aaa-broken", "1 / 0")
    stderr = run_python(WIRE, env={"MCP_APPS_STRICT": "1"}, fails="PluginError")
    assert "ZeroDivisionError" in stderr
    assert "aaa-broken" in stderr


def test_switches(run_python: Any, install: Any) -> None:
    """`MCP_APPS_PLUGINS` names the plugins to load; `none` loads none; those off are listed."""
    install("aaa-broken", "1 / 0")
    install("zzz-good", GOOD)
    *listed, merged = run_python(LIST, env={"MCP_APPS_PLUGINS": "zzz-good"})
    statuses = [("aaa-broken", "off"), ("zzz-good", "active")]
    assert [(each[0], each[3]) for each in listed] == statuses
    assert "com.acme/reports" in merged
    *listed, merged = run_python(LIST, env={"MCP_APPS_PLUGINS": "none"})
    assert [(each[0], each[3]) for each in listed] == [("aaa-broken", "off"), ("zzz-good", "off")]
    assert merged == UI


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("zzz-god", "names `zzz-god`, which is no plugin. Did you mean `zzz-good`?"),
        ("zzz-good, other", "names `other`, which is no plugin. No such plugin"),
        ("zzz-good", ""),
        ("none", ""),
    ],
)
def test_a_misspelt_switch(run_python: Any, install: Any, names: str, said: str) -> None:
    """A name in `MCP_APPS_PLUGINS` that no plugin has is said once, with the nearest one."""
    install("zzz-good", GOOD)
    code = """
        import json, warnings
        from fastmcp import FastMCP
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import mcp_apps_plugin
            FastMCP("s"), FastMCP("t")
        print(json.dumps([[type(w.message).__name__, str(w.message)] for w in caught]))
    """
    caught = run_python(code, env={"MCP_APPS_PLUGINS": names})
    assert [kind for kind, _ in caught] == (["MCPAppsWarning"] if said else [])
    assert said in "".join(message for _, message in caught)
    assert all("[settings-unknown]" in message for _, message in caught)


def test_a_plugin_with_a_server_of_its_own(run_python: Any, install: Any) -> None:
    """A plugin whose module makes a FastMCP server is loaded; nothing waits for itself."""
    install("acme", GOOD + "\nfrom fastmcp import FastMCP\nserver = FastMCP('own')\n")
    extensions, _ = run_python(WIRE)
    assert extensions["com.acme/reports"] == {"server": "s"}


def test_one_name_in_two_distributions(run_python: Any, install: Any) -> None:
    """Two distributions that call their plugins alike are both loaded."""
    install("one", GOOD, entry="acme")
    install("two", GOOD.replace("reports", "bills"), entry="acme")
    extensions, _ = run_python(WIRE)
    assert {"com.acme/reports", "com.acme/bills"} <= extensions.keys()
