"""A text that could not be made: its server says so, and nobody else can know."""

from __future__ import annotations

from typing import Any

from fastmcp import FastMCP

from mcp_apps_plugin import Code, ui
from mcp_apps_plugin.checks import CallPlan, Options, check_server


async def test_a_text_that_fits_no_result_is_found(tmp_path):
    """Only the server knows that it failed: its client reads FastMCP's own content instead."""
    page = tmp_path / "page.html"
    page.write_text(
        "<!doctype html><script src='mcp-app.js'></script>"
        "<script>new McpApp.App({ name: 'page', version: '1' }).connect()</script>"
    )
    server = FastMCP("loose")

    @server.tool
    @ui("ui://loose/page", html=page, text="{nothing}")
    def show(title: str = "x") -> dict[str, Any]:
        return {"title": title}

    for _ in range(2):  # the log says it once; each check says it
        report = await check_server(server, Options(plan=CallPlan(policy="all")))
        (finding,) = report.findings
        assert (finding.code, finding.severity) == (Code.TEXT_INVALID, "warning")
        assert "there is no `nothing`" in str(finding)
