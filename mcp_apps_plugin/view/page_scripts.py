"""Makes a document's script elements inline scripts that run in the order they did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from .bundle import NO_JAVASCRIPT, Bundle
from .document import insertion_point
from .graph import Graph
from .library import library
from .library_values import Code
from .misuse import misuses
from .problems import RefusedError, Source
from .scripts import apply, first_error, script_safe, string_literal
from .silence import silence

if TYPE_CHECKING:
    from tree_sitter import Node

    from .build import Build
    from .elements import Elements
    from .graph import Unit
    from .markup import Token
    from .paths import Local

_JAVASCRIPT: Final = frozenset(
    {
        "",
        "application/ecmascript",
        "application/javascript",
        "application/x-ecmascript",
        "application/x-javascript",
        "text/ecmascript",
        "text/javascript",
        "text/jscript",
        "text/livescript",
        "text/x-ecmascript",
        "text/x-javascript",
    }
)
#: What only means something on a script that is fetched.
_FETCHING: Final = (
    "charset",
    "crossorigin",
    "fetchpriority",
    "integrity",
    "referrerpolicy",
    "src",
)
_DEFERRED: Final = "data-mcp-app-deferred"

HAND_WRITTEN: Final = 50_000
"""The characters above which a script is taken for the work of a bundler."""

Kind = Literal["classic", "module", "importmap", "other"]


def kind_of(token: Token) -> Kind:
    """What kind of script an element is."""
    written = token.get("type")
    kind = "" if written is None else written.strip("\t\n\f\r ").lower()
    if kind in _JAVASCRIPT:
        return "classic"
    return kind if kind in {"module", "importmap"} else "other"  # type: ignore[return-value]


class _Running(NamedTuple):
    """A script that runs, and where its text stands."""

    source: Source
    start: int
    code: Code

    def at(self, node: Node) -> int:
        """The offset of a node in the source."""
        before = self.code.text.encode()[: node.start_byte]
        return self.start + len(before.decode(errors="ignore"))


class PageScripts:
    """The scripts of one document."""

    def __init__(self, build: Build, elements: Elements, *, minify: bool) -> None:
        """Work on the document of `build`."""
        self._source = build.source
        self._base = build.base
        self._folder = build.folder
        self._problems = build.problems
        self._edits = build.edits
        self._parts = build.parts
        self._elements = elements
        self._minify = minify
        self._graph = Graph(build)
        self._tokens: list[Token] = []
        self._live: set[int] = set()

    def start_tag(self, token: Token, *, is_live: bool) -> None:
        """Take note of a script element; they are handled together, as modules are shared.

        What is in a `<template>` is not live: it may run later, often, or never.
        """
        self._tokens.append(token)
        if is_live:
            self._live.add(token.start)

    def finish(self) -> None:
        """Make all script elements inline."""
        scripts = [token for token in self._tokens if kind_of(token) in {"classic", "module"}]
        self._graph.import_map = self._import_map()
        libraries: list[Token] = []
        read: list[tuple[Token, Local | None, Unit | None]] = []
        for token in scripts:
            file = self._elements.local(token.attributes.get("src"))
            if "src" in token.attributes and file is None:
                continue  # another origin, or refused
            if file is not None and "nomodule" in token.attributes:
                continue  # no browser that can run a page runs it
            if file is not None and file.is_library:
                libraries.append(token)
            else:
                read.append((token, file, self._read(token, file)))
        self._note_scripts(libraries, read)
        bundle = Bundle(self._graph, self._folder, self._problems)
        for token, file, unit in read:
            self._write(bundle, token, file, unit)
        self._write_shared(libraries, bundle.definitions())

    def _note_scripts(
        self, libraries: list[Token], read: list[tuple[Token, Local | None, Unit | None]]
    ) -> None:
        """Note what live scripts are that no browser runs, and what they miss of the library."""
        units = self._graph.units
        found = [
            _Running(
                each.source,
                each.start,
                Code(each.module.code.decode(), is_module=True, root=each.module.root),
            )
            for each in units
        ]
        for token, file, unit in read:
            if token.start in self._live and unit not in units:
                source, start, end = self._text(token, file)
                text, root = source.text[start:end], unit.module.root if unit else None
                code = Code(text, is_module=kind_of(token) == "module", root=root)
                found.append(_Running(source, start, code))
        # What the bundle cannot read of its modules is said there, with what becomes of them.
        for number, each in enumerate(found):
            if number >= len(units) or units[number].module.error is None:
                self._note_syntax(each)
        scripts = [token for token in self._tokens if kind_of(token) != "other"]
        elsewhere = len(read) + len(libraries) < len(scripts) or any(
            target.url for unit in units for target in unit.targets.values()
        )
        has_library = bool(libraries) or self._graph.uses_library
        codes, html = [each.code for each in found], self._source.text
        misused = misuses(codes, html, loads_elsewhere=elsewhere) if has_library else []
        for misuse in misused:
            where = found[misuse.script]
            self._problems.note(where.source, where.at(misuse.node), misuse.code, misuse.what)
        if elsewhere or misused:
            return
        silent = silence(codes, html, has_library=has_library)
        if silent is None:
            return
        source, at = self._source, libraries[0].start if libraries else -1
        if silent.place is not None:
            where = found[silent.place[0]]
            source, at = where.source, where.at(silent.place[1])
        self._problems.note(source, at, "page-no-handshake", silent.what, silent.remedy)

    def _note_syntax(self, script: _Running) -> None:
        """Note what is no JavaScript; a large bundle may be newer than what is known here."""
        if len(script.code.text) < HAND_WRITTEN:
            broken = first_error(script.code.root)
            if broken is not None:
                at = script.at(broken)
                self._problems.note(script.source, at, "page-script-syntax", NO_JAVASCRIPT)

    def _import_map(self) -> dict[str, str]:
        for token in self._tokens:
            if kind_of(token) == "importmap":
                try:
                    imports = json.loads(self._source.text[token.end : token.content_end])
                    return {str(k): str(v) for k, v in imports["imports"].items()}
                except (ValueError, LookupError, TypeError, AttributeError):
                    return {}  # the browser says so too, and goes on without it
        return {}

    def _read(self, token: Token, file: Local | None) -> Unit | None:
        """Read one script, when there is something in it to link."""
        is_module = kind_of(token) == "module"
        if file is not None and is_module:
            try:
                return self._graph.entry_file(file.path)
            except RefusedError as refused:
                self._problems.add(self._source, token.attributes["src"].start, refused)
                return None
        source, start, end = self._text(token, file)
        words = ("import", "export") if is_module else ("import",)
        if not any(word in source.text[start:end] for word in words):
            return None
        base = self._base if file is None else file.path[:-1]
        read = self._graph.entry if is_module else self._graph.classic
        return read(source, start, end, base)

    def _text(self, token: Token, file: Local | None) -> tuple[Source, int, int]:
        """Where a script's text is; an empty text for a file that cannot be had."""
        if file is None:
            return self._source, token.end, token.content_end
        try:
            text = self._folder.text(file.path)
        except RefusedError as refused:
            self._problems.add(self._source, token.attributes["src"].start, refused)
            text = ""
        source = Source(file.name, text)
        self._parts.add(source, "script")
        return source, 0, len(text)

    def _write(self, bundle: Bundle, token: Token, file: Local | None, unit: Unit | None) -> None:
        code: str | None = None
        if unit is None:
            source, start, end = self._text(token, file)
            code = None if file is None else source.text[start:end]
        elif kind_of(token) == "module":
            code = bundle.entry(unit)
            if code is None and file is not None:
                code = unit.module.code.decode()
        elif (edits := bundle.changes(unit)) or file is not None:
            code = apply(unit.module.code, edits).decode()
        if code is None:
            return
        try:
            is_late = kind_of(token) == "classic" and {"defer", "async"} & token.attributes.keys()
            if file is not None and is_late:
                code = self._late(token, code)
            else:
                code = script_safe(code, module=kind_of(token) == "module")
        except RefusedError as refused:
            self._problems.add(self._source, token.start, refused)
            return
        self._edits.drop(token, _FETCHING)
        self._edits.content(token, code)

    def _late(self, token: Token, code: str) -> str:
        """Write a deferred script, which as an inline script would run too early.

        An inline module script is deferred, and keeps its place among other deferred scripts; it
        puts the classic script in its own place, where that runs at once. Scripts with `async`
        may run at any time, so they run then as well.
        """
        late = {"async", "defer", *_FETCHING}
        attributes = [[a.name, a.value] for a in token.attributes.values() if a.name not in late]
        number = str(token.start)
        self._edits.drop(token, [n for n in token.attributes if n not in _FETCHING])
        name_end = token.start + 1 + len(token.name)
        self._edits.replace(name_end, name_end, f' type="module" {_DEFERRED}="{number}"')
        set_all = f"for (const [name, value] of {json.dumps(attributes)}) "
        return (
            'const script = document.createElement("script");\n'
            + (f"{_safe_json(set_all)}script.setAttribute(name, value);\n" if attributes else "")
            + f"script.textContent = {string_literal(code)};\n"
            f"document.querySelector('[{_DEFERRED}=\"{number}\"]').replaceWith(script);"
        )

    def _write_shared(self, libraries: list[Token], modules: str) -> None:
        """Write the page library and the linked modules, each once and before their first use."""
        shared = f"<script>{modules}</script>" if modules else ""
        holder: Token | None = None
        if self._graph.uses_library:
            shared = f"<script>{self._library()}</script>{shared}"
        elif libraries:
            holder = next((t for t in libraries if t.start in self._live), libraries[0])
        for token in libraries:
            self._edits.drop(token, [*_FETCHING, "async", "defer", "type"])
            self._edits.content(token, self._library() if token is holder else "")
        if shared:
            start = min(self._live, default=insertion_point(self._source.text))
            self._edits.replace(start, start, shared)

    def _library(self) -> str:
        return script_safe(library(minify=self._minify))


def _safe_json(text: str) -> str:
    return text.replace("<", "\\u003c")
