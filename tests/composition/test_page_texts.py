"""Pages that say in their own text what is also written into them."""

from __future__ import annotations

import json
import re

import pytest
from fastmcp import FastMCP
from fastmcp.resources import ResourceContent
from fastmcp.server import create_proxy

from mcp_apps_plugin import app_resource

NAMES = '<script type="application/json" id="mcp-app-names">'
TEXTS = {
    "a comment in a script": '<script>/* the element id="mcp-app-names"> is ours */</script>',
    "an element": '<p id="mcp-app-names">words</p>',
    "the whole tag": f"<!-- {NAMES}words</script> -->",
    "the tag in a script": f"<script>const opening = '{NAMES}';</script>",
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("proxied", [False, True])
async def test_the_names_of_its_tools(connect, kit, text, *, proxied):
    """It is read below a namespace, is told the names, and keeps its text."""

    def page() -> str:
        return f"<!doctype html><title>team</title>{kit_library}{TEXTS[text]}"

    kit_library = "<script>McpApp</script>"
    team = FastMCP("team")
    kit.tool(team, "show", "team", app_resource(kit.view)(page))
    kit.tool(team, "refresh", "team", visibility="app")
    inner = FastMCP("inner")
    inner.mount(team, namespace="a")
    server = FastMCP("root")
    server.mount(create_proxy(inner) if proxied else inner, namespace="b")
    async with connect(server) as client:
        seen = await kit.look(client)
        (item,) = await client.read_resource(seen.links["b_a_show"])
    assert item.text.endswith(TEXTS[text])
    told = re.search(f"{NAMES}(.*?)</script>", item.text)
    assert json.loads(told[1])["refresh"] == "b_a_refresh"


async def test_what_is_no_page(connect, kit):
    """Data at a `ui://` address is left as it is, whatever words are in it."""
    data = '{"library": "McpApp"}'
    team = kit.team("team")
    team.resource("ui://team/data", mime_type="application/json")(lambda: data)
    team.resource("ui://team/more")(lambda: [ResourceContent(data, mime_type="application/json")])
    server = FastMCP("root")
    server.mount(team, namespace="a")
    async with connect(server) as client:
        for uri in ("ui://a/team/data", "ui://a/team/more"):
            (item,) = await client.read_resource(uri)
            assert (item.text, item.mime_type) == (data, "application/json")
