"""A server that asks, plainly, from a mounted server, and from behind a proxy.

Run as `program.py stdio`, or as `program.py http PORT [stateless]`.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from fastmcp import Context, FastMCP
from fastmcp.server import create_proxy
from mcp.server.request_state import RequestStateSecurity

from mcp_apps_plugin import AcceptedElicitation, AppsExtension, app_resource, elicit

KEYS = os.environ.get("TEST_STATE_KEYS", "").split() or None


@dataclass
class Assignment:
    """Who looks after an account, and on how many days."""

    manager: str
    days: int = 5


@app_resource("ui://portfolio/assign")
def assign_page() -> str:
    """Choose a manager."""
    return "<!doctype html><title>Assign</title><h1>Assign</h1>"


def asking(name: str) -> FastMCP:
    """Make a server whose tool, prompt and resource ask."""
    security = RequestStateSecurity(keys=KEYS) if KEYS else None
    server = FastMCP(name, request_state_security=security)

    async def ask(ctx: Context, account: str) -> str:
        match await elicit(ctx, f"Who looks after {account}?", Assignment, app=assign_page):
            case AcceptedElicitation(data=choice):
                return f"{account}: {choice.manager} on {choice.days} days"
            case other:
                return f"{account}: {other.action}"

    @server.tool
    async def assign(account: str, ctx: Context) -> str:
        return await ask(ctx, account)

    @server.prompt
    async def brief(account: str, ctx: Context) -> str:
        return await ask(ctx, account)

    @server.resource("crm://accounts/main")
    async def main_account(ctx: Context) -> str:
        return await ask(ctx, "main")

    @server.resource("crm://accounts/of/{name}")
    async def account_of(name: str, ctx: Context) -> str:
        return await ask(ctx, name)

    return server


def build() -> FastMCP:
    """Make the whole tree."""
    server = asking("front")
    server.mount(asking("below"), namespace="below")
    server.mount(create_proxy(asking("back"), name="relay"), namespace="back")
    # What stands behind a proxy is not known before the first request.
    server.add_extension(AppsExtension(settings={"elicitation": {}}))
    return server


server = build()

if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run(transport="stdio", show_banner=False)
    else:
        server.run(
            transport="http",
            host="127.0.0.1",
            port=int(sys.argv[2]),
            stateless_http="stateless" in sys.argv[3:],
            show_banner=False,
            log_level="ERROR",
        )
