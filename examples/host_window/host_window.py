"""Show the app of a tool of any MCP server: `host_window.py URL_OR_FILE TOOL [JSON]`."""

import asyncio
import json
import secrets
import sys
import webbrowser
from pathlib import Path
from socket import create_server

from fastmcp import Client
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, Router, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn import Config, Server

from mcp_apps_plugin import host

PORTS = 8801, 8802  # two ports: two origins
HOST, SANDBOX = (f"http://127.0.0.1:{port}" for port in PORTS)
KEY = secrets.token_urlsafe()  # who does not have the address does not get in
WINDOW = """<!doctype html><body style="margin: 0"><iframe id=app sandbox="%s" allow="%s"
style="width: 100%%; height: 100vh; border: 0"></iframe><script>
  const socket = new WebSocket(location.href.replace("http", "ws") + "/socket"), at = "%s";
  socket.onmessage = ({ data }) => app.contentWindow.postMessage(JSON.parse(data), at);
  onmessage = (it) => it.source === app.contentWindow && socket.send(JSON.stringify(it.data));
  socket.onopen = () => { app.src = at; };
</script>"""


async def main(server: str, name: str, arguments: str = "{}") -> None:
    """Connect, read the page, serve both origins, and carry messages."""
    source = server if "://" in server else Path(server)
    async with Client(source, extensions=[host.apps_client_extension()]) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        tool = tools.get(name) or sys.exit(f"There is no tool {name}: {', '.join(tools)}")
        page = await host.resolve_page(client, tool) or sys.exit(f"{name} has no page.")
        frame = host.OUTER_SANDBOX, host.allow_attribute(page.permissions), SANDBOX
        window = HTMLResponse(WINDOW % frame, headers={"X-Frame-Options": "DENY"})
        proxy = Response(host.proxy_page(HOST), headers=host.sandbox_headers(HOST, page.policy))

        async def socket(socket: WebSocket) -> None:
            if socket.headers.get("origin") == HOST:
                await socket.accept()
                async with host.AppBridge(client, tool, page=page, send=socket.send_json) as it:
                    call = asyncio.create_task(it.run_tool(json.loads(arguments)))
                    async for message in socket.iter_text():
                        await it.receive_text(message)
                    call.cancel()

        at_host = Router([Route(f"/{KEY}", window), WebSocketRoute(f"/{KEY}/socket", socket)])
        apps = zip((at_host, Router([Route("/", proxy)])), PORTS, strict=True)
        listening = [(app, create_server(("127.0.0.1", port))) for app, port in apps]
        print("open", f"{HOST}/{KEY}", flush=True)
        webbrowser.open(f"{HOST}/{KEY}")
        servers = ((Server(Config(app, log_level="warning")), at) for app, at in listening)
        await asyncio.gather(*(server.serve([at]) for server, at in servers))


asyncio.run(main(*sys.argv[1:]))
