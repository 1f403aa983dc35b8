"""What a command does when whoever read its output has gone, as with `mcp-apps check … | head`."""

from __future__ import annotations

import contextlib
import os
import select
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import TextIO

STATUS: Final = 141
"""What shells give for it: 128 and the number of SIGPIPE, which Python turns into an error."""


@contextmanager
def ending_with_its_reader() -> Generator[None]:
    """Turn a write that nobody reads into a silent end.

    Raises:
        SystemExit: Standard output, or the standard error, is a pipe that was closed.
    """
    try:
        yield
        sys.stdout.flush()  # what is still in the buffer would fail when the interpreter ends
    except BaseException as error:
        closed = [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]
        # Rich makes an exit of it, and has put something else in the pipe's place by then.
        known = closed or isinstance(error, SystemExit)
        if not known or not _is_of_a_pipe(error):
            raise
        for stream in closed:
            with open(os.devnull, "w") as nowhere:  # noqa: PTH123  nothing is written
                os.dup2(nowhere.fileno(), stream.fileno())
        raise SystemExit(STATUS) from None


def _is_of_a_pipe(error: BaseException | None) -> bool:
    """Tell whether a closed pipe is behind an error."""
    inner: Sequence[BaseException] = getattr(error, "exceptions", ())  # of a group
    if inner:
        return any(map(_is_of_a_pipe, inner))
    if isinstance(error, SystemExit):
        return _is_of_a_pipe(error.__context__)
    return isinstance(error, BrokenPipeError)


def _is_closed(stream: TextIO) -> bool:
    """Tell whether a stream is a pipe without a reader."""
    with contextlib.suppress(OSError, ValueError):
        if not hasattr(select, "poll"):
            return not stream.isatty()  # on Windows nothing tells more
        poll = select.poll()
        poll.register(stream.fileno(), 0)
        return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))
    return False
