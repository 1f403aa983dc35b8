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

    from mcp_apps_plugin.server.off import Feature

__all__ = ["WrappedProvider", "current_context", "lifespan_root_active", "missing_parts"]

_gone: dict[str, Feature] = {}

if not TYPE_CHECKING:

    def _read(module: str, name: str, stand_in: Any, feature: Feature = "") -> Any:
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError):
            if feature:
                _gone[f"{module}.{name}"] = feature
            return stand_in

    class _NoWrappedProvider:
        """Without it there is no place for pages; each server is left as it is, with a warning."""

        def __init__(self, *_: object) -> None:
            message = "`_WrappedProvider` is gone"
            raise LookupError(message)

    current_context = _read(
        "fastmcp.server.context",
        "_current_context",
        ContextVar("no_context", default=None),
        "pages",
    )
    lifespan_root_active = _read(
        "fastmcp.server.mixins.lifespan",
        "_lifespan_root_active",
        ContextVar("no_root", default=False),
        "audits",
    )
    WrappedProvider = _read(
        "fastmcp.server.providers.wrapped_provider",
        "_WrappedProvider",
        _NoWrappedProvider,
    )


def missing_parts() -> dict[str, Feature]:
    """Return the parts that this FastMCP has not, with what is off."""
    return dict(_gone)
