"""What holds for a server alone and not below a namespace, as plain FastMCP has it."""

from __future__ import annotations

from fastmcp import FastMCP

from mcp_apps_plugin.testing import check_app_contract

PAGE = """<!doctype html><p>x<script src="https://esm.example/x.js"></script>
<script>app.callServerTool({ name: "refresh" })</script>"""


def _plain() -> FastMCP:
    mcp = FastMCP("plain")

    @mcp.tool(meta={"ui": {"resourceUri": "ui://plain/page"}})
    def show() -> dict:
        return {"n": 1}

    @mcp.tool(meta={"ui": {"visibility": ["app"]}})
    def refresh() -> dict:
        return {"n": 2}

    @mcp.resource("ui://plain/page", mime_type="text/html;profile=mcp-app")
    def page() -> str:
        return PAGE

    return mcp


async def test_links_that_a_mount_breaks():
    """FastMCP rewrites the page's address and not the link: right alone, dangling mounted."""
    report = await check_app_contract(_plain(), ignore=["page-origin"])
    mounted = {str(f.code) for f in report.findings if "(Only as a server mounted" in f.problem}
    assert mounted == {"link-dangling", "page-tool-unknown"}
    alone = await check_app_contract(_plain(), ignore=["page-origin"], mounted=False)
    assert {str(f.code) for f in alone.broken} == set()
