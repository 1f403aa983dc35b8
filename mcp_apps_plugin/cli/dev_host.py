"""The dev host in a terminal: what it prints there, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
import webbrowser
from typing import TYPE_CHECKING

from mcp_apps_plugin.cli.load import LoadError
from mcp_apps_plugin.dev.host import Target, running
from mcp_apps_plugin.dev.watch import folder_of

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_apps_plugin.dev.nursery import Starter
    from mcp_apps_plugin.dev.order import Order
    from mcp_apps_plugin.protocol.shapes import JsonObject


def run_host(
    order: Order,
    file: Path | None,
    starter: Starter,
    port: int,
    *,
    exact: bool,
    browse: bool,
    began: float,
) -> None:
    """Run the dev host until it is interrupted or terminated.

    Args:
        order: What is shown.
        file: The server's file, whose folder is watched; `None` for a URL.
        starter: Starts the server's process.
        port: The port of the window.
        exact: Whether no other port will do.
        browse: Whether to open a browser.
        began: When the command began, as `time.perf_counter` says it.

    Raises:
        LoadError: The port is taken.
    """
    folder = None if file is None else folder_of(file)
    target = Target(order=order, folder=folder, starter=starter)
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(_run(target, port, exact=exact, browse=browse, began=began))


async def _run(target: Target, port: int, *, exact: bool, browse: bool, began: float) -> None:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  this runs in one
    with contextlib.suppress(NotImplementedError):  # there are systems without signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)

    def say(address: str) -> None:
        _print(f"mcp-apps dev: {target.order.spec}\n  open {address}")
        if browse:
            webbrowser.open(address)

    try:
        async with running(target, port, exact=exact, on_address=say, on_state=_Progress(began)):
            await asyncio.Event().wait()
    except BrokenPipeError:
        raise  # of what is printed: the port has nothing to do with it
    except OSError as error:
        message = (
            f"port {port} cannot be listened on: {error.strerror}. "
            "Without `--port` the next free one is taken."
        )
        raise LoadError(message) from error


class _Progress:
    """Prints how the server is, which the window shows too.

    Args:
        began: When the command began, as `time.perf_counter` says it.
    """

    def __init__(self, began: float) -> None:
        self._began: float | None = began
        self._before: object = None

    def __call__(self, told: JsonObject) -> None:
        state, before = told["state"], self._before
        self._before = state
        if state == "failed":
            what = "did not start" if before == "starting" else "ended"
            _print(f"  the server {what}:\n{told['detail']}")
        elif state == "up" and self._began is not None:
            _print(f"  ready after {time.perf_counter() - self._began:.1f} s; Ctrl+C ends it")
        elif state == "up":
            _print(f"  started anew in {told['startedIn'] / 1000:.1f} s")
        if state != "starting":
            self._began = None


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
