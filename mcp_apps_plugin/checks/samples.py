"""Arguments for a tool that nobody gave any for: from its schema, or made up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mcp_apps_plugin.protocol.shapes import JsonObject, as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping

_MADE_UP: Final[dict[str, Any]] = {
    "string": "example",
    "boolean": False,
    "array": [],
    "object": {},
    "null": None,
}
_FORMATS: Final = {
    "date": "2026-01-26",
    "date-time": "2026-01-26T12:00:00Z",
    "email": "somebody@example.com",
    "uri": "https://example.com",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
_MAX_DEPTH: Final = 8


def sample_arguments(schema: Mapping[str, Any]) -> tuple[JsonObject, bool]:
    """Return arguments, and whether any of them is made up.

    Required parameters always have one; others where the schema has `examples` or a `default`,
    as a page may draw what its tool was called with. What the schema says itself (`examples`,
    `default`, `const`, `enum`) is not made up.
    """
    return _object(schema, schema, 0)


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> tuple[Any, bool]:
    properties = as_object(schema.get("properties")) or {}
    values: JsonObject = {}
    made_up = False
    required = as_list(schema.get("required")) or []
    for name in required:
        values[name], guessed = _value(as_object(properties.get(name)) or {}, root, depth + 1)
        made_up |= guessed
    for name in [name for name in properties if name not in required]:
        given = _resolved(as_object(properties[name]) or {}, root)
        if as_list(given.get("examples")) or given.get("default") is not None:
            values[name], _ = _value(given, root, depth + 1)
    return values, made_up


def _value(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> tuple[Any, bool]:
    schema = _resolved(schema, root)
    for key in ("examples", "enum"):
        if listed := as_list(schema.get(key)):
            return listed[0], False
    for key in ("default", "const"):
        if key in schema:
            return schema[key], False
    alternatives = as_list(schema.get("anyOf")) or as_list(schema.get("oneOf"))
    if alternatives and depth < _MAX_DEPTH:
        return _value(alternatives[0], root, depth + 1)
    kinds = as_list(schema.get("type"))
    kind = kinds[0] if kinds else schema.get("type")
    if kind == "object" and depth < _MAX_DEPTH:
        value, _ = _object(schema, root, depth)
        return value, True
    if kind in ("integer", "number"):
        return schema.get("minimum", 1), True
    if kind == "string":
        return _text(schema), True
    if kind == "array" and schema.get("minItems") and depth < _MAX_DEPTH:
        item, _ = _value(as_object(schema.get("items")) or {}, root, depth + 1)
        return [item] * int(schema["minItems"]), True
    return _MADE_UP.get(str(kind), "example"), True


def _text(schema: Mapping[str, Any]) -> str:
    text = _FORMATS.get(str(schema.get("format")), "example")
    least, most = schema.get("minLength") or 0, schema.get("maxLength")
    return text.ljust(least, "x")[:most]


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    target: Any = root
    for part in reference[2:].split("/"):
        target = (as_object(target) or {}).get(part.replace("~1", "/").replace("~0", "~"))
    return {**(as_object(target) or {}), **{k: v for k, v in schema.items() if k != "$ref"}}
