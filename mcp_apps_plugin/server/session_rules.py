"""Whether a caller's session shows or hides components: FastMCP's rules, kept as session state."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fastmcp.server.transforms.visibility import get_session_transforms

from mcp_apps_plugin.server.private import current_context

if TYPE_CHECKING:
    from fastmcp import FastMCP

_MEMORY_MODULE = "key_value.aio.stores.memory.store"


async def has_session_rules() -> bool:
    """Tell whether this caller's session hides or shows components."""
    context = current_context.get()
    if context is None or _kept_nothing(context.fastmcp):
        return False
    return bool(await get_session_transforms(context))


def _kept_nothing(server: FastMCP[Any]) -> bool:
    """Tell whether a server that keeps its sessions in memory has kept nothing so far.

    To ask the store costs a tenth of a short list, and FastMCP has asked it for this one already.
    """
    store: Any = getattr(server, "_state_storage", None)
    module = sys.modules.get(_MEMORY_MODULE)
    if module is None or type(store) is not module.MemoryStore:
        return False
    collections: dict[str, Any] | None = getattr(store, "_cache", None)
    return collections is not None and not any(map(_entries, collections.values()))


def _entries(collection: object) -> int:
    cache: Any = getattr(collection, "_cache", None)
    cachetools = sys.modules.get("cachetools")
    # Not `isinstance`, which asks Python code of an abstract class.
    if cachetools is None or cachetools.Cache not in type(cache).__mro__:
        return 1
    counted: int = cachetools.Cache.__len__(cache)  # its own looks for what has expired first
    return counted
