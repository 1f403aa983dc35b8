"""Changing what a FastMCP class has, for want of a door: named, checked, reversible."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp_apps_plugin.server.off import Feature


class Method:
    """One method to wrap.

    Args:
        wrap: Takes the original and returns what stands in for it; asked at the first call.
        parameters: The parameters we rely on.
        optional: Whether nobody would miss it: where it does not fit, it is left as it is.
    """

    def __init__(
        self,
        wrap: Callable[[Callable[..., Any]], Callable[..., Any]],
        parameters: tuple[str, ...],
        *,
        optional: bool = False,
    ) -> None:
        self.wrap = wrap
        self.parameters = parameters
        self.optional = optional

    def fits(self, found: object) -> bool:
        """Tell whether what a class has is a function with our parameters."""
        if not inspect.isfunction(found):
            return False
        parameters = inspect.signature(found).parameters
        return all(parameter in parameters for parameter in self.parameters)

    def shape(self) -> str:
        """Say what is expected, after the method's name."""
        return f"({', '.join(self.parameters)})"

    def apply(self, owner: type, name: str) -> _Wrapped:
        """Wrap the method."""
        return _Wrapped(owner, name, self)


class Attribute:
    """One attribute of the objects of a class, to be told of whoever reads it.

    Args:
        on_read: Called with the object, before its value is read.
        unless: What an object has that need not be told of.
    """

    optional = False

    def __init__(self, on_read: Callable[[Any], None], *, unless: str) -> None:
        self._on_read = on_read
        self._unless = unless

    def fits(self, found: object) -> bool:
        """Tell whether the class itself leaves the attribute to its objects."""
        return found is None

    def shape(self) -> str:
        """Say what is expected, after the attribute's name."""
        return " of its own"

    def apply(self, owner: type, name: str) -> _Watched:
        """Stand before the attribute."""
        return _Watched(owner, name, self._on_read, self._unless)


class _Wrapped:
    """One wrapped method, with a wrapper that can be emptied where it cannot be removed."""

    def __init__(self, owner: type, name: str, method: Method) -> None:
        self._owner, self._name = owner, name
        self._inherited = name not in vars(owner)
        found: Callable[..., Any] = inspect.getattr_static(owner, name)
        self._current: Callable[..., Any] | None = None
        self._wrap = method.wrap

        # Asked for anew each time: what it inherits may be wrapped by others later.
        @functools.wraps(found)
        def inherited(self: Any, *args: Any, **kwargs: Any) -> Any:
            return getattr(cast("object", super(owner, self)), name)(*args, **kwargs)

        self._original = inherited if self._inherited else found

        @functools.wraps(found)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return (self._current or self._load())(*args, **kwargs)

        self._wrapper = wrapper
        setattr(owner, name, wrapper)

    def _load(self) -> Callable[..., Any]:
        stand_in = self._wrap(self._original)
        if self._current is None:  # not undone meanwhile
            self._current = stand_in
        return self._current

    def undo(self) -> None:
        """Put the original back; below somebody else's wrapper, ours only passes on."""
        self._current = self._original
        if vars(self._owner).get(self._name) is not self._wrapper:
            return
        if self._inherited:
            delattr(self._owner, self._name)
        else:
            setattr(self._owner, self._name, self._original)


class _Watched:
    """One watched attribute; its values stay where they are, in the objects."""

    def __init__(self, owner: type, name: str, on_read: Callable[[Any], None], unless: str) -> None:
        self._owner, self._name = owner, name
        self._on_read, self._unless = on_read, unless
        setattr(owner, name, self)

    def __get__(self, read: object, owner: type) -> Any:
        if read is not None:
            values = read.__dict__
            if self._unless not in values:
                self._on_read(read)
            if self._name in values:
                return values[self._name]
        message = f"{owner.__name__!r} object has no attribute {self._name!r}"
        raise AttributeError(message, name=self._name, obj=owner if read is None else read)

    def __set__(self, written: object, value: Any) -> None:
        vars(written)[self._name] = value

    def undo(self) -> None:
        """Step aside, unless somebody else stands there by now."""
        if vars(self._owner).get(self._name) is self:
            delattr(self._owner, self._name)


class Patch:
    """What is changed on one class, together or not at all.

    Args:
        owner: The class.
        changes: The methods and attributes, by name.
        feature: What is off when FastMCP has another shape.
        why: Why there is no other way.
        upstream: Where FastMCP's own answer is discussed.

    Attributes:
        refused: What this FastMCP has not; empty while everything fits.
    """

    def __init__(
        self,
        owner: type,
        changes: Mapping[str, Method | Attribute],
        *,
        feature: Feature,
        why: str,
        upstream: str,
    ) -> None:
        self.owner = owner
        self.changes = changes
        self.feature: Feature = feature
        self.why = why
        self.upstream = upstream
        self.refused = ""
        self._applied: list[_Wrapped | _Watched] = []

    def apply(self) -> None:
        """Make the changes, unless FastMCP has another shape."""
        if self._applied:
            return
        fitting = {name: each for name, each in self.changes.items() if self._fits(name, each)}
        places = [
            f"{name}{each.shape()}"
            for name, each in self.changes.items()
            if name not in fitting and not each.optional
        ]
        self.refused = f"has no `{', '.join(places)}` any more." if places else ""
        if not places:
            self._applied = [each.apply(self.owner, name) for name, each in fitting.items()]

    def undo(self) -> None:
        """Leave the class as it was found."""
        for applied in self._applied:
            applied.undo()
        self._applied = []

    def _fits(self, name: str, change: Method | Attribute) -> bool:
        return change.fits(inspect.getattr_static(self.owner, name, None))
