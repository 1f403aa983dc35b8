"""FastMCP's private parts that are read here, for want of a reader: each with what is off without.

A part that is gone has a stand-in, so that importing the package never fails for it.
"""

from __future__ import annotations

from contextvars import ContextVar
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastmcp.server.context import _current_context as current_context
    from fastmcp.server.mixins.lifespan import _lifespan_root_active as lifespan_root_active
    from fastmcp.server.providers.wrapped_provider import _WrappedProvider as WrappedProvider

__all__ = ["WrappedProvider", "current_context", "lifespan_root_active", "missing_parts"]

_gone: dict[str, str] = {}

if not TYPE_CHECKING:

    def _read(module: str, name: str, stand_in: Any, feature: str) -> Any:
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError):
            _gone[f"{module}.{name}"] = feature
            return stand_in

    current_context = _read(
        "fastmcp.server.context",
        "_current_context",
        ContextVar("no_context", default=None),
        "pages from functions are not completed",
    )
    lifespan_root_active = _read(
        "fastmcp.server.mixins.lifespan",
        "_lifespan_root_active",
        ContextVar("no_root", default=False),
        "mounted servers are looked over again each on their own",
    )
    WrappedProvider = _read(
        "fastmcp.server.providers.wrapped_provider",
        "_WrappedProvider",
        type("NoWrappedProvider", (), {}),
        "links below a namespace",
    )


def missing_parts() -> dict[str, str]:
    """Return the parts that this FastMCP has not, with what is off."""
    return dict(_gone)
