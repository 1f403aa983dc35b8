"""The two origins: the window's, and the sandbox's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute

from mcp_apps_plugin.dev.guard import Guard
from mcp_apps_plugin.dev.static import StaticFiles
from mcp_apps_plugin.dev.violations import read_report
from mcp_apps_plugin.host import proxy_page, sandbox_headers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp
    from starlette.websockets import WebSocket

    from mcp_apps_plugin.dev.views import Sandbox

_MAX_REPORT: Final = 65_536


def window_headers(host: str, sandbox: str) -> dict[str, str]:
    """Return the headers of everything the window's origin serves.

    Args:
        host: The window's host and port.
        sandbox: The sandbox's origin: the only one the window may frame.
    """
    policy = (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        f"connect-src 'self' ws://{host}",
        f"frame-src {sandbox}",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }


def window_app(
    sandbox: Sandbox, token: str, socket: Callable[[WebSocket], Awaitable[None]]
) -> ASGIApp:
    """Build the application of the window's origin.

    Args:
        sandbox: The sandbox it frames.
        token: This start's token.
        socket: Serves one window's socket.
    """
    files = StaticFiles()
    routes = [
        WebSocketRoute("/socket", socket),
        Route("/", files.answer),
        Route("/{name:path}", files.answer),
    ]
    host = sandbox.host_origin.removeprefix("http://")
    headers = window_headers(host, sandbox.origin)
    return Guard(Starlette(routes=routes), host=host, token=token, headers=headers)


def sandbox_app(sandbox: Sandbox) -> ASGIApp:
    """Build the application of the sandbox's origin: one proxy page for each shown page."""

    async def proxy(request: Request) -> Response:
        view = sandbox.find(request.path_params["key"])
        if view is None:
            return Response(status_code=404)
        headers = sandbox_headers(sandbox.host_origin, sandbox.policy_of(view))
        return Response(proxy_page(sandbox.host_origin), headers=headers)

    async def report(request: Request) -> Response:
        view = sandbox.find(request.path_params["key"])
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _MAX_REPORT:
                return Response(status_code=413)
        try:
            violation = read_report(json.loads(body))
        except (ValueError, RecursionError):
            violation = None
        if view is None or violation is None:
            return Response(status_code=400)
        view.violated(violation)
        return Response(status_code=204)

    routes = [
        Route("/{key}/", proxy, methods=["GET"]),
        Route("/{key}/csp", report, methods=["POST"]),
    ]
    host = sandbox.origin.removeprefix("http://")
    return Guard(Starlette(routes=routes), host=host, methods=("GET", "HEAD", "POST"))
