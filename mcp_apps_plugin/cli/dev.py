"""`mcp-apps dev`: a server and its pages in a browser, under the sandbox's real rules."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
import webbrowser
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from cyclopts import Parameter

from mcp_apps_plugin.cli.load import LoadError, file_of, load_server
from mcp_apps_plugin.dev.child import keep_output, mounted, proxied, serve
from mcp_apps_plugin.dev.host import Target, running
from mcp_apps_plugin.dev.nursery import Nursery, Spawner
from mcp_apps_plugin.dev.watch import folder_of
from mcp_apps_plugin.protocol.findings import MCPAppsError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    name = server or url or ""
    folder = folder_of(file_of(name)) if url is None else None
    starter = Nursery(serve_child) if Nursery.possible() else Spawner(__name__)
    target = Target(name=name, url=url, folder=folder, starter=starter)
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_run(target, port, browse=open, began=began))


async def _run(target: Target, port: int | None, *, browse: bool, began: float) -> None:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  this runs in one
    with contextlib.suppress(NotImplementedError):  # there are systems without signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)

    def say(address: str) -> None:
        _print(f"mcp-apps dev: {target.name}\n  open {address}")
        if browse:
            webbrowser.open(address)

    try:
        async with running(target, port or PORT, exact=port is not None, on_address=say) as host:
            state = host.state()
            took = time.perf_counter() - began
            if state["state"] == "failed":
                _print(f"  the server did not start:\n{state['detail']}")
            else:
                _print(f"  ready after {took:.1f} s; Ctrl+C ends it")
            await asyncio.Event().wait()
    except OSError as error:
        message = f"port {port or PORT} cannot be listened on: {error.strerror}."
        raise LoadError(message) from error


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def serve_child(arguments: Sequence[str]) -> int:
    """Be the server's process: load what was named, and serve it to the dev host."""
    name, namespace, secret = arguments
    output = keep_output()
    try:
        server = proxied(name) if "://" in name else load_server(name)
        serve(mounted(server, namespace) if namespace else server, secret, output)
    except (LoadError, MCPAppsError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(serve_child(sys.argv[1:]))
