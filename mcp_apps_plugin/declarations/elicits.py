"""Which pages a handler may ask with: read from its code, or said with `@elicits`.

Clients are told before the first call whether a server asks with pages, so it has to be known
before a handler runs. Mostly its code says it: `elicit(..., app=choose_manager)` names the page.
"""

from __future__ import annotations

import dis
import inspect
import weakref
from collections import ChainMap
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from mcp_apps_plugin.declarations.marks import find_mark, set_mark
from mcp_apps_plugin.declarations.page import AppResource, check_uri, page_of
from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.protocol.findings import AppsTypeError, Code, Finding
from mcp_apps_plugin.protocol.links import uri_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType

    from fastmcp.utilities.components import FastMCPComponent

    PageLike = str | AppResource | Callable[..., Any]

_F = TypeVar("_F")
_ELICITS_MARK = "__mcp_apps_elicits__"
_MAX_DEPTH = 8

Elicited: TypeAlias = tuple["str | AppResource", ...]

_askers: list[object] = []
_read: weakref.WeakKeyDictionary[Any, Elicited] = weakref.WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class _Declared:
    """What `@elicits` said about one handler."""

    pages: Elicited


def elicits(*pages: PageLike) -> Callable[[_F], _F]:
    """Declare the pages that a handler asks with, where its code does not name them.

    Not needed for `elicit(..., app=page)` with a page or an address written in the handler, or
    in functions of the same module that it calls. Needed where the page comes out of a variable
    or from another module's helper. Works on tools, prompts and resources, above and below
    FastMCP's decorators.

    Experimental, as the convention is a draft (SEP-3118).

    Args:
        pages: The pages: `ui://` addresses, functions with `@app_resource`, or `AppResource`s.

    Raises:
        AppsTypeError: No page is given, or something that is no page (`elicit-usage`).
        AppsValueError: An address is not allowed (`uri-invalid`).

    Example:
        ```python
        @mcp.tool
        @elicits(choose_manager, choose_region)
        async def assign(account: str, ctx: Context) -> str: ...
        ```
    """
    if not pages:
        raise AppsTypeError(_usage("@elicits", "names no page."))
    listed = tuple(page_or_uri(page, "@elicits") for page in pages)

    def decorate(handler: _F) -> _F:
        known = find_mark(handler, _ELICITS_MARK, _Declared)
        pages = listed if known is None else (*known.pages, *listed)
        set_mark(handler, _ELICITS_MARK, _Declared(pages))
        return handler

    return decorate


def page_or_uri(page: object, subject: str) -> str | AppResource:
    """Check what an author gave as a page.

    Raises:
        AppsTypeError: It is no page (`elicit-usage`).
        AppsValueError: It is an address that is not allowed (`uri-invalid`).
    """
    if isinstance(page, str):
        check_uri(page, subject)
        return page
    declared = page_of(page)
    if declared is None:
        raise AppsTypeError(_usage(subject, f"is given {page!r}, which is no page."))
    return declared


def address_of_page(page: str | AppResource) -> str | None:
    """Return the address of a page; `None` for one that never got any."""
    return page if isinstance(page, str) else page.uri


def asks(function: _F) -> _F:
    """Mark `elicit` itself, so that its name is recognised in a handler's code."""
    _askers.append(function)
    return function


def elicited_by(component: FastMCPComponent) -> Elicited:
    """List the pages that a tool, a prompt or a resource may ask with.

    Args:
        component: The FastMCP component.
    """
    declared: list[str | AppResource] = []
    current: FastMCPComponent | None = component
    while current is not None:
        fields: dict[str, Any] = vars(current)
        handler: Any = fields.get("fn")
        said = fields.get(_ELICITS_MARK) or find_mark(handler, _ELICITS_MARK, _Declared)
        if isinstance(said, _Declared):
            declared += said.pages
        if handler is not None:
            declared += _written_in(handler)
        current = fields.get("parent_tool")
    return tuple(dict.fromkeys(declared))


def asks_itself(component: FastMCPComponent) -> bool:
    """Tell whether a component's own handler asks, with a page or without.

    Args:
        component: The FastMCP component.
    """
    current: FastMCPComponent | None = component
    while current is not None:
        function = _function_of(vars(current).get("fn"))
        if function is not None and any(_asking(function, set(), 0)):
            return True
        current = vars(current).get("parent_tool")
    return False


