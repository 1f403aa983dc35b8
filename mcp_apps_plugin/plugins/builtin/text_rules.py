"""Audit rule for texts: each field of `text=` and `fallback=` is one that the result can have.

The `outputSchema` says what a result has. What it leaves open is left to the call, where a text
that does not fit falls back to FastMCP's own content.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mcp_apps_plugin.declarations.text import fields_of, is_index, text_finding
from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.findings import did_you_mean
from mcp_apps_plugin.protocol.shapes import JsonObject, as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_apps_plugin.plugins.registry import Registry, ToolEntry
    from mcp_apps_plugin.protocol.findings import Finding

_REFERENCES = 32  # a chain of `$ref` may be a circle
_SCALARS = {
    "string": "a text",
    "integer": "a number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


@hookimpl
def mcp_apps_audit(registry: Registry) -> list[Finding]:
    """Find texts that name what their results do not have."""
    return [finding for tool in registry.tools for finding in _texts(tool)]


def _texts(tool: ToolEntry) -> Iterator[Finding]:
    if tool.declaration is None or not tool.output_schema:
        return
    result = _Schema(tool.output_schema)
    for option in ("text", "fallback"):
        text = getattr(tool.declaration, option)
        for field in fields_of(text) if isinstance(text, str) else ():
            problem = result.problem(field.path, "" if field.converted else field.format)
            if problem is not None:
                said = f"`{option}={text!r}` names `{field.name}`: {problem}"
                finding = text_finding(f"tool {tool.name!r} of {tool.subject}", said)
                yield replace(finding, place=tool.place)


@dataclass(frozen=True, slots=True)
class _Schema:
    """The schema of a tool's result."""

    root: JsonObject

    def problem(self, path: Sequence[str], spec: str) -> str | None:
        """Say why a result can have nothing at a path, or `None` where it can, or may."""
        return self._at(self.root, path, spec, "its result")

    def _at(self, schema: object, path: Sequence[str], spec: str, whole: str) -> str | None:
        schema = self._resolved(schema)
        if schema is None:
            return None
        for key in ("anyOf", "oneOf"):
            branches = as_list(schema.get(key))
            if branches:
                # A field is there when one of the branches has it; "nothing" never does, and
                # takes any format.
                problems = [
                    self._at(branch, path, spec, whole)
                    for branch in branches
                    if self._kind(branch) != "null"
                ]
                return None if None in problems or not problems else problems[0]
        kind = self._kind(schema)
        if not path:
            return _format_problem(kind, spec, whole)
        if kind in _SCALARS:
            return f"{whole} is {_SCALARS[kind]}, which has no fields."
        if kind == "array":
            return self._item(schema, path, spec, whole)
        if kind == "object":
            return self._field(schema, path, spec, whole)
        return None

    def _item(self, schema: JsonObject, path: Sequence[str], spec: str, whole: str) -> str | None:
        key, *rest = path
        if not is_index(key):
            return f"{whole} is a list, of which `[0]` is the first item."
        first = as_list(schema.get("prefixItems")) or ()
        index = int(key)
        if index >= schema.get("maxItems", index + 1):
            return f"{whole} has only {schema['maxItems']} items."
        if first and index < 0:
            return None
        item = first[index] if index < len(first) else schema.get("items")
        return self._at(item, rest, spec, f"`{key}` of it")

    def _field(self, schema: JsonObject, path: Sequence[str], spec: str, whole: str) -> str | None:
        key, *rest = path
        known = as_object(schema.get("properties")) or {}
        if key in known:
            return self._at(known[key], rest, spec, f"`{key}`")
        others = schema.get("additionalProperties")
        if others is None and known:
            others = False  # what Python classes have is what their schema lists
        if others is not False:
            return self._at(others, rest, spec, f"`{key}`")
        names = ", ".join(f"`{name}`" for name in known) or "nothing"
        return f"{whole} has no `{key}`.{did_you_mean(key, known)} It has {names}."

    def _resolved(self, schema: object) -> JsonObject | None:
        found = as_object(schema)
        for _ in range(_REFERENCES):
            reference = None if found is None else found.get("$ref")
            if not isinstance(reference, str):
                return found
            target: Any = self.root
            for part in reference.removeprefix("#").strip("/").split("/"):
                target = (as_object(target) or {}).get(part) if part else target
            found = as_object(target)
        return None

    def _kind(self, schema: object) -> str | None:
        found = self._resolved(schema) or {}
        kind = found.get("type")
        kinds = [each for each in as_list(kind) or [kind] if each != "null"]
        if len(kinds) > 1 or "allOf" in found:
            return None
        return kinds[0] if kinds else "null"


def _format_problem(kind: str | None, spec: str, whole: str) -> str | None:
    if not spec or "{" in spec:
        return None
    if kind in {"array", "object"}:
        return f"{whole} is {'a list' if kind == 'array' else 'an object'}, and takes no `:{spec}`."
    if kind == "string":
        try:
            format("", spec)
        except ValueError:
            return f"{whole} is a text, and takes no `:{spec}`."
    return None
