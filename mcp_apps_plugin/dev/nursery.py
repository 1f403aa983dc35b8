"""Processes that need not import everything first.

FastMCP takes about a second to import, and a server's process is started anew after every edit.
Where the system can fork, one process that has imported it all, and nothing of the user's, stands
by and splits off a fresh one each time. Elsewhere each is started from nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
import threading
import traceback
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


_MAX_REQUEST: Final = 65_536
_MAX_LINE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Child:
    """A process as far as its pipes go.

    Attributes:
        output: Its standard output.
        errors: Its standard error.
        end: Closes its standard input, which asks it to end.
        kill: Ends it.
        wait: Returns once it is gone and forgotten by the system.
    """

    output: asyncio.StreamReader
    errors: asyncio.StreamReader
    end: Callable[[], None]
    kill: Callable[[], None]
    wait: Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class _Asked:
    order: str
    stdin: int
    outputs: tuple[int, int]


class Starter(Protocol):
    """Starts processes."""

    async def start(self, order: str) -> Child:
        """Start one, with one line that says what it is to do."""
        ...


class Spawner:
    """Starts processes from nothing, on every system.

    Args:
        module: The module that is run, as `python -m module`, and reads its order.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    async def start(self, order: str) -> Child:
        """Start one."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            self._module,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_MAX_LINE,
        )
        assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018  asked for

        # Not as arguments, which every user of the machine can list.
        process.stdin.write(order.encode() + b"\n")

        def kill() -> None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()

        return Child(process.stdout, process.stderr, process.stdin.close, kill, process.wait)


def read_order() -> str:
    """Read, in a process that was started from nothing, what it is to do."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(0, 1)):  # and not what follows
        line += byte
    return line.decode()


class Nursery:
    """Starts processes by splitting them off one that stands by.

    Make it before there are threads and before the event loop runs.

    Args:
        module: The module whose `serve_child` each process runs, with its order. It is imported
            by the one that stands by, so that this process can do something else meanwhile.
        first: The order of a process to start at once, for the first `start` that asks for it.
    """

    def __init__(self, module: str, *, first: str | None = None) -> None:
        self._socket, theirs = socket.socketpair()
        if os.fork() == 0:
            self._socket.close()
            _stand_by(theirs, module)
        theirs.close()
        self._ahead = self._ask(first) if first is not None else None

    @staticmethod
    def possible() -> bool:
        """Tell whether this process can still be split."""
        return hasattr(os, "fork") and threading.active_count() == 1

    async def start(self, order: str) -> Child:
        """Start one."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            child = await self._collect(ahead)
            if ahead.order == order:
                return child
            child.end()
        return await self._collect(self._ask(order))

    def _ask(self, order: str) -> _Asked:
        theirs: list[int] = []
        ours: list[int] = []
        for reads in (True, False, False):
            read, write = os.pipe()
            theirs.append(read if reads else write)
            ours.append(write if reads else read)
        socket.send_fds(self._socket, [order.encode()], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        return _Asked(order, ours[0], (ours[1], ours[2]))

    async def _collect(self, asked: _Asked) -> Child:
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(None, self._socket.recv, _MAX_REQUEST)
        process = int(answer)
        output, errors = [await _reader(descriptor) for descriptor in asked.outputs]
        ended = False

        def end() -> None:
            nonlocal ended
            if not ended:
                ended = True
                os.close(asked.stdin)

        def kill() -> None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

        return Child(output, errors, end, kill, _nothing)


async def _nothing() -> None:
    """Wait for nothing: the one that stands by has its processes forgotten."""


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(_MAX_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb")
    )
    return reader


def _stand_by(control: socket.socket, module: str) -> None:
    """Split off a process for each request, until the other end is closed. Never returns."""
    # The terminal's interrupt goes to all; the dev host decides who ends when.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    with contextlib.suppress(Exception):  # whatever it is: each process will fail by it, and say so
        import_module(module)
    # What was imported stays: a child that looked through it for garbage would copy it all.
    gc.freeze()
    gc.enable()
    with contextlib.suppress(OSError):  # the other end is gone, and had something left to read
        while True:
            request, descriptors, _, _ = socket.recv_fds(control, _MAX_REQUEST, 3)
            if not request:
                break
            process = os.fork()
            if process == 0:
                control.close()
                _become(module, request.decode(), descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            control.send(str(process).encode())
    os._exit(0)


def _become(module: str, order: str, descriptors: list[int]) -> None:
    """Be the new process. Never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    code = 1
    try:
        code = import_module(module).serve_child(order)
    except BaseException:  # noqa: BLE001  the process ends here, whatever it was
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
