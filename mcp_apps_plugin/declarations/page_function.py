"""What the function that makes a page may take, and how a page that cannot be made is told of."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from fastmcp.server.dependencies import without_injected_parameters

from mcp_apps_plugin.declarations.page_version import version_finding
from mcp_apps_plugin.protocol.findings import AppsValueError, Code, Finding

if TYPE_CHECKING:
    from collections.abc import Callable

_GATHERING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def refuse_parameters(handler: Callable[..., Any], subject: str) -> None:
    """Refuse a versioned page's function that is told something when the page is read.

    Raises:
        AppsValueError: It has a parameter: of the address, a `Context`, or a dependency
            (`page-version`).
    """
    names = [each.name for each in _parameters(handler)]
    if names:
        problem = f"is `versioned=True` and takes {_list(names)}, so that its page differs by read."
        raise AppsValueError(version_finding(subject, problem))


def refuse_unknown(handler: Any, subject: str) -> None:
    """Refuse a function of a fixed address that wants what no read brings.

    Raises:
        AppsValueError: It has a parameter without a default that is no `Context` and no
            dependency (`page-usage`).
    """
    wanted = [
        each.name
        for each in _parameters(handler)
        if each.default is inspect.Parameter.empty and each.kind not in _GATHERING
    ]
    if not wanted:
        return
    try:
        filled = inspect.signature(without_injected_parameters(handler)).parameters
    except Exception:  # noqa: BLE001  annotations that do not resolve yet; the first read tells
        return
    names = [name for name in wanted if name in filled]
    if names:
        problem = f"takes {_list(names)}, and its address has no place for it."
        remedy = (
            "Give it a default, or leave it out; an address with a place for it is "
            f'`@mcp.resource("ui://…/{{{names[0]}}}")` above a bare `@app_resource`.'
        )
        raise AppsValueError(page_usage(subject, problem, remedy))


def page_usage(subject: str, problem: str, remedy: str) -> Finding:
    """Say that `@app_resource` or `AppResource` was used in a way that has no meaning."""
    return Finding(
        code=Code.PAGE_USAGE,
        subject=subject,
        problem=problem,
        consequence="There would be no page to serve.",
        remedy=remedy,
    )


def _parameters(handler: Any) -> list[inspect.Parameter]:
    try:
        parameters = list(inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):  # a callable that hides what it takes; its first call tells
        return []
    in_class = "." in getattr(handler, "__qualname__", "")
    if in_class and parameters and parameters[0].name in {"self", "cls"}:
        return parameters[1:]
    return parameters


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
