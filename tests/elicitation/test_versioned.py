"""A question may be rendered by a page whose address carries a hash, like any other page's."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastmcp import Context, FastMCP
from fastmcp.server import create_proxy

from mcp_apps_plugin import AppResource, AppsExtension, elicit
from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.testing import AppsHost

PAGE = AppResource("ui://team/ask", html=Path(__file__).with_name("page.html"), versioned=True)


def asking() -> FastMCP:
    """Make a server that asks with the page."""
    server = FastMCP("asking")

    @server.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "go?", str, app=PAGE)).data

    return server


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("shape", ["itself", "mounted", "proxied"])
async def test_a_versioned_page_renders_its_question(shape, era):
    """The host reads the page under the address with its hash, however the question came."""
    server, prefix = asking(), ""
    if shape != "itself":
        root, prefix = FastMCP("root"), "far"
        root.add_extension(AppsExtension(settings={"elicitation": {}}))
        root.mount(server if shape == "mounted" else create_proxy(server), namespace="far")
        server = root
    async with AppsHost(server, era=era, answer={"value": "yes"}) as host:
        name = f"{prefix}_ask" if prefix else "ask"
        assert (await host.client.call_tool(name)).data == "yes"
        (question,) = host.questions
    assert "?v=" in question.page
    assert unversioned(question.page) == f"ui://{prefix and prefix + '/'}team/ask"
