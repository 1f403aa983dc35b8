"""Finds the other origins that a finished document loads from, and what has to allow each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from . import css
from .markup import tokens
from .page_scripts import kind_of
from .paths import clean
from .problems import Source
from .scripts import capture, parse, string_value, text_of
from .srcset import candidates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tree_sitter import Node

    from .markup import Token
    from .parts import Parts

Kind = Literal["resource", "connect", "frame", "base", "object", "element"]
"""What loads it. An `element` is one whose name is not known: a frame, or what shows a resource."""

#: The list of an MCP Apps `csp` that allows each kind. Nothing allows `object`.
CSP_LISTS: Final[dict[Kind, str | None]] = {
    "resource": "resourceDomains",
    "connect": "connectDomains",
    "frame": "frameDomains",
    "base": "baseUriDomains",
    "object": None,
    "element": "resourceDomains",
}

#: Where an origin may stand as well, as it is not known what it is for.
OTHER_LISTS: Final[dict[Kind, str]] = {"element": "frameDomains"}

_ATTRIBUTES: Final[dict[str, tuple[tuple[str, Kind], ...]]] = {
    "audio": (("src", "resource"),),
    "base": (("href", "base"),),
    "embed": (("src", "object"),),
    "feimage": (("href", "resource"), ("xlink:href", "resource")),
    "frame": (("src", "frame"),),
    "iframe": (("src", "frame"),),
    "image": (("href", "resource"), ("xlink:href", "resource")),
    "img": (("src", "resource"),),
    "input": (("src", "resource"),),
    "object": (("data", "object"),),
    "source": (("src", "resource"),),
    "track": (("src", "resource"),),
    "use": (("href", "resource"), ("xlink:href", "resource")),
    "video": (("src", "resource"), ("poster", "resource")),
}
_LOADING_LINKS: Final = frozenset(
    {"apple-touch-icon", "icon", "mask-icon", "modulepreload", "prefetch", "preload", "stylesheet"}
)
_LOADS: Final = """
    (import_statement source: (string) @resource)
    (export_statement source: (string) @resource)
    (call_expression function: (import) arguments: (arguments . (_) @resource))
    ((call_expression function: (identifier) @called arguments: (arguments . (_) @called_with))
        (#eq? @called "fetch"))
    ((call_expression function: (member_expression property: (property_identifier) @called)
        arguments: (arguments . (_) @called_with)) (#any-of? @called "fetch" "sendBeacon"))
    ((call_expression function: (member_expression property: (property_identifier) @called)
        arguments: (arguments . (string) @method . (_) @opened)) (#eq? @called "open"))
    ((new_expression constructor: (identifier) @made arguments: (arguments . (_) @made_with))
        (#any-of? @made "Audio" "EventSource" "SharedWorker" "WebSocket" "Worker"))
    ((new_expression constructor: (identifier) @made arguments: (arguments . (_) . (_) @font))
        (#eq? @made "FontFace"))
    ((assignment_expression left: (member_expression object: (_) @shows
        property: (property_identifier) @put) right: (_) @source) (#eq? @put "src"))
    ((call_expression function: (member_expression object: (_) @shows
        property: (property_identifier) @called)
        arguments: (arguments . (string) @name . (_) @source))
        (#eq? @called "setAttribute"))
    ((assignment_expression left: (member_expression object: (member_expression
        property: (property_identifier) @put)) right: (_) @styled) (#eq? @put "style"))
"""
_ELEMENTS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("audio", "img", "input", "script", "source", "track", "video"), "resource"),
    **dict.fromkeys(("frame", "iframe"), "frame"),
}
_FINDS: Final = frozenset({"getElementById", "querySelector"})
_MADE: Final = """
    (variable_declarator name: (identifier) @name value: (_) @value)
    (formal_parameters (identifier) @given) (arrow_function parameter: (identifier) @given)
"""
_CONSTANTS: Final = """
    (variable_declarator name: (identifier) @name value: [(string) (template_string)] @value)
"""
#: Where `//` can start a host: not in the middle of base64 or of a path.
_HOST: Final = re.compile(r"(?<![A-Za-z0-9+/=])//")
_SCRIPT_HOSTS: Final = ("://", '"//', "'//", "`//")

_Load: TypeAlias = "tuple[str, Kind, int]"
"""A URL, what has to allow it, and where it stands."""


class ExternalOrigin(NamedTuple):
    """One place where a document loads something from another origin."""

    origin: str
    """Scheme, host and port, as a policy names them."""
    url: str
    """The URL as far as it is written out."""
    kind: Kind
    """What has to allow it; see `CSP_LISTS`."""
    line: int
    """The line of the file or the document, from 1."""
    file: str = ""
    """The file, relative to the page's folder; empty for a document that is not read from files."""


def external_origins(html: str) -> list[ExternalOrigin]:
    """Find what a document loads from other origins, in order of appearance.

    Scripts are read for imports and for `fetch`, `WebSocket` and the like with a URL that is
    written out, begins with one, or is a constant of the script. What a script puts together in
    other ways is not found.
    """
    return list(_located(Source("", html), _document_loads(html)))


def origins_of(parts: Parts) -> list[ExternalOrigin]:
    """Find what a page loads from other origins in the files that its author wrote.

    Args:
        parts: The files.
    """
    found: list[ExternalOrigin] = []
    for source, kind in parts.files.values():
        if "//" in source.text:
            found += _located(source, _LOADS_OF[kind](source.text))
    for source, offset, url in parts.named:
        found += _located(source, [(url, "resource", offset)])
    return found


def _located(source: Source, loads: Iterable[_Load]) -> Iterator[ExternalOrigin]:
    for url, kind, at in loads:
        origin = _origin(url)
        if origin is not None:
            yield ExternalOrigin(origin, url, kind, source.position(at)[0], source.name)


def _document_loads(html: str) -> Iterator[_Load]:
    for token in tokens(html):
        if token.kind == "start":
            yield from _loads(html, token)


def _origin(url: str) -> str | None:
    url = clean(url)
    if url.startswith("//"):
        url = f"https:{url}"
    try:
        parts = urlsplit(url)
    except ValueError:  # e.g. a broken IPv6 address: no browser loads it either
        return None
    if parts.scheme not in {"http", "https", "ws", "wss"} or not parts.netloc:
        return None
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"


def attribute_loads(token: Token) -> Iterator[_Load]:
    """Yield what an element loads by its attributes: the URL, what allows it, and where it is.

    Args:
        token: The element's start tag.
    """
    for name, kind in _ATTRIBUTES.get(token.name, ()):
        if attribute := token.attributes.get(name):
            yield attribute.value, kind, attribute.start
    if token.name in {"img", "source"} and (attribute := token.attributes.get("srcset")):
        for url, _ in candidates(attribute.value):
            yield url, "resource", attribute.start
    if token.name == "link":
        yield from _link(token)
    src = token.attributes.get("src")
    runs = token.name == "script" and kind_of(token) in ("classic", "module")
    if src is not None and runs and "nomodule" not in token.attributes:
        yield src.value, "resource", src.start


def _loads(html: str, token: Token) -> Iterator[_Load]:
    yield from attribute_loads(token)
    if (attribute := token.attributes.get("style")) and _HOST.search(attribute.value):
        for url, _, _ in _sheet_loads(attribute.value):
            yield url, "resource", attribute.start
    if token.name == "style":
        content = html[token.end : token.content_end]
        if _HOST.search(content):
            for url, kind, at in _sheet_loads(content):
                yield url, kind, token.end + at
    elif token.name == "script":
        yield from _script(html, token)


def _link(token: Token) -> Iterator[_Load]:
    href = token.attributes.get("href")
    relations = (token.get("rel") or "").lower().split()
    if href is not None and not _LOADING_LINKS.isdisjoint(relations):
        is_fetch = "preload" in relations and (token.get("as") or "").lower() == "fetch"
        yield href.value, "connect" if is_fetch else "resource", href.start


def _sheet_loads(text: str) -> list[_Load]:
    sheet = css.read(text)
    loads = [(load.start, load.url) for load in sheet.loads]
    loads += [(imported.start, imported.url) for imported in sheet.imports]
    return [(url, "resource", at) for at, url in sorted(loads)]


def _script(html: str, token: Token) -> Iterator[_Load]:
    kind = kind_of(token)
    if kind == "other" or {"nomodule", "src"} & token.attributes.keys():
        return
    if kind != "importmap":
        for url, needs, at in _code_loads(html[token.end : token.content_end]):
            yield url, needs, token.end + at


def _code_loads(text: str) -> Iterator[_Load]:
    if not any(mark in text for mark in _SCRIPT_HOSTS):
        return
    code = text.encode()
    found: list[tuple[int, str, Kind]] = [
        (node.start_byte, url, needs) for node, url, needs in _script_loads(parse(code).root_node)
    ]
    for byte, url, needs in sorted(dict.fromkeys(found)):
        yield url, needs, len(code[:byte].decode(errors="ignore"))


def _script_loads(root: Node) -> Iterator[tuple[Node, str, Kind]]:
    found = capture(root, _LOADS)
    if not found:
        return
    constants = {
        text_of(name): url
        for value in capture(root, _CONSTANTS).get("value", [])
        if (url := _written(value, {})) and "//" in url and value.parent is not None
        if (name := value.parent.child_by_field_name("name"))
    }
    places: list[tuple[Node, Kind]] = [
        *((node, "resource") for node in found.get("resource", [])),
        *((node, "connect") for node in found.get("called_with", [])),
        # `window.open` takes the URL first, and is not a connection.
        *(
            (node, "connect")
            for node in found.get("opened", [])
            if (string_value(node.prev_named_sibling) or "").isupper()
        ),
        *((node, _needs(node)) for node in found.get("made_with", [])),
    ]
    if "source" in found:
        places += _shown(root, found["source"])
    for node, kind in places:
        if url := _written(node, constants):
            yield node, url, kind
    for node in (*found.get("font", []), *found.get("styled", [])):
        for url, _, _ in _sheet_loads(f"a:{string_value(node) or ''}"):
            yield node, url, "resource"


def _shown(root: Node, sources: list[Node]) -> Iterator[tuple[Node, Kind]]:
    """Yield what is put into the `src` of objects that are elements for certain."""
    declared = capture(root, _MADE)
    made: dict[str, Kind | None] = dict.fromkeys(map(text_of, declared.get("given", [])))
    for value in declared.get("value", []):
        name = value.parent.child_by_field_name("name") if value.parent is not None else None
        if name is not None:
            kind, again = _element(value), text_of(name) in made
            made[text_of(name)] = None if again and made[text_of(name)] != kind else kind
    for node in sources:
        given = node.prev_named_sibling if node.parent and node.parent.type == "arguments" else None
        if given is not None and string_value(given) != "src":
            continue
        call = node.parent.parent if node.parent and given is not None else node.parent
        member = call and call.child_by_field_name("left" if given is None else "function")
        shows = member and member.child_by_field_name("object")
        if shows is not None:
            kind = made.get(text_of(shows)) if shows.type == "identifier" else _element(shows)
            if kind is not None:
                yield node, kind


def _element(made: Node) -> Kind | None:
    """What has to allow the source of an element, where an expression is one for certain."""
    if made.type == "new_expression":
        constructor = made.child_by_field_name("constructor")
        is_media = constructor is not None and text_of(constructor) in {"Audio", "Image"}
        return "resource" if is_media else None
    if made.type != "call_expression":
        return None
    function = made.child_by_field_name("function")
    called = function and function.child_by_field_name("property")
    given = made.child_by_field_name("arguments")
    if called is None or given is None:
        return None
    if text_of(called) in _FINDS:
        return "element"
    name = string_value(next(iter(given.named_children), None)) or ""
    return _ELEMENTS.get(name.lower()) if text_of(called) == "createElement" else None


def _needs(argument: Node) -> Kind:
    """What has to allow the object that is made with an argument."""
    made = argument.parent.parent if argument.parent is not None else None
    constructor = made.child_by_field_name("constructor") if made is not None else None
    name = "" if constructor is None else text_of(constructor)
    return "resource" if name.endswith(("Audio", "Worker")) else "connect"


def _written(node: Node, constants: dict[str, str]) -> str | None:
    """A URL, or the start of one with its whole host, as far as the script writes it out."""
    value = string_value(node)
    if value is not None:
        return value
    if node.type == "identifier":
        return constants.get(text_of(node))
    if node.type == "binary_expression" and (left := node.child_by_field_name("left")) is not None:
        return _written(left, constants)
    if node.type == "new_expression" and (given := node.child_by_field_name("arguments")):
        # `new URL("path", "https://host")`, with the base as what counts
        last = given.named_children[-1:]
        return _written(last[0], constants) if last else None
    if node.type == "template_string" and (parts := node.named_children):
        if parts[0].type == "string_fragment":
            text = text_of(parts[0])
            return text if text.count("/") > 2 else None  # noqa: PLR2004 (`https://host/`)
        inner = parts[0].named_children[:1]
        return _written(inner[0], constants) if inner else None
    return None


_LOADS_OF: Final[dict[str, Callable[[str], Iterable[_Load]]]] = {
    "document": _document_loads,
    "script": _code_loads,
    "sheet": _sheet_loads,
}
