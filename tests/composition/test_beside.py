"""Tools of FastMCP's own apps, beside and below ours."""

from __future__ import annotations

import importlib.util

import pytest

APP = """
    from fastmcp.apps.app import FastMCPApp

    app = FastMCPApp("orders")

    @app.tool
    def save(order: str) -> dict:
        return {"saved": order}

    @app.tool(model=True)
    def theirs(order: str) -> dict:
        return {"order": order}

    child.add_provider(app)
"""
PREFAB = """
    from prefab_ui.components import Text

    @child.tool(app=True)
    def theirs(order: str) -> Text:
        return Text(f"order {order}")
"""
PROGRAM = """
    import asyncio, json
    from fastmcp import Client, FastMCP
    from mcp_apps_plugin import app_resource, is_active, ui

    server, child = FastMCP("root"), FastMCP("child")
    {theirs}
    @app_resource("ui://team/view")
    def page() -> str:
        return "<!doctype html>"

    @ui(page)
    def ours() -> dict:
        return {{}}

    if {beside}:
        child.tool(ours)
    server.mount(child, namespace="c")

    def dump(value):
        return value.model_dump(mode="json", by_alias=True)

    async def main(mode):
        async with Client(server, mode=mode) as client:
            tools = [dump(t) for t in await client.list_tools() if "ours" not in t.name]
            pages = [dump(p) for p in await client.list_resources() if "team" not in str(p.uri)]
            linked = [(t["_meta"] or {{}}).get("ui", {{}}).get("resourceUri") for t in tools]
            read = [[dump(i) for i in await client.read_resource(u)] for u in linked if u]
            called = dump(await client.call_tool_mcp("c_theirs", {{"order": "1"}}))
        return [tools, pages, read, called]

    seen = [asyncio.run(main(mode)) for mode in ("auto", "legacy")]
    print(json.dumps([is_active(), seen], sort_keys=True))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["app", "prefab"])
def test_apps_of_fastmcp_are_untouched(run_python, kind):
    """Listed, read and called exactly as without this package, alone and beside tools of ours."""
    if kind == "prefab" and importlib.util.find_spec("prefab_ui") is None:
        pytest.skip("needs prefab-ui")
    theirs = {"app": APP, "prefab": PREFAB}[kind]
    plain = PROGRAM.format(theirs=theirs, beside=False)
    active, expected = run_python(plain, env={"MCP_APPS_DISABLE": "1"}, warnings="ignore")
    assert active is False
    for beside in (False, True):
        program = PROGRAM.format(theirs=theirs, beside=beside)
        active, seen = run_python(program, warnings="ignore")
        assert active is True
        assert seen == expected
