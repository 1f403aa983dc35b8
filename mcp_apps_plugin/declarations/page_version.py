"""What keeps a page from having a version: bytes that are known only when it is read."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.protocol.findings import AppsValueError, Code, Finding

if TYPE_CHECKING:
    from collections.abc import Callable


_declared = False


def any_versioned() -> bool:
    """Tell whether any page of this process is versioned; most processes pay nothing for it."""
    return _declared


def declare_versioned() -> None:
    """Take note that a page is versioned."""
    global _declared  # noqa: PLW0603  a fact about the process, for those who need not look
    _declared = True


def refuse_parameters(handler: Callable[..., Any], subject: str) -> None:
    """Refuse a page function that is told something when the page is read.

    Raises:
        AppsValueError: It has a parameter: of the address, a `Context`, or a dependency
            (`page-version`).
    """
    try:
        names = list(inspect.signature(handler).parameters)
    except (TypeError, ValueError):  # a callable that hides what it takes; its first call tells
        return
    if names and names[0] in {"self", "cls"} and "." in getattr(handler, "__qualname__", ""):
        names.pop(0)
    if names:
        listed = ", ".join(f"`{name}`" for name in names)
        problem = f"is `versioned=True` and takes {listed}, so that its page differs by read."
        raise AppsValueError(version_finding(subject, problem))


def version_finding(subject: str, problem: str) -> Finding:
    """Say that a page cannot have a version."""
    return Finding(
        code=Code.PAGE_VERSION,
        subject=subject,
        problem=problem,
        consequence="There is no hash for its address, and hosts would keep a stale page.",
        remedy="Serve a file, or a function without parameters that returns the same on every "
        "call; or leave `versioned=` out.",
    )
