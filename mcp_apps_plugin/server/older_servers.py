"""Servers that were made before the package was active: each gets our parts when it is first used.

FastMCP keeps no list of its servers, and searching the memory of the process for them takes longer
than all the rest of the import. So whoever reads the attributes that are watched, to add a tool, to
start or to be called, finds our parts there; and only for servers that run already is searched.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import TYPE_CHECKING, Any, Final

from fastmcp import FastMCP

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY: Final = "_mcp_apps_attachment"
"""Where a server keeps our parts. `None` stands there while it gets them, or if it takes none."""


def meet(server: FastMCP[Any]) -> None:
    """Give a server our parts, if it was made without them."""
    if KEY not in vars(server) and _is_whole(server):
        from mcp_apps_plugin.server import stand_ins  # noqa: PLC0415  heavy: see there

        stand_ins.attach(server)


def meet_running() -> None:
    """Give our parts to the servers that may be running: their next answer may read nothing.

    A server runs in an event loop, of this thread or of another one; without any there is no need
    to search.
    """
    if threading.active_count() == 1 and not _in_event_loop():
        return
    # By type, not `isinstance`: proxies may raise, or lie, when asked for their class.
    classes = set(_with_subclasses(FastMCP))
    for each in gc.get_referrers(*classes):
        if type(each) in classes:
            meet(each)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _with_subclasses(owner: type[Any]) -> Iterator[type[Any]]:
    yield owner
    subclasses: list[type[Any]] = owner.__subclasses__()
    for subclass in subclasses:
        yield from _with_subclasses(subclass)


def _is_whole(server: FastMCP[Any]) -> bool:
    """Tell whether a server has what our parts are put into; another thread may be making it."""
    own = vars(server)
    return "_extensions" in own and own.get("_local_provider") in own.get("providers", ())
