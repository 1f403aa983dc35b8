"""Processes that need not import everything first.

FastMCP takes about a second to import, and a server's process is started anew after every edit.
Where the system can fork, one process that has imported it all, and nothing of the user's, stands
by and splits off a fresh one each time. Elsewhere each is started from nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import threading
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    Main = Callable[[Sequence[str]], int]

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


class Starter(Protocol):
    """Starts processes."""

    async def start(self, arguments: Sequence[str]) -> Child:
        """Start one."""
        ...


class Spawner:
    """Starts processes from nothing, on every system.

    Args:
        module: The module that is run, as `python -m module`.
    """

    def __init__(self, module: str) -> None:
        self._module = module

    async def start(self, arguments: Sequence[str]) -> Child:
        """Start one."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            self._module,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_MAX_LINE,
        )
        assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018  asked for

        def kill() -> None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()

        return Child(process.stdout, process.stderr, process.stdin.close, kill, process.wait)


class Nursery:
    """Starts processes by splitting them off one that stands by.

    Make it before there are threads and before the event loop runs.

    Args:
        main: What each process does with its arguments; returns its exit code.
    """

    def __init__(self, main: Main) -> None:
        self._socket, theirs = socket.socketpair()
        if os.fork() == 0:
            self._socket.close()
            _stand_by(theirs, main)
        theirs.close()

    @staticmethod
    def possible() -> bool:
        """Tell whether this process can still be split."""
        return hasattr(os, "fork") and threading.active_count() == 1

    async def start(self, arguments: Sequence[str]) -> Child:
        """Start one."""
        theirs: list[int] = []
        ours: list[int] = []
        for reads in (True, False, False):
            read, write = os.pipe()
            theirs.append(read if reads else write)
            ours.append(write if reads else read)
        request = json.dumps([*arguments]).encode()
        socket.send_fds(self._socket, [request], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(None, self._socket.recv, _MAX_REQUEST)
        process = int(answer)
        stdin, *outputs = ours
        output, errors = [await _reader(descriptor) for descriptor in outputs]
        ended = False

        def end() -> None:
            nonlocal ended
            if not ended:
                ended = True
                os.close(stdin)

        def kill() -> None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

        return Child(output, errors, end, kill, _nothing)

    def close(self) -> None:
        """End the process that stands by."""
        self._socket.close()


async def _nothing() -> None:
    """Wait for nothing: the one that stands by has its processes forgotten."""


async def _reader(descriptor: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader(_MAX_LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb")
    )
    return reader


def _stand_by(control: socket.socket, main: Main) -> None:
    """Split off a process for each request, until the other end is closed. Never returns."""
    # The terminal's interrupt goes to all; the dev host decides who ends when.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, _MAX_REQUEST, 3)
        if not request:
            os._exit(0)
        process = os.fork()
        if process == 0:
            control.close()
            _become(main, json.loads(request), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        control.send(str(process).encode())


def _become(main: Main, arguments: Sequence[str], descriptors: Sequence[int]) -> None:
    """Be the new process. Never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    code = 1
    try:
        code = main(arguments)
    except BaseException:  # noqa: BLE001  the process ends here, whatever it was
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
