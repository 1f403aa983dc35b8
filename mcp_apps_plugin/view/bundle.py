"""Writes linked modules as inline scripts."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Final

from .assets import data_uri
from .graph import DEFAULT_EXPORT, Unit, dependencies
from .library import NAMESPACE
from .names import Binding, Names
from .paths import local
from .problems import Problems, RefusedError
from .registry import GLOBAL, REGISTRY
from .scopes import reference_edits
from .scripts import apply, script_safe, string_literal

if TYPE_CHECKING:
    from .folder import Folder
    from .graph import Graph
    from .scripts import Edit


NO_JAVASCRIPT: Final = "This is not JavaScript as far as is known here."


class Bundle:
    """The scripts that a graph of modules becomes."""

    def __init__(self, graph: Graph, folder: Folder, problems: Problems) -> None:
        """Write the modules of `graph`."""
        self._graph = graph
        self._folder = folder
        self._problems = problems
        self._names = Names(problems)
        # A prefix that no module has in its text cannot clash with a name in it.
        self._prefix = "$m"
        while any(self._prefix.encode() in unit.module.code for unit in graph.units):
            self._prefix = f"${self._prefix}"

    def entry(self, unit: Unit) -> str | None:
        """The text of a module script; None when it can stay as it is."""
        if self._stands_alone(unit):
            code = self._alone(unit)
            self._check_syntax(unit, is_changed=code is not None)
            return code
        reached = self._graph.reachable(unit)
        externals = dict(pair for each in reached for pair in self._externals(each))
        imports = "".join(
            f"import * as {self._prefix}{slot} from {string_literal(url)};\n"
            f"{GLOBAL}.external[{slot}] = {self._prefix}{slot};\n"
            for slot, url in externals.items()
        )
        wait = "await " if any(each.module.is_async for each in reached) else ""
        return f"{imports}{wait}{GLOBAL}.run({unit.number});"

    def definitions(self) -> str:
        """The classic script that defines all modules that do not stand alone; empty without."""
        linked = [unit for unit in self._graph.units if not self._stands_alone(unit)]
        if not linked:
            return ""
        p = self._prefix
        namespaces = ", ".join(f"{p}{unit.number} = {p}.namespace()" for unit in linked)
        parts = [f"(() => {{\nconst {p} = {_registry()};\nconst {namespaces};\n"]
        parts += [self._definition(unit) for unit in linked]
        return "".join([*parts, "})();"])

    def changes(self, unit: Unit) -> list[Edit]:
        """The edits to dynamic imports and assets, which classic scripts can have as well."""
        edits: list[Edit] = []
        for place in unit.module.dynamic:
            target = unit.targets.get(place.request)
            if target is None or target.url:
                continue
            loaded = (
                f"Promise.resolve({NAMESPACE})"
                if target.unit is None
                else f"{GLOBAL}.load({target.unit.number})"
            )
            edits.append((place.start, place.end, loaded))
        for place in unit.module.assets:
            at = unit.at(place.request.start)
            try:
                file = local(place.request.specifier, unit.base)
                if file is None:
                    continue
                if place.is_worker:
                    what = f"A worker is started from {file.name!r}."
                    self._problems.note(unit.source, at, "page-worker-local", what)
                uri = data_uri(file.name, self._folder.content(file.path), file.fragment)
            except RefusedError as refused:
                self._problems.add(unit.source, at, refused)
            else:
                edits.append((place.start, place.end, string_literal(uri)))
        return edits

    def _check_syntax(self, unit: Unit, *, is_changed: bool) -> None:
        """Refuse to change code that was not understood; what stays as it is may be newer."""
        if unit.module.error is None:
            return
        at = unit.at(unit.module.error)
        what = NO_JAVASCRIPT
        if is_changed:
            refused = RefusedError(code="page-script-syntax", what=what)
            self._problems.add(unit.source, at, refused)
        else:
            self._problems.note(unit.source, at, "page-script-syntax", what)

    def _stands_alone(self, unit: Unit) -> bool:
        """Whether a module shares nothing with others, so that it can be a script of its own."""
        dynamic = [unit.targets.get(place.request) for place in unit.module.dynamic]
        targets = [*dependencies(unit), *(target for target in dynamic if target is not None)]
        return unit.is_entry and unit.uses == 1 and all(t.unit is None for t in targets)

    def _alone(self, unit: Unit) -> str | None:
        """A module that needs no registry: only the library's imports have to be replaced."""
        self._names.check(unit)
        edits = self.changes(unit)
        members: list[str] = []
        whole: list[str] = []
        for name, (request, theirs) in unit.module.imports.items():
            target = unit.targets.get(request)
            if target is None or not target.is_library:
                continue
            self._names.imported(unit, request, theirs)
            if theirs == "*":
                whole.append(f"const {name} = {NAMESPACE};")
            else:
                members.append(name if name == theirs else f"{_key(theirs)}: {name}")
        for request in unit.module.requests:
            target = unit.targets.get(request)
            if target is not None and target.is_library:
                edits.append((*request.statement, ";"))
        if members:
            whole.insert(0, f"const {{ {', '.join(members)} }} = {NAMESPACE};")
        if not edits and not whole:
            return None
        return apply(unit.module.code, [(0, 0, "".join(whole)), *edits]).decode()

    def _definition(self, unit: Unit) -> str:
        p, number = self._prefix, unit.number
        self._check_syntax(unit, is_changed=True)
        self._names.check(unit)
        wanted = [t.unit.number for t in dependencies(unit) if t.unit is not None]
        head = f"{p}.define({number}, {p}{number}, {wanted}, {json.dumps(self._externals(unit))}, "
        star = "async function*" if unit.module.is_async else "function*"
        getters = ", ".join(
            f"{_key(name)}: () => {self._own(unit, binding)}"
            for name, binding in self._names.exports(unit).items()
        )
        first, body = self._body(unit)
        return (
            f"// {string_literal(unit.source.name)}\n"
            f'{head}{star} () {{"use strict";'
            f"{p}.expose({p}{number}, {{ {getters} }});{first}yield;{body}\n}});\n"
        )

    def _body(self, unit: Unit) -> tuple[str, str]:
        """What a module declares besides its own declarations, and its body."""
        if unit.literal:
            return "", f"const {self._own_default} = {unit.literal};"
        module = unit.module
        spelled: dict[str, str] = {}
        first = ""
        for name, (request, theirs) in module.imports.items():
            binding = self._names.imported(unit, request, theirs)
            if binding is None:
                continue
            if binding.name == "*" and binding.target.unit is not None:
                first += f"const {name} = {self._spell(binding)};"
            else:
                spelled[name] = self._spell(binding)
        if module.metas:
            name = string_literal(unit.source.name)
            first += f"const {self._prefix}meta = {self._prefix}.meta({name});"
        if module.names_default:
            first += f"{self._prefix}.rename({self._own_default});"
        edits: list[Edit] = [
            *(
                (start, end, text.replace(DEFAULT_EXPORT, self._own_default))
                for start, end, text in module.linkage
            ),
            *((start, end, f"{self._prefix}meta") for start, end in module.metas),
            *self.changes(unit),
            *reference_edits(module.root, spelled.keys(), spelled.__getitem__),
        ]
        code = apply(module.code, edits).decode()
        try:
            return first, script_safe(code, module=True)
        except RefusedError as refused:
            self._problems.add(unit.source, unit.start, refused)
            return first, ""

    @property
    def _own_default(self) -> str:
        return f"{self._prefix}default"

    def _own(self, unit: Unit, binding: Binding) -> str:
        """An export as the module's own getter reads it."""
        if binding.target.unit is not unit or binding.name == "*":
            return self._spell(binding)
        local_name = unit.module.exports[binding.name]
        is_default = unit.literal or local_name == DEFAULT_EXPORT
        return self._own_default if is_default else local_name

    def _spell(self, binding: Binding) -> str:
        """A binding as code in any of the modules."""
        target = binding.target
        if target.unit is not None:
            base = f"{self._prefix}{target.unit.number}"
        elif target.url:
            base = f"{self._prefix}.external[{self._graph.external(target.url)}]"
        else:
            base = NAMESPACE
        if binding.name == "*":
            return base
        key = _key(binding.name)
        return f"{base}.{key}" if key == binding.name else f"{base}[{key}]"

    def _externals(self, unit: Unit) -> list[tuple[int, str]]:
        return [(self._graph.external(t.url), t.url) for t in dependencies(unit) if t.url]


@cache
def _registry() -> str:
    """The registry without its indentation."""
    return "\n".join(line.strip() for line in REGISTRY.splitlines())


def _key(name: str) -> str:
    """A name as the key of an object literal, in which a plain `__proto__` would be special."""
    if name == "__proto__":
        return '["__proto__"]'
    return name if name.isidentifier() and name.isascii() else string_literal(name)
