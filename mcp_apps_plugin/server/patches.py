"""Changing a method of FastMCP, for want of a door: named, checked, reversible."""

from __future__ import annotations

import functools
import inspect
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.protocol.findings import Code, Finding, MCPAppsCompatibilityWarning

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class Patch:
    """One method, wrapped.

    Attributes:
        owner: The class that has the method.
        name: The method.
        wrap: Takes the original and returns what stands in for it.
        parameters: The parameters we rely on; another shape is not touched.
        feature: What is off when the patch cannot be applied.
        why: Why there is no other way.
    """

    owner: type
    name: str
    wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
    parameters: tuple[str, ...]
    feature: str
    why: str
    _original: Any = field(default=None, init=False)
    _wrapper: Any = field(default=None, init=False)

    def apply(self) -> bool:
        """Wrap the method, unless FastMCP has changed its shape.

        Returns:
            Whether it is wrapped now.
        """
        if self._wrapper is not None:
            return True
        original = vars(self.owner).get(self.name)
        if original is None or not self._fits(original):
            warnings.warn(str(self._changed()), MCPAppsCompatibilityWarning, stacklevel=3)
            return False
        wrapper = functools.wraps(original)(self.wrap(original))
        self._original, self._wrapper = original, wrapper
        setattr(self.owner, self.name, wrapper)
        return True

    def undo(self) -> None:
        """Put the original back; somebody else's wrapper around ours is left where it is."""
        if self._wrapper is not None and vars(self.owner).get(self.name) is self._wrapper:
            setattr(self.owner, self.name, self._original)
        self._original = self._wrapper = None

    def _fits(self, original: object) -> bool:
        if not inspect.isfunction(original):
            return False
        found = inspect.signature(original).parameters
        return all(name in found for name in self.parameters)

    def _changed(self) -> Finding:
        import fastmcp  # noqa: PLC0415  for its version only

        return Finding(
            code=Code.FASTMCP_CHANGED,
            subject=f"FastMCP {fastmcp.__version__}: {self.owner.__name__}.{self.name}",
            problem=f"does not take ({', '.join(self.parameters)}) any more.",
            consequence=f"This is off: {self.feature}.",
            remedy="Update mcp-apps-plugin, or use a FastMCP version it supports.",
            severity="warning",
        )
