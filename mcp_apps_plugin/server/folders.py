"""Folders that FastMCP reads again at every request: `FileSystemProvider(reload=True)`.

Each time every function and declaration in them is a new one, and for a moment there is none.
"""

from __future__ import annotations

from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, TypeVar

from fastmcp.server.providers import FileSystemProvider
from fastmcp.server.providers.aggregate import AggregateProvider

from mcp_apps_plugin.server.tree import base_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from fastmcp import FastMCP
    from fastmcp.server.providers import Provider

    Server = FastMCP[Any]

_Seen = TypeVar("_Seen")


def function_key(handler: object) -> object:
    """Return what tells one function from another, the same when its file was read again.

    That is where it stands, what it does, and what it has from around it.
    """
    if isinstance(handler, MethodType):
        return function_key(handler.__func__), function_key(handler.__self__)
    if not isinstance(handler, FunctionType):
        return _value_key(handler)
    around = [_content(cell) for cell in handler.__closure__ or ()]
    around += [*(handler.__defaults__ or ()), *(handler.__kwdefaults__ or {}).values()]
    return handler.__module__, handler.__qualname__, handler.__code__, *map(_value_key, around)


async def while_whole(server: Server, look: Callable[[], _Seen]) -> _Seen:
    """Look at what stands on a server while none of its folders is half read.

    Args:
        server: The server.
        look: What looks; nothing changes meanwhile.
    """

    async def at_last() -> _Seen:
        return look()

    ask: Callable[[], Awaitable[_Seen]] = at_last
    # In one order for everybody: two servers may share their folders.
    for folder in sorted(_reread(server.providers), key=id):
        held = getattr(folder, "_with_reload", None)  # FastMCP's own lock, which has no other door
        ask = ask if held is None else partial(held, ask)
    return await ask()


def _reread(providers: list[Provider]) -> Iterator[FileSystemProvider]:
    for provider in providers:
        base = base_of(provider)
        if isinstance(base, AggregateProvider):
            yield from _reread(base.providers)
        elif isinstance(base, FileSystemProvider) and getattr(base, "_reload", False):
            yield base


def _content(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _value_key(value: object) -> object:
    if isinstance(value, FunctionType):
        # Not further down: functions may hold each other.
        return value.__module__, value.__qualname__, value.__code__
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value
