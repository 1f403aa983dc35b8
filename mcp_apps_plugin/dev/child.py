"""What runs in the server's own process: the server, reachable for the dev host alone.

The process is told nothing but its arguments. It says on its first standard output, in one line of
JSON, where it listens, and ends when its standard input does: with the dev host, however that ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from secrets import compare_digest
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from fastmcp import FastMCP
from fastmcp.server import create_proxy
from starlette.responses import PlainTextResponse

from mcp_apps_plugin.dev.serving import Server, listen

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

KEY_HEADER: Final = "x-mcp-apps-dev"
"""The header that opens the server's port: no other program and no page may use it."""

PATH: Final = "/mcp"


def mounted(server: FastMCP[Any], namespace: str) -> FastMCP[Any]:
    """Put a server below another one, as applications do that are made of several."""
    outer: FastMCP[Any] = FastMCP(f"{server.name}, mounted as {namespace}")
    outer.mount(server, namespace=namespace)
    return outer


def proxied(url: str) -> FastMCP[Any]:
    """Stand in for a server that runs elsewhere."""
    return create_proxy(url)


def keep_output() -> int:
    """Take standard output for the dev host; what the server prints is for its author to read.

    To be called before anything of the server is loaded: modules print while they are imported.

    Returns:
        The descriptor of the first standard output, for `serve`.
    """
    kept = os.dup(1)
    os.dup2(2, 1)
    # A pipe would keep the lines until there are many.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # it is a text stream
    return kept


def serve(server: FastMCP[Any], secret: str, output: int) -> None:
    """Serve until standard input ends.

    Args:
        server: The server.
        secret: What opens its port.
        output: Where it is said which port that is, once.

    Raises:
        MCPAppsError: The server is wrong in a way that its own start shows.
    """
    asyncio.run(_serve(server, secret, output))


async def _serve(server: FastMCP[Any], secret: str, output: int) -> None:
    app = server.http_app(path=PATH)
    with listen(0) as listener:
        async with app.router.lifespan_context(app):
            config = uvicorn.Config(
                _OnlyWith(secret, app),
                lifespan="off",
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=1,
            )
            http = Server(config)
            _end_with_input(http, asyncio.get_running_loop())
            serving = asyncio.create_task(http.serve(sockets=[listener]))
            await http.up.wait()
            os.write(output, json.dumps({"port": listener.getsockname()[1]}).encode() + b"\n")
            await serving


def _end_with_input(http: Server, loop: asyncio.AbstractEventLoop) -> None:
    def wait() -> None:
        while os.read(0, 4096):
            pass
        loop.call_soon_threadsafe(setattr, http, "should_exit", True)  # noqa: FBT003

    threading.Thread(target=wait, daemon=True).start()


class _OnlyWith:
    """Answers the holder of the secret; everybody else gets nothing."""

    def __init__(self, secret: str, app: ASGIApp) -> None:
        self._secret = secret.encode()
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope["headers"]).get(KEY_HEADER.encode(), b"")
        if compare_digest(given, self._secret):
            await self._app(scope, receive, send)
        else:
            await PlainTextResponse("No.", 403)(scope, receive, send)
