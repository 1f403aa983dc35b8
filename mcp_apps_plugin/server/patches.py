"""Changing methods of a FastMCP class, for want of a door: named, checked, reversible."""

from __future__ import annotations

import functools
import inspect
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import fastmcp

from mcp_apps_plugin.protocol.findings import Code, Finding, MCPAppsCompatibilityWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_refused: dict[type, Finding] = {}


def refused_patches() -> list[Finding]:
    """List what this FastMCP does not allow: an error for a server that has pages."""
    return list(_refused.values())


@dataclass(frozen=True, slots=True)
class Method:
    """One method to wrap.

    Attributes:
        wrap: Takes the original and returns what stands in for it.
        parameters: The parameters we rely on.
    """

    wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
    parameters: tuple[str, ...]


@dataclass(slots=True)
class Patch:
    """The methods of one class, wrapped together or not at all.

    Attributes:
        owner: The class.
        methods: The methods, by name.
        feature: What is off when FastMCP has another shape.
        why: Why there is no other way.
        upstream: Where FastMCP's own answer is discussed.
    """

    owner: type
    methods: Mapping[str, Method]
    feature: str
    why: str
    upstream: str
    _applied: dict[str, tuple[Any, Any]] = field(default_factory=dict[str, tuple[Any, Any]])

    def apply(self) -> None:
        """Wrap the methods, unless FastMCP has changed the shape of one; then warn, once."""
        if self._applied:
            return
        changed = [name for name, method in self.methods.items() if not self._fits(name, method)]
        if changed:
            _refused[self.owner] = self._finding(changed)
            warnings.warn(str(_refused[self.owner]), MCPAppsCompatibilityWarning, stacklevel=3)
            return
        for name, method in self.methods.items():
            original = vars(self.owner)[name]
            wrapper = functools.wraps(original)(method.wrap(original))
            self._applied[name] = original, wrapper
            setattr(self.owner, name, wrapper)

    def undo(self) -> None:
        """Put the originals back; somebody else's wrapper around ours is left where it is."""
        for name, (original, wrapper) in self._applied.items():
            if vars(self.owner).get(name) is wrapper:
                setattr(self.owner, name, original)
        self._applied.clear()
        _refused.pop(self.owner, None)

    def _fits(self, name: str, method: Method) -> bool:
        original = vars(self.owner).get(name)
        if not inspect.isfunction(original):
            return False
        found = inspect.signature(original).parameters
        return all(parameter in found for parameter in method.parameters)

    def _finding(self, changed: list[str]) -> Finding:
        places = ", ".join(
            f"{name}({', '.join(self.methods[name].parameters)})" for name in changed
        )
        return Finding(
            code=Code.FASTMCP_CHANGED,
            subject=f"FastMCP {fastmcp.__version__}: {self.owner.__name__}",
            problem=f"has no `{places}` any more.",
            consequence=f"This is off: {self.feature}.",
            remedy="Update mcp-apps-plugin, or use a FastMCP version it supports.",
        )
