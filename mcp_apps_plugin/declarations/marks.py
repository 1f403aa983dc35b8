"""Keeping a declaration on a handler, and finding it again whatever FastMCP wrapped around it."""

from __future__ import annotations

import functools
import inspect
from types import FunctionType
from typing import Any, TypeVar, cast

from fastmcp.tools import Tool

from mcp_apps_plugin.protocol.findings import AppsTypeError, Code, Finding, MCPAppsError

UI_MARK = "__mcp_apps_ui__"
PAGE_MARK = "__mcp_apps_page__"
ATTACHED_MARK = "__mcp_apps_attached__"
"""What `attach_ui` said about a tool, by server: one tool may be listed by several."""

_T = TypeVar("_T")


def carrier_of(handler: object) -> Any:
    """Return the object that keeps a handler's marks: the function behind a method."""
    if isinstance(handler, staticmethod | classmethod):
        return carrier_of(cast("Any", handler).__func__)
    return handler.__func__ if inspect.ismethod(handler) else handler


_modules: dict[str, None] = {}


def declaring_modules() -> list[str]:
    """List the modules whose handlers have `@ui`."""
    return list(_modules)


_marks_set = 0


def marks_set() -> int:
    """Return a number that grows with every declaration of this process."""
    return _marks_set


def declared_more() -> None:
    """Count a declaration, so that whoever keeps something about declarations looks again."""
    global _marks_set  # noqa: PLW0603  a count, for caches of what is declared
    _marks_set += 1


_refusal: Finding | None = None


def refuse_marks(finding: Finding | None) -> None:
    """Refuse every declaration from now on, as no server could do anything with one."""
    global _refusal  # noqa: PLW0603  one FastMCP per process
    _refusal = finding


def raise_refusal() -> None:
    """Raise what keeps declarations from having an effect.

    Raises:
        MCPAppsError: The installed FastMCP has another shape (`fastmcp-changed`).
    """
    if _refusal is not None:
        raise MCPAppsError(_refusal)


def set_mark(handler: object, mark: str, value: object) -> None:
    """Keep `value` on a handler.

    Raises:
        AppsTypeError: The handler is a class, or cannot carry attributes (`ui-usage`).
        MCPAppsError: The installed FastMCP has another shape (`fastmcp-changed`).
    """
    raise_refusal()
    declared_more()
    if mark == UI_MARK:
        _modules[getattr(carrier_of(handler), "__module__", "") or ""] = None
    try:
        kept, key = _place_for(handler, mark)
        kept[key] = value
    except TypeError:
        raise AppsTypeError(
            Finding(
                code=Code.UI_USAGE,
                subject=describe(handler),
                problem="cannot carry a declaration: it is a class or has no `__dict__`.",
                consequence="The declaration would be lost.",
                remedy="Decorate a function, a method, an object with `__call__`, or a `Tool`.",
            )
        ) from None


def _place_for(handler: Any, mark: str) -> tuple[dict[str, object], str]:
    """Return where a handler's mark is kept, and the name it has there.

    For a method it is kept on its object: the methods of two objects are one function.
    """
    if inspect.ismethod(handler) and not inspect.isclass(handler.__self__):
        of_object: dict[str, object] | None = getattr(handler.__self__, "__dict__", None)
        if of_object is not None:
            return of_object, _key_on_object(handler, mark)
    carrier: object = carrier_of(handler)
    return vars(carrier), mark


def _key_on_object(method: Any, mark: str) -> str:
    return f"{mark}{method.__func__.__name__}"


