"""Resolves the names that modules import from each other, as the language defines it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .graph import Target
from .library import library_names
from .paths import LIBRARY_NAME
from .problems import Problems, RefusedError

if TYPE_CHECKING:
    from .graph import Unit
    from .modules import Request


class Binding(NamedTuple):
    """What an exported name is in the end."""

    target: Target
    name: str
    """The name under which the target has it, `*` for the target's namespace."""


class Names:
    """Finds what an imported name is, through re-exports and stars."""

    def __init__(self, problems: Problems) -> None:
        """Report to `problems`."""
        self._problems = problems

    def imported(self, unit: Unit, request: Request, name: str) -> Binding | None:
        """What a unit's import of `name` is; None, and a problem, when there is no such export."""
        target = unit.targets.get(request)
        if target is None:
            return None
        found = self._from(target, name, set())
        if not isinstance(found, Binding):
            shown = LIBRARY_NAME if target.unit is None else target.unit.source.name
            reason = "more than one" if found == "ambiguous" else "no"
            what = f"{shown!r} has {reason} export named {name!r}."
            self._problems.add(
                unit.source,
                unit.at(request.start),
                RefusedError(code="page-import-missing", what=what),
            )
            return None
        return found

    def exports(self, unit: Unit) -> dict[str, Binding]:
        """Everything in a unit's namespace, in the order the language gives it."""
        names = sorted(self._names(unit, set()), key=lambda name: name.encode("utf-16-be"))
        found = {name: self._export(unit, name, set()) for name in names}
        return {name: it for name, it in found.items() if isinstance(it, Binding)}

    def check(self, unit: Unit) -> None:
        """Report every re-export that leads nowhere, and stars whose names cannot be known."""
        for request, name in unit.module.reexports.values():
            self.imported(unit, request, name)
        for request in unit.module.stars:
            target = unit.targets.get(request)
            if target is not None and target.url:
                what = f"All names of {target.url!r} are exported."
                refused = RefusedError(code="page-import-star", what=what)
                self._problems.add(unit.source, unit.at(request.start), refused)

    def _from(self, target: Target, name: str, seen: set[tuple[int, str]]) -> Binding | str | None:
        if name == "*" or target.url:
            return Binding(target, name)
        if target.unit is None:
            return Binding(target, name) if name in library_names() else None
        return self._export(target.unit, name, seen)

    def _export(self, unit: Unit, name: str, seen: set[tuple[int, str]]) -> Binding | str | None:
        if (unit.number, name) in seen:
            return None
        seen.add((unit.number, name))
        module = unit.module
        if name in module.exports:
            return Binding(Target(unit=unit), name)
        if name in module.reexports:
            request, theirs = module.reexports[name]
            target = unit.targets.get(request)
            return None if target is None else self._from(target, theirs, seen)
        return None if name == "default" else self._starred(unit, name, seen)

    def _starred(self, unit: Unit, name: str, seen: set[tuple[int, str]]) -> Binding | str | None:
        result: Binding | None = None
        for request in unit.module.stars:
            target = unit.targets.get(request)
            if target is None or target.url:
                continue
            found = self._from(target, name, seen)
            if found == "ambiguous" or (result and isinstance(found, Binding) and found != result):
                return "ambiguous"
            result = found if isinstance(found, Binding) else result
        return result

    def _names(self, unit: Unit, seen: set[int]) -> set[str]:
        if unit.number in seen:
            return set()
        seen.add(unit.number)
        names = {*unit.module.exports, *unit.module.reexports}
        for request in unit.module.stars:
            target = unit.targets.get(request)
            if target is not None and target.unit is not None:
                names |= self._names(target.unit, seen) - {"default"}
            elif target is not None and target.is_library:
                names |= library_names()
        return names