def _written_in(handler: Any) -> Elicited:
    function = _function_of(handler)
    if function is None:
        return ()
    known = _read.get(function)
    if known is None:
        known = _read[function] = tuple(dict.fromkeys(_pages_of(function)))
    return known


def _function_of(handler: Any) -> FunctionType | None:
    """Find the author's function under methods, partials and wrappers."""
    for _ in range(_MAX_DEPTH):
        if inspect.isfunction(handler) and not hasattr(handler, "__wrapped__"):
            return handler
        below = getattr(handler, "__wrapped__", None) or getattr(handler, "func", None)
        if below is None and not inspect.ismethod(handler):
            below = _call_of(handler)
        handler = below if below is not None else getattr(handler, "__func__", None)
    return None


def _call_of(instance: object) -> Any:
    return vars(type(instance)).get("__call__")


def _pages_of(function: FunctionType) -> Iterator[str | AppResource]:
    for asking, values in _asking(function, set(), 0):
        yield from _addresses_in(asking.__code__)
        yield from (page for value in values if (page := _page(value)) is not None)


def _asking(
    function: FunctionType, seen: set[Any], depth: int
) -> Iterator[tuple[FunctionType, list[object]]]:
    """Yield the functions on a handler's way that ask, each with what its names stand for."""
    if function in seen or depth > _MAX_DEPTH:
        return
    seen.add(function)
    values = list(_named_in(function))
    if any(value is asker for value in values for asker in _askers):
        yield function, values
    for value in values:
        # A helper of the same module may ask on the handler's behalf.
        if inspect.isfunction(value) and value.__module__ == function.__module__:
            yield from _asking(value, seen, depth + 1)


def _page(value: object) -> AppResource | None:
    # Nothing else is touched: what names stand for may be anything, and may react.
    return page_of(value) if isinstance(value, AppResource) or inspect.isroutine(value) else None


def _named_in(function: FunctionType) -> Iterator[object]:
    """Yield what the names in a function's code stand for: globals, closures, module members."""
    scope = ChainMap(_closure_of(function), function.__globals__)
    for code in _codes(function.__code__):
        named = {name: scope[name] for name in code.co_names + code.co_freevars if name in scope}
        if not any(isinstance(v, AppResource | ModuleType | FunctionType) for v in named.values()):
            continue  # nothing that could ask; reading its operations would take time for nothing
        loaded = {each.argval for each in dis.get_instructions(code) if _loads(each.opname)}
        values = [value for name, value in named.items() if name in loaded]
        yield from values
        for module in values:
            if isinstance(module, ModuleType):
                members = vars(module)
                yield from (members[name] for name in code.co_names if name in members)


def _loads(operation: str) -> bool:
    """Tell whether an operation reads a variable: `elicit`, not the `elicit` of `ctx.elicit`."""
    return operation.startswith("LOAD_") and operation.endswith(("GLOBAL", "NAME", "DEREF"))


def _closure_of(function: FunctionType) -> dict[str, object]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found: dict[str, object] = {}
    for name, cell in cells:
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _codes(constant)


def _addresses_in(code: CodeType) -> Iterator[str]:
    codes = list(_codes(code))
    # A handler that asks without a page may know addresses for another reason.
    if not any(_names_app(constant) for each in codes for constant in each.co_consts):
        return
    for each in codes:
        for constant in each.co_consts:
            is_address = isinstance(constant, str) and constant.startswith(URI_SCHEME)
            if is_address and uri_problem(constant) is None:
                yield constant


def _names_app(constant: object) -> bool:
    """Tell whether a constant is the name of `app=`, or holds it among those of a call."""
    return constant == "app" or (isinstance(constant, tuple) and "app" in constant)


def _usage(subject: str, problem: str) -> Finding:
    return Finding(
        code=Code.ELICIT_USAGE,
        subject=subject,
        problem=problem,
        consequence="The question would have no page.",
        remedy="Give a `ui://` address, an `AppResource`, or a function with `@app_resource`.",
    )
