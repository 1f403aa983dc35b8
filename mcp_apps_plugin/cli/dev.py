"""`mcp-apps dev`: a server and its pages in a browser, under the sandbox's real rules."""

from __future__ import annotations

import gc
import secrets
import sys
import time
from collections.abc import Sequence  # noqa: TC003  cyclopts reads the annotations
from typing import Annotated
from urllib.parse import urlsplit

from cyclopts import Parameter

from mcp_apps_plugin.cli.headers import read_headers
from mcp_apps_plugin.cli.load import LoadError, file_of, load_server
from mcp_apps_plugin.dev.child import Lifeline, Order, keep_output, mounted, proxied, serve
from mcp_apps_plugin.dev.nursery import Nursery, Spawner, Starter, read_order
from mcp_apps_plugin.protocol.findings import MCPAppsError

PORT = 8765


def dev(
    server: Annotated[
        str | None,
        Parameter(help="`server.py`, or `server.py:name` for one object or function of it."),
    ] = None,
    *,
    url: Annotated[
        str | None, Parameter(help="A running MCP server, in any language, instead of a file.")
    ] = None,
    header: Annotated[
        Sequence[str],
        Parameter(
            help="Sent with each request to the server, as it may ask for one: "
            '`"Authorization: Bearer …"`. May be repeated.',
            negative=(),
        ),
    ] = (),
    port: Annotated[
        int | None,
        Parameter(help=f"The port of the window. Default: {PORT}, or the next that is free."),
    ] = None,
    open: Annotated[  # noqa: A002  the option's name
        bool, Parameter(help="Open the window in a browser.", negative=())
    ] = False,
) -> None:
    """Show a server's tools and pages in a browser, and both channels of what is said.

    A change of the server's files or pages starts it anew; the chosen tool and its arguments stay.
    Needs neither Node nor a network, and listens on loopback only.
    """
    began = time.perf_counter()
    if (server is None) == (url is None):
        message = "Name a server file, or give `--url` for a running server."
        raise LoadError(message)
    if url is not None and urlsplit(url).scheme not in ("http", "https"):
        message = f"{url} is no http address. Write the server's MCP endpoint: http://…/mcp."
        raise LoadError(message)
    file = file_of(server) if server is not None else None
    secret, headers = secrets.token_urlsafe(24), read_headers(header)
    order = Order(server or url or "", secret, headers=headers)
    # The server is on its way before the window's part, which it has no use for, is imported.
    starter: Starter = Spawner(__name__)
    if Nursery.possible():
        starter = Nursery(serve_child, first=order.to_text() if file else None)
    gc.disable()  # as in `mcp_apps_command`
    from mcp_apps_plugin.cli.dev_host import run_host  # noqa: PLC0415  as said

    gc.enable()
    run_host(order, file, starter, port or PORT, exact=port is not None, browse=open, began=began)


def serve_child(text: str) -> int:
    """Be the server's process: load what was named, and serve it to the dev host."""
    life = Lifeline()
    order, output = Order.from_text(text), keep_output()
    try:
        server = proxied(order.spec, order.headers) if order.is_url else load_server(order.spec)
        shown = mounted(server, order.namespace) if order.namespace else server
        serve(shown, order.secret, output, life)
    except (LoadError, MCPAppsError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(serve_child(read_order()))
