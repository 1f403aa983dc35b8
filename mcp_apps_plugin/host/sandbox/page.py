"""The proxy page of the double frame, and what it is told to show."""

from __future__ import annotations

import html
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.protocol import jsonrpc
from mcp_apps_plugin.protocol.messages import Method

if TYPE_CHECKING:
    from mcp_apps_plugin.host.resolve import ResolvedPage
    from mcp_apps_plugin.protocol.shapes import JsonObject

OUTER_SANDBOX: Final = "allow-scripts allow-same-origin"
"""The `sandbox` attribute of the frame that shows the proxy. Its origin must not be the host's."""

INNER_SANDBOX: Final = "allow-scripts"
"""The `sandbox` attribute of the page's own frame: scripts, in an origin of its own."""


def proxy_page(host_origin: str) -> str:
    """Return the proxy page for one host.

    Serve it from another origin than the host's, with `sandbox_headers`, in a frame with
    `sandbox=OUTER_SANDBOX` and `allow=allow_attribute(page.permissions)`.

    Args:
        host_origin: The origin of the page that embeds it, for example
            `"http://127.0.0.1:8000"`. The proxy speaks with no other.
    """
    return _template().replace("{{host-origin}}", html.escape(host_origin, quote=True))


@cache
def _template() -> str:
    return (
        resources.files(__name__.rpartition(".")[0])
        .joinpath("proxy.html")
        .read_text(encoding="utf-8")
    )


def resource_ready(page: ResolvedPage) -> JsonObject:
    """Build the message that tells the proxy what to show."""
    params: JsonObject = {"html": page.html, "sandbox": INNER_SANDBOX}
    if page.csp is not None:
        params["csp"] = page.csp.to_wire()
    if permissions := page.permissions.to_wire():
        params["permissions"] = permissions
    return jsonrpc.notification(Method.SANDBOX_RESOURCE_READY, params)
