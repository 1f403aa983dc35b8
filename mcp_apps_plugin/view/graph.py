"""Follows the imports of a page's scripts and collects the modules they reach."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from . import modules
from .paths import clean, local
from .problems import RefusedError, Source
from .scripts import string_literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .build import Build
    from .modules import Module, Request

DEFAULT_EXPORT: Final = "*default*"
"""What stands for the variable of an anonymous default export; no name in a module is like it."""

_JAVASCRIPT: Final = (".js", ".mjs", ".cjs", ".es")


@dataclass(eq=False)
class Unit:
    """One module of the page: a file, or an inline script."""

    number: int
    source: Source
    """The file it stands in."""
    start: int
    """Where it starts in that file."""
    base: tuple[str, ...]
    """The folder its relative names start from."""
    module: Module
    literal: str = ""
    """For JSON and CSS: the expression that makes the default export."""
    is_entry: bool = False
    uses: int = 0
    """How many places name it, entries included."""
    targets: dict[Request, Target] = field(default_factory=dict["Request", "Target"])

    def at(self, byte: int) -> int:
        """The offset in the source of a byte of the module's code."""
        return self.start + len(self.module.code[:byte].decode(errors="ignore"))


class Target(NamedTuple):
    """What a specifier leads to: exactly one of the page library, another origin, or a unit."""

    unit: Unit | None = None
    url: str = ""

    @property
    def is_library(self) -> bool:
        """Whether it is the page library."""
        return self.unit is None and not self.url


class Graph:
    """The modules of one page."""

    def __init__(self, build: Build) -> None:
        """Start empty, for the document of `build`."""
        self.units: list[Unit] = []
        self.externals: list[str] = []
        self.uses_library = False
        self.import_map: Mapping[str, str] = {}
        """The names that the page's import map gives."""
        self._folder = build.folder
        self._stylesheets = build.stylesheets
        self._problems = build.problems
        self._parts = build.parts
        self._page_base = build.base
        self._by_file: dict[tuple[tuple[str, ...], str], Unit | RefusedError] = {}

    def entry(self, source: Source, start: int, end: int, base: tuple[str, ...]) -> Unit | None:
        """Add an inline module script and everything it reaches; None when it cannot be read."""
        unit = self._read(source, start, end, base)
        unit.is_entry = True
        unit.uses += 1
        return unit

    def entry_file(self, path: tuple[str, ...]) -> Unit:
        """Add a module script in a file and everything it reaches.

        Raises:
            RefusedError: When the file cannot be had or read.
        """
        unit = self._file(path, "")
        unit.is_entry = True
        return unit

    def classic(self, source: Source, start: int, end: int, base: tuple[str, ...]) -> Unit:
        """Read a classic script, which can reach modules with `import()` only."""
        unit = self._read(source, start, end, base)
        self.units.remove(unit)
        return unit

    def target(self, unit: Unit, request: Request) -> Target | None:
        """Where a request of a unit leads; None when that is a problem, which is recorded."""
        if request not in unit.targets:
            try:
                unit.targets[request] = self._resolve(request, unit.base)
            except RefusedError as refused:
                self._problems.add(unit.source, unit.at(request.start), refused)
                return None
            if (url := unit.targets[request].url) and url != clean(request.specifier):
                self._parts.name(unit.source, unit.at(request.start), url)
        return unit.targets[request]

    def reachable(self, unit: Unit) -> list[Unit]:
        """A unit and everything it imports statically."""
        found = [unit]
        for current in found:
            found += [
                target.unit
                for target in dependencies(current)
                if target.unit is not None and target.unit not in found
            ]
        return list(dict.fromkeys(found))

    def external(self, url: str) -> int:
        """The number of a module from another origin."""
        if url not in self.externals:
            self.externals.append(url)
        return self.externals.index(url)

    def _resolve(self, request: Request, base: tuple[str, ...]) -> Target:
        specifier, base = self._mapped(request.specifier, base)
        if not specifier.startswith(("./", "../", "/")) and ":" not in specifier:
            what = f"{specifier!r} is a bare name."
            name = specifier.removesuffix(".js")
            raise RefusedError(
                code="page-import-bare",
                what=what,
                remedy=f'Write a relative name such as "./{name}.js", add an import map, '
                "or bundle the page.",
            )
        file = local(specifier, base)
        if file is None:
            return Target(url=clean(specifier))
        if file.is_library:
            self.uses_library = True
            return Target()
        return Target(unit=self._file(file.path, request.kind))

    def _mapped(self, specifier: str, base: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        """Apply the page's import map; its addresses are relative to the page."""
        if specifier in self.import_map:
            return self.import_map[specifier], self._page_base
        for prefix in sorted(self.import_map, key=len, reverse=True):
            if prefix.endswith("/") and specifier.startswith(prefix):
                return self.import_map[prefix] + specifier.removeprefix(prefix), self._page_base
        return specifier, base

    def _file(self, path: tuple[str, ...], kind: str) -> Unit:
        key = (path, kind)
        if key not in self._by_file:
            try:
                self._by_file[key] = self._load(path, kind)
            except RefusedError as refused:
                self._by_file[key] = refused
        unit = self._by_file[key]
        if isinstance(unit, RefusedError):
            raise unit
        unit.uses += 1
        return unit

    def _load(self, path: tuple[str, ...], kind: str) -> Unit:
        name = "/".join(path)
        if kind not in {"", "json", "css"}:
            raise RefusedError(
                code="page-import-type", what=f"The module type {kind!r} is not known."
            )
        if not kind and not path[-1].lower().endswith(_JAVASCRIPT):
            raise RefusedError(code="page-import-type", what=f"{name!r} is not JavaScript.")
        text = "".join(self._stylesheets.file(path)) if kind == "css" else self._folder.text(path)
        source = Source(name, text)
        if not kind:
            self._parts.add(source, "script")
            return self._read(source, 0, len(text), path[:-1], path)
        literal = _json_literal(name, text) if kind == "json" else _sheet_literal(text)
        empty = modules.read(b"", default="")
        empty.exports["default"] = "default"
        unit = Unit(len(self.units), source, 0, path[:-1], empty, literal)
        self.units.append(unit)
        return unit

    def _read(
        self,
        source: Source,
        start: int,
        end: int,
        base: tuple[str, ...],
        path: tuple[str, ...] | None = None,
    ) -> Unit:
        code = source.text[start:end].encode()
        module = modules.read(code, default=DEFAULT_EXPORT)
        unit = Unit(len(self.units), source, start, base, module)
        self.units.append(unit)
        if path is not None:
            self._by_file[path, ""] = unit  # before its imports, which may lead back to it
        for request in module.requests:
            self.target(unit, request)
        for place in module.dynamic:
            self.target(unit, place.request)
        return unit


def dependencies(unit: Unit) -> Iterator[Target]:
    """What a unit imports statically, each once, in order of evaluation."""
    seen = {
        unit.targets[request]: None for request in unit.module.requests if request in unit.targets
    }
    yield from seen


def _json_literal(name: str, text: str) -> str:
    try:
        json.loads(text)
    except ValueError as error:
        raise RefusedError(
            code="page-import-type", what=f"{name!r} is not JSON: {error}."
        ) from None
    return f"JSON.parse({string_literal(text)})"


def _sheet_literal(text: str) -> str:
    make = "const sheet = new CSSStyleSheet(); sheet.replaceSync"
    return f"(() => {{ {make}({string_literal(text)}); return sheet; }})()"
