"""The example of two teams: one page address, the same tool names, one endpoint."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

SERVER = Path(__file__).parents[2] / "examples" / "composed" / "server.py"
TITLES = {"energy": "Iowa, 2015", "stocks": "Shares, Dec 2009"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_both_teams_behind_one_endpoint(mode, tmp_path):
    """Each tool shows its own page, which calls its own server's `reload`, mounted and proxied."""
    pytest.importorskip("vega_datasets", reason="needs vega_datasets")
    transport = StdioTransport(sys.executable, [str(SERVER)], log_file=tmp_path / "log.txt")
    async with Client(transport, mode=mode) as client:
        tools = {tool.name: tool.meta["ui"] for tool in await client.list_tools()}
        assert {name: ui.get("resourceUri") for name, ui in tools.items()} == {
            "energy_show": "ui://energy/chart/view",
            "energy_reload": None,
            "stocks_show": "ui://stocks/chart/view",
            "stocks_reload": None,
        }
        for team, title in TITLES.items():
            shown = await client.call_tool(f"{team}_show", {})
            assert shown.structured_content["title"] == title
            assert shown.content[0].text.startswith(f"{title}: ")
            (page,) = await client.read_resource(f"ui://{team}/chart/view")
            told = json.loads(re.search(r'id="mcp-app-names">(.*?)</script>', page.text)[1])
            assert told == {"show": f"{team}_show", "reload": f"{team}_reload"}
            period = title.rpartition(", ")[2]
            again = await client.call_tool(told["reload"], {"period": period})
            assert again.structured_content == shown.structured_content
            wrong = await client.call_tool(f"{team}_show", {"period": "1850"}, raise_on_error=False)
            assert wrong.is_error
            assert "There is nothing for '1850'" in wrong.content[0].text
