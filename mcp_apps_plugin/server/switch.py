"""Whether the package is active in this process, and the lock of whoever changes that."""

from __future__ import annotations

import threading
from typing import Final

LOCK: Final = threading.RLock()
"""One thread may switch the package while another makes a server."""

_active = False


def is_active() -> bool:
    """Tell whether the package is active."""
    return _active


def set_active(active: bool) -> None:  # noqa: FBT001  it is all there is to say
    """Switch the flag; `LOCK` has to be held."""
    global _active  # noqa: PLW0603  one FastMCP per process
    _active = active
