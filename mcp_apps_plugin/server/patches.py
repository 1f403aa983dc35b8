"""Changing methods of a FastMCP class, for want of a door: named, checked, reversible."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_apps_plugin.server.off import Feature


class Method(NamedTuple):
    """One method to wrap.

    Attributes:
        wrap: Takes the original and returns what stands in for it; asked at the first call.
        parameters: The parameters we rely on.
        optional: Whether nobody would miss it: where it does not fit, it is left as it is.
    """

    wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
    parameters: tuple[str, ...]
    optional: bool = False


class _Wrapped:
    """One wrapped method, with a wrapper that can be emptied where it cannot be removed."""

    def __init__(self, owner: type, name: str, method: Method) -> None:
        self.inherited = name not in vars(owner)
        self.original: Callable[..., Any] = inspect.getattr_static(owner, name)
        self.current: Callable[..., Any] | None = None
        self._wrap = method.wrap

        @functools.wraps(self.original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return (self.current or self._load())(*args, **kwargs)

        self.wrapper = wrapper

    def _load(self) -> Callable[..., Any]:
        stand_in = self._wrap(self.original)
        if self.current is None:  # not undone meanwhile
            self.current = stand_in
        return self.current


class Patch:
    """The methods of one class, wrapped together or not at all.

    Args:
        owner: The class.
        methods: The methods, by name.
        feature: What is off when FastMCP has another shape.
        why: Why there is no other way.
        upstream: Where FastMCP's own answer is discussed.

    Attributes:
        refused: What this FastMCP has not; empty while the methods fit.
    """

    def __init__(
        self,
        owner: type,
        methods: Mapping[str, Method],
        *,
        feature: Feature,
        why: str,
        upstream: str,
    ) -> None:
        self.owner = owner
        self.methods = methods
        self.feature: Feature = feature
        self.why = why
        self.upstream = upstream
        self.refused = ""
        self._applied: dict[str, _Wrapped] = {}

    def apply(self) -> None:
        """Wrap the methods, unless FastMCP has changed the shape of one."""
        if self._applied:
            return
        fitting = {name: each for name, each in self.methods.items() if self._fits(name, each)}
        places = [
            f"{name}({', '.join(method.parameters)})"
            for name, method in self.methods.items()
            if name not in fitting and not method.optional
        ]
        self.refused = f"has no `{', '.join(places)}` any more." if places else ""
        if places:
            return
        for name, method in fitting.items():
            self._applied[name] = wrapped = _Wrapped(self.owner, name, method)
            setattr(self.owner, name, wrapped.wrapper)

    def undo(self) -> None:
        """Put the originals back; below somebody else's wrapper, ours only passes on."""
        for name, wrapped in self._applied.items():
            wrapped.current = wrapped.original
            if vars(self.owner).get(name) is not wrapped.wrapper:
                continue
            if wrapped.inherited:
                delattr(self.owner, name)
            else:
                setattr(self.owner, name, wrapped.original)
        self._applied.clear()

    def _fits(self, name: str, method: Method) -> bool:
        original = inspect.getattr_static(self.owner, name, None)
        if not inspect.isfunction(original):
            return False
        found = inspect.signature(original).parameters
        return all(parameter in found for parameter in method.parameters)
