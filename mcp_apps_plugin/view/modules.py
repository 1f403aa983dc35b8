"""Reads what one ECMAScript module imports and exports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from .scripts import capture, first_error, parse, string_value, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from .scripts import Edit

_PLACES: Final = """
    (call_expression function: (import)) @dynamic
    (meta_property) @meta
    (await_expression) @await
    (for_in_statement "await") @await
    (new_expression) @new
"""
_FUNCTIONS: Final = frozenset(
    {
        "arrow_function",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
_WORKERS: Final = frozenset({"Worker", "SharedWorker"})


@dataclass(frozen=True, slots=True)
class Request:
    """One place where a module names another."""

    specifier: str
    kind: str
    """The `type` it asks for: `json`, `css`, or empty for JavaScript."""
    start: int
    """Where the specifier stands, in bytes."""
    statement: tuple[int, int] = (0, 0)
    """The import or export statement around it, if it is one."""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the code that has to change, with the literal in it."""

    start: int
    end: int
    request: Request
    is_worker: bool = False


@dataclass
class Module:
    """One module's code with what linking needs to know about it."""

    code: bytes
    root: Node
    requests: list[Request] = field(default_factory=list[Request])
    """The modules it depends on, in order of evaluation; may name one twice."""
    imports: dict[str, tuple[Request, str]] = field(default_factory=dict[str, tuple[Request, str]])
    """Local name to module and exported name, `*` for the namespace."""
    exports: dict[str, str] = field(default_factory=dict[str, str])
    """Exported name to local name."""
    reexports: dict[str, tuple[Request, str]] = field(
        default_factory=dict[str, tuple[Request, str]]
    )
    """Exported name to module and its exported name, `*` for the namespace."""
    stars: list[Request] = field(default_factory=list[Request])
    dynamic: list[Place] = field(default_factory=list[Place])
    """`import("...")` calls."""
    assets: list[Place] = field(default_factory=list[Place])
    """`new URL("...", import.meta.url)`, from before the first argument to after the last."""
    metas: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Every `import.meta` that is not part of an asset."""
    is_async: bool = False
    """Whether it awaits at the top level."""
    error: int | None = None
    """Where the code is not JavaScript as the grammar knows it, if it has imports or exports."""
    names_default: bool = False
    """Whether its default export is an anonymous function, which is declared with a name."""
    linkage: list[Edit] = field(default_factory=list["Edit"])
    """The edits that take import and export syntax away."""


def read(code: bytes, *, default: str) -> Module:
    """Read a module; `default` is the name that an anonymous default export gets.

    Code that the grammar does not know is read as far as it goes: it may be newer than the
    grammar. `error` then has the place.
    """
    root = parse(code).root_node
    module = Module(code, root)
    for statement in root.named_children:
        if statement.type == "import_statement":
            _import(module, statement)
        elif statement.type == "export_statement":
            _export(module, statement, default)
    _move_reexported(module)
    _places(module)
    if root.has_error and any(word in code for word in (b"import", b"export")):
        module.error = (first_error(root) or root).start_byte
    return module


def _request(statement: Node) -> Request:
    source = statement.child_by_field_name("source")
    if source is None:
        source = next(child for child in statement.named_children if child.type == "string")
    kind = ""
    for attribute in _of_type(statement, "import_attribute"):
        for pair in (pair for inner in attribute.named_children for pair in inner.named_children):
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and (string_value(key) or text_of(key)) == "type":
                kind = string_value(value) or ""
    span = (statement.start_byte, statement.end_byte)
    return Request(string_value(source) or "", kind, source.start_byte, span)


def _of_type(node: Node, kind: str) -> Iterator[Node]:
    return (child for child in node.named_children if child.type == kind)


def _name(node: Node) -> str:
    value = string_value(node)
    return text_of(node) if value is None else value


def _import(module: Module, statement: Node) -> None:
    request = _request(statement)
    module.requests.append(request)
    # The semicolon keeps the line above from going on into the line below.
    module.linkage.append((statement.start_byte, statement.end_byte, ";"))
    for clause in _of_type(statement, "import_clause"):
        for part in clause.named_children:
            if part.type == "identifier":
                module.imports[text_of(part)] = (request, "default")
            elif part.type == "namespace_import":
                module.imports[text_of(next(_of_type(part, "identifier")))] = (request, "*")
            elif part.type == "named_imports":
                for specifier in _of_type(part, "import_specifier"):
                    exported, local = _specifier(specifier)
                    module.imports[local] = (request, exported)


def _specifier(specifier: Node) -> tuple[str, str]:
    """The two names of `a as b`; the same name twice for `a`."""
    # Not by field: the grammar gives the keyword `default` none.
    names = [child for child in specifier.children if child.type not in {"as", "comment"}]
    return _name(names[0]), _name(names[-1])


def _export(module: Module, statement: Node, default: str) -> None:
    words = {child.type: child for child in statement.children}
    declaration = statement.child_by_field_name("declaration")
    value = statement.child_by_field_name("value")
    if statement.child_by_field_name("source") is not None:
        _export_from(module, statement, words)
    elif "export_clause" in words:
        for specifier in _of_type(words["export_clause"], "export_specifier"):
            local, exported = _specifier(specifier)
            module.exports[exported] = local
        module.linkage.append((statement.start_byte, statement.end_byte, ";"))
    elif "default" in words:
        _export_default(module, statement, declaration or value, default)
    elif declaration is not None:
        for name in _declared(declaration):
            module.exports[name] = name
        module.linkage.append((statement.start_byte, declaration.start_byte, ""))


def _export_from(module: Module, statement: Node, words: dict[str, Node]) -> None:
    request = _request(statement)
    module.requests.append(request)
    module.linkage.append((statement.start_byte, statement.end_byte, ";"))
    if "namespace_export" in words:
        module.reexports[_name(words["namespace_export"].named_children[-1])] = (request, "*")
    elif "export_clause" in words:
        for specifier in _of_type(words["export_clause"], "export_specifier"):
            theirs, ours = _specifier(specifier)
            module.reexports[ours] = (request, theirs)
    else:
        module.stars.append(request)


def _export_default(module: Module, statement: Node, what: Node | None, default: str) -> None:
    if what is None:  # pragma: no cover (the grammar always has it)
        return
    start = statement.start_byte
    name = what.child_by_field_name("name")
    kind = what.type
    if kind in _FUNCTIONS | {"class", "class_declaration"} and kind != "arrow_function":
        if name is not None:
            module.exports["default"] = text_of(name)
            module.linkage.append((start, what.start_byte, ""))
            return
        if kind in {"function_expression", "generator_function"}:
            module.exports["default"] = default
            module.names_default = True
            parameters = what.child_by_field_name("parameters")
            at = what.end_byte if parameters is None else parameters.start_byte
            module.linkage.append((start, what.start_byte, ""))
            module.linkage.append((at, at, f" {default}"))
            return
    # A property of the name `default` gives anonymous functions and classes that name.
    module.exports["default"] = default
    module.linkage.append((start, what.start_byte, f"const {default} = {{default: "))
    module.linkage.append((what.end_byte, statement.end_byte, "}.default;"))


def _declared(declaration: Node) -> Iterator[str]:
    """The names that a declaration declares."""
    name = declaration.child_by_field_name("name")
    if name is not None:
        yield text_of(name)
    for declarator in _of_type(declaration, "variable_declarator"):
        target = declarator.child_by_field_name("name")
        if target is not None:
            yield from _pattern_names(target)


def _pattern_names(pattern: Node) -> Iterator[str]:
    if pattern.type in {"identifier", "shorthand_property_identifier_pattern"}:
        yield text_of(pattern)
    elif pattern.type == "pair_pattern":
        value = pattern.child_by_field_name("value")
        if value is not None:
            yield from _pattern_names(value)
    elif pattern.type in {"assignment_pattern", "object_assignment_pattern"}:
        left = pattern.child_by_field_name("left")
        if left is not None:
            yield from _pattern_names(left)
    else:
        for child in pattern.named_children:
            yield from _pattern_names(child)


def _move_reexported(module: Module) -> None:
    """`import { a } from "b"; export { a }` is the same as `export { a } from "b"`."""
    for exported, local in list(module.exports.items()):
        if local in module.imports:
            module.reexports[exported] = module.imports[local]
            del module.exports[exported]


def _places(module: Module) -> None:
    found = capture(module.root, _PLACES)
    module.is_async = any(not _in_function(node) for node in found.get("await", []))
    for call in found.get("dynamic", []):
        arguments = call.child_by_field_name("arguments")
        first = arguments.named_children[0] if arguments and arguments.named_children else None
        specifier = string_value(first)
        if specifier is not None and first is not None and arguments is not None:
            kind = _dynamic_kind(arguments)
            request = Request(specifier, kind, first.start_byte)
            module.dynamic.append(Place(call.start_byte, call.end_byte, request))
    in_assets: set[int] = set()
    for new in found.get("new", []):
        asset = _asset(new)
        if asset is not None:
            module.assets.append(asset[0])
            in_assets.add(asset[1])
    module.metas += [
        (node.start_byte, node.end_byte)
        for node in found.get("meta", [])
        if text_of(node).startswith("import") and node.start_byte not in in_assets
    ]


def _dynamic_kind(arguments: Node) -> str:
    """The `type` in `import("x", { with: { type: "json" } })`."""
    options = arguments.named_children[1:2]
    for word in ("with", "type"):
        options = [
            value
            for option in options
            for pair in _of_type(option, "pair")
            if (key := pair.child_by_field_name("key")) and _name(key) == word
            if (value := pair.child_by_field_name("value"))
        ]
    return (string_value(options[0]) or "") if options else ""


def _asset(new: Node) -> tuple[Place, int] | None:
    constructor = new.child_by_field_name("constructor")
    arguments = new.child_by_field_name("arguments")
    if constructor is None or text_of(constructor) != "URL" or arguments is None:
        return None
    given = [node for node in arguments.named_children if node.type != "comment"]
    if len(given) != 2:  # noqa: PLR2004 (a URL and its base)
        return None
    specifier = string_value(given[0])
    base = "".join(text_of(given[1]).split())
    if specifier is None or base != "import.meta.url":
        return None
    outer = new.parent.parent if new.parent is not None else None
    worker = outer.child_by_field_name("constructor") if outer is not None else None
    is_worker = worker is not None and text_of(worker) in _WORKERS
    request = Request(specifier, "", given[0].start_byte)
    place = Place(given[0].start_byte, given[1].end_byte, request, is_worker)
    return place, given[1].start_byte


def _in_function(node: Node) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.type in _FUNCTIONS:
            return True
        parent = parent.parent
    return False
