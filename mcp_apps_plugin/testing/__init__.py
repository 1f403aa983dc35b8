"""Tests for servers with pages: real clients of every kind, a host, a browser, and one contract.

```python
async def test_weather():
    await assert_app_contract(mcp, arguments={"get_weather": {"city": "Oslo"}})


async def test_refresh():
    async with AppsHost(mcp) as host, host.open("get_weather", {"city": "Oslo"}) as session:
        called = await session.view.call_tool("refresh", {"city": "Rome"})
    assert called.structured_content["city"] == "Rome"
```
"""

from mcp_apps_plugin.checks.showing import Record
from mcp_apps_plugin.testing.browser import AppsBrowser, BrowserSession
from mcp_apps_plugin.testing.clients import ClientKind, open_client
from mcp_apps_plugin.testing.contract import (
    AppContractError,
    ContractReport,
    assert_app_contract,
    check_app_contract,
)
from mcp_apps_plugin.testing.host import AppsHost, Question
from mcp_apps_plugin.testing.session import AppsSession, Session, ToolFailedError
from mcp_apps_plugin.testing.view import ScriptedView, ViewRefusedError

__all__ = [
    "AppContractError",
    "AppsBrowser",
    "AppsHost",
    "AppsSession",
    "BrowserSession",
    "ClientKind",
    "ContractReport",
    "Question",
    "Record",
    "ScriptedView",
    "Session",
    "ToolFailedError",
    "ViewRefusedError",
    "assert_app_contract",
    "check_app_contract",
    "open_client",
]
