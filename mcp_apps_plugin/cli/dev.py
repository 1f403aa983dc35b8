"""`mcp-apps dev`: a server and its pages in a browser, under the sandbox's real rules."""

from __future__ import annotations

import gc
import secrets
import time
from collections.abc import Sequence  # noqa: TC003  cyclopts reads the annotations
from typing import Annotated
from urllib.parse import urlsplit

from cyclopts import Parameter, validators

from mcp_apps_plugin.cli.headers import read_headers
from mcp_apps_plugin.cli.load import LoadError, file_of
from mcp_apps_plugin.dev.nursery import Nursery, Spawner, Starter
from mcp_apps_plugin.dev.order import Order

PORT = 8765
CHILD = "mcp_apps_plugin.cli.dev_child"


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
        Parameter(
            help=f"The port of the window. Default: {PORT}, or the next that is free.",
            validator=validators.Number(gte=1, lte=65535),
        ),
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
    # The server's process imports its part, and the server, while this one imports the window's.
    gc.disable()  # as in `mcp_apps_command`
    starter: Starter = Spawner(CHILD)
    if Nursery.possible():
        starter = Nursery(CHILD, first=order.to_text() if file else None)
    from mcp_apps_plugin.cli.dev_host import run_host  # noqa: PLC0415  as said

    gc.freeze()
    gc.enable()
    run_host(order, file, starter, port or PORT, exact=port is not None, browse=open, began=began)
