"""Listening on loopback, and on nothing else."""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final

import uvicorn

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

    from starlette.types import ASGIApp

ADDRESS: Final = "127.0.0.1"


class Server(uvicorn.Server):
    """A server that leaves the signals to whoever runs it.

    Attributes:
        up: Set once it answers.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer."""
        await super().startup(sockets)
        self.up.set()

    def end(self) -> None:
        """Answer what is asked, and no more."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield


def listen(port: int, *, others: int = 0) -> socket.socket:
    """Listen on loopback.

    Args:
        port: The port; 0 for any.
        others: How many of the ports after it may be taken instead when it is in use.

    Raises:
        OSError: None of them is free.
    """
    for candidate in range(port, port + others + 1):
        listener = socket.socket()
        try:
            if sys.platform == "win32":  # where the other option lets anyone share the port
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((ADDRESS, candidate))
            listener.listen()
        except OSError:
            listener.close()
            if candidate == port + others:
                raise
        else:
            return listener
    raise AssertionError


def origin_of(listener: socket.socket) -> str:
    """Return the origin that a listening socket serves."""
    return f"http://{ADDRESS}:{listener.getsockname()[1]}"


@asynccontextmanager
async def serving(app: ASGIApp, listener: socket.socket) -> AsyncGenerator[None]:
    """Serve an application while the block runs."""
    config = uvicorn.Config(
        app,
        lifespan="off",
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",  # the other one is deprecated by its own library
        ws_ping_interval=None,
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.end()
        await asyncio.wait([task])
