"""The servers that the tests of the kit open: a weather tool, its helper, and a question."""

from __future__ import annotations

from typing import Any

import pytest
from fastmcp import Context, FastMCP

from mcp_apps_plugin import app_resource, elicit, ui

PAGE = """<!doctype html><p id="t">waiting</p><script src="mcp-app.js"></script><script>
  const app = new McpApp.App({ name: "weather", version: "1" });
  app.ontoolresult = async ({ structuredContent }) => {
    const { structuredContent: more } =
      await app.callServerTool({ name: "refresh", arguments: { city: structuredContent.city } });
    t.textContent = `${structuredContent.city} ${more.celsius}`;
  };
  app.connect();
</script>"""

READS = {"readOnlyHint": True}


def make_server(html: str = PAGE, **page: Any) -> FastMCP[Any]:
    """Make a server as an author would."""
    mcp: FastMCP[Any] = FastMCP("weather")

    @app_resource("ui://weather/page", **page)
    def dashboard() -> str:
        return html

    @mcp.tool(annotations=READS)
    @ui(dashboard)
    def get_weather(city: str) -> dict[str, str]:
        return {"city": city}

    @mcp.tool(annotations=READS)
    @ui(visibility="app")
    def refresh(city: str) -> dict[str, Any]:
        return {"city": city, "celsius": 4}

    @mcp.tool
    @ui(visibility="model")
    def forget() -> str:
        return "forgotten"

    return mcp


def make_asking_server() -> FastMCP[Any]:
    """Make a server that asks with a page."""
    mcp: FastMCP[Any] = FastMCP("booking")

    @app_resource("ui://booking/days")
    def days() -> str:
        return PAGE

    @app_resource("ui://booking/page")
    def page() -> str:
        return PAGE

    @mcp.tool
    @ui(page)
    async def book(ctx: Context) -> dict[str, Any]:
        answer = await elicit(ctx, "How many days?", int, app=days)
        return {"action": answer.action, "days": getattr(answer, "data", None)}

    return mcp


@pytest.fixture
def weather():
    """Make the weather server: `weather()`, or `weather(html)`."""
    return make_server


@pytest.fixture
def booking() -> FastMCP[Any]:
    """A server that asks with a page."""
    return make_asking_server()
