"""The server's process of `mcp-apps dev`: what was named is loaded here, and served."""

from __future__ import annotations

import sys

from mcp_apps_plugin.cli.load import LoadError, load_server
from mcp_apps_plugin.dev.child import Lifeline, keep_output, mounted, proxied, serve
from mcp_apps_plugin.dev.nursery import read_order
from mcp_apps_plugin.dev.order import Order
from mcp_apps_plugin.dev.reads import Reads
from mcp_apps_plugin.protocol.findings import MCPAppsError


def serve_child(text: str) -> int:
    """Be the server's process: load what was named, and serve it to the dev host."""
    life, reads = Lifeline(), Reads()
    order, output = Order.from_text(text), keep_output()
    try:
        server = proxied(order.spec, order.headers) if order.is_url else load_server(order.spec)
        shown = mounted(server, order.namespace) if order.namespace else server
        serve(shown, order.secret, output, life=life, reads=reads)
    except (LoadError, MCPAppsError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(serve_child(read_order()))
