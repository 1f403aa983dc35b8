"""The side that shows UIs: which tool has a page, the page itself, and the channel to it.

```python
async with Client(server, extensions=[apps_client_extension()]) as client:
    tool = next(t for t in await client.list_tools() if link_of(t))
    page = await resolve_page(client, tool)
    async with AppBridge(client, tool, page=page, send=to_the_browser) as bridge:
        ...  # show proxy_page(origin) under sandbox_headers(origin, page.policy),
        ...  # and feed what the frame posts to bridge.receive(message)
        result = await bridge.run_tool({"city": "Oslo"})
```
"""

from mcp_apps_plugin.host.bridge import AppBridge
from mcp_apps_plugin.host.callbacks import Callbacks, Modality
from mcp_apps_plugin.host.capability import apps_client_extension
from mcp_apps_plugin.host.changes import ServerChanges
from mcp_apps_plugin.host.connection import ServerConnection
from mcp_apps_plugin.host.context import CSS_VARIABLES, ContextChanges
from mcp_apps_plugin.host.downloads import Download, file_name
from mcp_apps_plugin.host.elicitation import AppElicitation, apps_elicitation_handler
from mcp_apps_plugin.host.errors import (
    AppToolRefusedError,
    BridgeClosedError,
    BridgeOrderError,
    HostError,
    PageUnavailableError,
    ViewAnswerError,
    ViewTimeoutError,
)
from mcp_apps_plugin.host.lifecycle import Stage
from mcp_apps_plugin.host.limits import Limits
from mcp_apps_plugin.host.links import LINK_SCHEMES, link_problem
from mcp_apps_plugin.host.page_tools import AppTool, AppTools
from mcp_apps_plugin.host.refusals import Reason, Refusals
from mcp_apps_plugin.host.resolve import ResolvedPage, resolve_page
from mcp_apps_plugin.host.sandbox import (
    INNER_SANDBOX,
    OUTER_SANDBOX,
    allow_attribute,
    proxy_page,
    sandbox_headers,
)
from mcp_apps_plugin.host.tools import app_tools, link_of, model_tools

__all__ = [
    "CSS_VARIABLES",
    "INNER_SANDBOX",
    "LINK_SCHEMES",
    "OUTER_SANDBOX",
    "AppBridge",
    "AppElicitation",
    "AppTool",
    "AppToolRefusedError",
    "AppTools",
    "BridgeClosedError",
    "BridgeOrderError",
    "Callbacks",
    "ContextChanges",
    "Download",
    "HostError",
    "Limits",
    "Modality",
    "PageUnavailableError",
    "Reason",
    "Refusals",
    "ResolvedPage",
    "ServerChanges",
    "ServerConnection",
    "Stage",
    "ViewAnswerError",
    "ViewTimeoutError",
    "allow_attribute",
    "app_tools",
    "apps_client_extension",
    "apps_elicitation_handler",
    "file_name",
    "link_of",
    "link_problem",
    "model_tools",
    "proxy_page",
    "resolve_page",
    "sandbox_headers",
]
