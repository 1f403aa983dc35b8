"""Changing methods of a FastMCP class, for want of a door: named, checked, reversible."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.server.off import switch_off

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_apps_plugin.server.off import Feature


@dataclass(frozen=True, slots=True)
class Method:
    """One method to wrap.

    Attributes:
        wrap: Takes the original and returns what stands in for it.
        parameters: The parameters we rely on.
    """

    wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
    parameters: tuple[str, ...]


class _Wrapped:
    """One wrapped method, with a wrapper that can be emptied where it cannot be removed."""

    def __init__(self, original: Callable[..., Any], method: Method) -> None:
        self.original = original
        self.current = method.wrap(original)

        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return self.current(*args, **kwargs)

        self.wrapper = wrapper


@dataclass(slots=True)
class Patch:
    """The methods of one class, wrapped together or not at all.

    Attributes:
        owner: The class.
        methods: The methods, by name.
        feature: What is off when FastMCP has another shape; nothing where nobody misses it.
        why: Why there is no other way.
        upstream: Where FastMCP's own answer is discussed.
    """

    owner: type
    methods: Mapping[str, Method]
    feature: Feature
    why: str
    upstream: str
    _applied: dict[str, _Wrapped] = field(default_factory=dict[str, "_Wrapped"])

    def apply(self) -> None:
        """Wrap the methods, unless FastMCP has changed the shape of one."""
        if self._applied:
            return
        unfit = [name for name, method in self.methods.items() if not self._fits(name, method)]
        if unfit:
            places = ", ".join(
                f"{name}({', '.join(self.methods[name].parameters)})" for name in unfit
            )
            problem = f"has no `{places}` any more."
            if self.feature:
                switch_off(self.feature, self.owner.__name__, problem)
            return
        for name, method in self.methods.items():
            self._applied[name] = wrapped = _Wrapped(vars(self.owner)[name], method)
            setattr(self.owner, name, wrapped.wrapper)

    def undo(self) -> None:
        """Put the originals back; below somebody else's wrapper, ours only passes on."""
        for name, wrapped in self._applied.items():
            wrapped.current = wrapped.original
            if vars(self.owner).get(name) is wrapped.wrapper:
                setattr(self.owner, name, wrapped.original)
        self._applied.clear()

    def _fits(self, name: str, method: Method) -> bool:
        original = vars(self.owner).get(name)
        if not inspect.isfunction(original):
            return False
        found = inspect.signature(original).parameters
        return all(parameter in found for parameter in method.parameters)
