"""What runs in the server's own process: the server, reachable for the dev host alone.

The process is told nothing but its order. It says on its first standard output, in one line of
JSON, where it listens, and ends when its standard input does: with the dev host, however that ends.

What only the server needs is imported here; what only a client needs is not.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from secrets import compare_digest
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from fastmcp import FastMCP
from fastmcp.server import create_proxy
from starlette.responses import PlainTextResponse

from mcp_apps_plugin.dev.fresh import Freshness
from mcp_apps_plugin.dev.order import KEY_HEADER, PATH
from mcp_apps_plugin.dev.serving import Server, listen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from mcp_apps_plugin.dev.reads import Reads

GRACE_SECONDS: Final = 5.0
"""How long a server may take to end by itself when its dev host is gone."""


def mounted(server: FastMCP[Any], namespace: str) -> FastMCP[Any]:
    """Put a server below another one, as applications do that are made of several."""
    outer: FastMCP[Any] = FastMCP(f"{server.name}, mounted as {namespace}")
    outer.mount(server, namespace=namespace)
    return outer


def proxied(url: str, headers: Mapping[str, str]) -> FastMCP[Any]:
    """Stand in for a server that runs elsewhere."""
    from mcp_apps_plugin.dev.endpoint import Endpoint  # noqa: PLC0415  a client's part; see above

    return create_proxy(Endpoint(url, headers).transport())


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


class Lifeline:
    """Standard input: when it ends, so does the process, whatever it is at.

    To be held before anything of the server is loaded: a module may never be done.
    """

    def __init__(self) -> None:
        self._ask: Callable[[], object] | None = None
        threading.Thread(target=self._hold, daemon=True).start()

    def when_cut(self, ask: Callable[[], object]) -> None:
        """From now on the process is asked to end before it is made to."""
        self._ask = ask

    def _hold(self) -> None:
        while os.read(0, 4096):
            pass
        if self._ask is not None:
            self._ask()
            time.sleep(GRACE_SECONDS)
        os._exit(1)


def serve(server: FastMCP[Any], secret: str, output: int, *, life: Lifeline, reads: Reads) -> None:
    """Serve until standard input ends.

    Args:
        server: The server.
        secret: What opens its port.
        output: Where it is said which port that is, once.
        life: Ends it.
        reads: What the process has read.

    Raises:
        MCPAppsError: The server is wrong in a way that its own start shows.
    """
    asyncio.run(_serve(server, secret, output, life, reads))


async def _serve(
    server: FastMCP[Any], secret: str, output: int, life: Lifeline, reads: Reads
) -> None:
    app = server.http_app(path=PATH)
    with listen(0) as listener:
        async with app.router.lifespan_context(app):
            config = uvicorn.Config(
                _OnlyWith(secret, Freshness(server, app, reads)),
                lifespan="off",
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=1,
            )
            http = Server(config)
            loop = asyncio.get_running_loop()
            life.when_cut(lambda: loop.call_soon_threadsafe(http.end))
            serving = asyncio.create_task(http.serve(sockets=[listener]))
            await http.up.wait()
            os.write(output, json.dumps({"port": listener.getsockname()[1]}).encode() + b"\n")
            await serving


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