def find_mark(handler: object, mark: str, kind: type[_T]) -> _T | None:
    """Find a mark on a handler, or on what it wraps.

    Looks through bound methods, callable objects, `functools.partial`, `functools.wraps` and
    FastMCP's own wrappers.
    """
    if isinstance(handler, _DESCRIPTORS):
        handler = carrier_of(cast("Any", handler))
    for _ in range(_MAX_DEPTH):
        if handler is None:
            break
        if inspect.ismethod(handler):
            of_object: dict[str, Any] = getattr(handler.__self__, "__dict__", {})
            value = of_object.get(_key_on_object(handler, mark))
            if isinstance(value, kind):
                return value
        value = getattr(handler, mark, None)
        if isinstance(value, kind):
            return value
        if isinstance(handler, functools.partial):
            handler = handler.func
            continue
        if inspect.ismethod(handler) and handler.__name__ == "__call__":
            # FastMCP calls an object through its `__call__`; the mark is on the object.
            value = getattr(handler.__self__, "__dict__", {}).get(mark)
            if isinstance(value, kind):
                return value
        handler = getattr(handler, "__wrapped__", None) or _behind_injection(handler)
    return None


def _behind_injection(handler: object) -> object:
    """Return the function for which FastMCP fills in a `Context` or another dependency.

    Its wrapper carries neither the attributes nor `__wrapped__`; the closure has the function.
    """
    if not inspect.isfunction(handler) or handler.__globals__.get("__name__") != _INJECTION:
        return None
    return inspect.getclosurevars(handler).nonlocals.get("fn")


_DESCRIPTORS = (staticmethod, classmethod)
_INJECTION = "fastmcp.server.dependencies"
_MAX_DEPTH = 64  # a chain of `__wrapped__` may be a circle


def find_tool_mark(tool: Tool, mark: str, kind: type[_T]) -> _T | None:
    """Find a mark on a `Tool`, on its function, or on the tool it was transformed from."""
    current: Tool | None = tool
    while current is not None:
        value = current.__dict__.get(mark)
        if isinstance(value, kind):
            return value
        function = current.__dict__.get("fn")
        if type(function) is FunctionType and isinstance(own := vars(function).get(mark), kind):
            return own  # as almost always, and every call of a tool asks
        if function is not None:
            found = find_mark(function, mark, kind)
            if found is not None:
                return found
        current = current.__dict__.get("parent_tool")
    return None


def describe(handler: object) -> str:
    """Name a handler as an author would look for it: `weather.get_weather`."""
    if isinstance(handler, Tool):
        return f"tool {handler.name!r}"
    carrier = carrier_of(handler)
    while isinstance(carrier, functools.partial):
        carrier = carrier.func
    qualname = getattr(carrier, "__qualname__", None)
    if qualname is None:
        return f"{type(carrier).__module__}.{type(carrier).__qualname__} object"
    return f"{getattr(carrier, '__module__', '?')}.{qualname}"


def place_of(handler: object) -> str:
    """Return where a handler is written, as `file:line`, or nothing where Python cannot tell."""
    carrier: Any = _written(handler)
    # A callable object is written where its class says what a call does.
    called = vars(type(carrier)).get("__call__", None) if callable(carrier) else None
    code = getattr(carrier, "__code__", None) or getattr(called, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""


def source_file(handler: object) -> str | None:
    """Return the file that defines a handler, or `None` when Python does not know one."""
    carrier: Any = _written(handler)
    if carrier is None:
        return None
    has_file = inspect.isroutine(carrier) or inspect.isclass(carrier)
    owner: Any = carrier if has_file else carrier.__class__
    try:
        return inspect.getfile(owner)
    except (TypeError, OSError):
        return None


def _written(handler: object) -> Any:
    """Return the author's own function behind a tool, a method, a `partial` or a wrapper.

    `None` for a tool that FastMCP made by itself: from an OpenAPI operation, for a back end.
    """
    while isinstance(handler, Tool):
        function = handler.__dict__.get("fn")
        parent = handler.__dict__.get("parent_tool")
        # A tool made from another one calls that one, by a function of FastMCP's own.
        forwards = str(getattr(function, "__module__", "")).startswith("fastmcp.")
        handler = function if function is not None and not forwards else parent
    carrier = carrier_of(handler)
    while isinstance(carrier, functools.partial):
        carrier = carrier.func
    return inspect.unwrap(carrier) if callable(carrier) else carrier
