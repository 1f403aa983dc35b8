"""Pages for tools that nobody wrote: FastMCP makes them from a service's OpenAPI description."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
from fastmcp import FastMCP
from mcp_types import ToolAnnotations
from service import DESCRIPTION, running

from mcp_apps_plugin import AppResource, Csp, attach_ui

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastmcp.utilities.openapi import HTTPRoute

service = httpx2.AsyncClient()


@asynccontextmanager
async def lifespan(_: FastMCP) -> AsyncIterator[None]:
    """Run the service as long as the server; yours runs elsewhere."""
    with running() as address:
        service.base_url = address
        yield


def mark_reading(route: HTTPRoute, tool: Any) -> None:
    """Tell hosts which tools change nothing: pages may call those without the user being asked."""
    tool.annotations = ToolAnnotations(read_only_hint=route.method == "GET")


mcp = FastMCP.from_openapi(
    json.loads(DESCRIPTION.read_text(encoding="utf-8")),
    service,
    name="Cars",
    mcp_component_fn=mark_reading,
    lifespan=lifespan,
)

attach_ui(
    mcp,
    {
        "get_car": AppResource("ui://cars/card", html="card.html", csp=Csp()),
        "list_*": AppResource("ui://cars/table", html="table.html", csp=Csp()),
    },
)

if __name__ == "__main__":
    mcp.run()
