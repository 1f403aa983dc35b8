"""Servers with exactly one fault, whatever library would make them: tools and pages by hand."""

from __future__ import annotations

from typing import Any

import mcp_types
import pytest
from mcp import MCPError
from mcp.server import Server
from mcp.server.mcpserver import MCPServer

import mcp_apps_plugin
from mcp_apps_plugin.checks.calls import CallPlan
from mcp_apps_plugin.checks.run import Options, record
from mcp_apps_plugin.protocol.constants import MIME_TYPE

URI = "ui://shop/page"
HANDSHAKE = """
  parent.postMessage({ jsonrpc: "2.0", id: 0, method: "ui/initialize", params: {
    appInfo: { name: "shop", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26",
  } }, "*");
  addEventListener("message", ({ data }) => {
    if (data.id === 0) parent.postMessage(
      { jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} }, "*");
    if (data.method === "ui/resource-teardown")
      parent.postMessage({ jsonrpc: "2.0", id: data.id, result: {} }, "*");
  });
"""
OPTIONS = {"csp": {"connectDomains": [], "resourceDomains": []}}


def document(script: str = "", *, head: str = "", handshake: str = HANDSHAKE) -> str:
    """Write a page that shakes hands, with something more in it."""
    return f"<!doctype html>{head}<p>shop<script>{handshake}{script}</script>"


def make_server(
    *,
    html: str | None = None,
    tool: dict[str, Any] | None = None,
    meta: dict[str, Any] | None = None,
    ui: Any = OPTIONS,
    listed_ui: Any = OPTIONS,
    item: dict[str, Any] | None = None,
    items: int = 1,
    read: bool = True,
    answer: dict[str, Any] | None = None,
    extra: list[dict[str, Any]] | None = None,
) -> MCPServer[Any]:
    """Make a server with one tool and one page, right in all but what is given."""
    link = {"ui": {"resourceUri": URI}}
    described = {
        "name": "show",
        "inputSchema": {"type": "object", "properties": {}},
        "_meta": link if meta is None else meta,
        **(tool or {}),
    }
    given = {"content": [{"type": "text", "text": "shown"}], "structuredContent": {"n": 1}}
    given |= answer or {}

    def with_ui(value: Any) -> dict[str, Any]:
        return {} if value is None else {"_meta": {"ui": value}}

    async def list_tools(ctx, params):
        del ctx, params
        tools = [mcp_types.Tool.model_validate(each) for each in [described, *(extra or [])]]
        return mcp_types.ListToolsResult(tools=tools)

    async def call_tool(ctx, params):
        del ctx
        if params.name != described["name"]:
            raise MCPError(-32602, f"Unknown tool: {params.name}")
        return mcp_types.CallToolResult.model_validate(given)

    async def list_resources(ctx, params):
        del ctx, params
        entry = {"uri": URI, "name": "page", "mimeType": MIME_TYPE, **with_ui(listed_ui)}
        return mcp_types.ListResourcesResult(resources=[mcp_types.Resource.model_validate(entry)])

    async def read_resource(ctx, params):
        del ctx
        if not read or str(params.uri) != URI:
            raise MCPError(-32602, "Resource not found")
        content = {
            "uri": URI,
            "mimeType": MIME_TYPE,
            "text": document() if html is None else html,
            **with_ui(ui),
            **(item or {}),
        }
        one = mcp_types.TextResourceContents.model_validate(content)
        return mcp_types.ReadResourceResult(contents=[one] * items)

    server = MCPServer("shop")  # what `fastmcp.Client` connects to, for the handlers below
    server._lowlevel_server = Server(
        "shop",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )
    return server


@pytest.fixture(autouse=True, scope="module")
def plain_servers():
    """Leave FastMCP alone: the rules are for servers of any kind."""
    was_active = mcp_apps_plugin.is_active()
    mcp_apps_plugin.deactivate()
    yield
    if was_active:
        mcp_apps_plugin.activate()


@pytest.fixture
def judge():
    """Look at a server and return its findings."""

    async def look(server, *, policy="all", **options):
        chosen = Options(plan=CallPlan(policy=policy), **options)
        return (await record(server, chosen)).judged(chosen)

    return look
