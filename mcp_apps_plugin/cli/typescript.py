"""JSON schemas as TypeScript types: what a page's author reads and an editor checks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

Schema = Mapping[str, Any]

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_PLAIN = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
}
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class ToolTypes:
    """One tool, as far as its types go.

    Attributes:
        name: Its name.
        description: What it does.
        input_schema: The schema of its arguments.
        output_schema: The schema of its structured result, or `None` when it has none.
    """

    name: str
    description: str | None
    input_schema: Schema
    output_schema: Schema | None


def declare_tools(tools: Iterable[ToolTypes]) -> str:
    """Write a declaration file that tells `mcp-app.d.ts` of these tools.

    Args:
        tools: The tools, in the order to write them.

    Returns:
        The text of a `.d.ts` file. It has no imports, so that it counts for the whole project.
    """
    named: list[str] = []
    members: list[str] = []
    for tool in tools:
        given = _Types(f"{tool.name}_input", tool.input_schema, named)
        member = [*_comment(tool.description, 1), f"{_INDENT}{_key(tool.name)}: {{"]
        member.append(f"{_INDENT * 2}input: {given.of(tool.input_schema, 2)};")
        if tool.output_schema is not None:
            made = _Types(f"{tool.name}_output", tool.output_schema, named)
            member.append(f"{_INDENT * 2}output: {made.of(tool.output_schema, 2)};")
        members += [*member, f"{_INDENT}}};"]
    lines = ["// Written by `mcp-apps types` from the server's schemas; do not edit."]
    lines += ["interface McpAppTools {", *members, "}"]
    if named:
        lines += ["declare namespace McpAppTypes {", *named, "}"]
    return "\n".join(lines) + "\n"


@dataclass
class _Types:
    """The types of one schema.

    A definition stands where it is used; one that contains itself gets a name of its own.
    """

    owner: str
    root: Schema
    named: list[str]
    _open: list[str] = field(default_factory=list[str])
    _recursive: set[str] = field(default_factory=set[str])
    _written: set[str] = field(default_factory=set[str])

    def of(self, schema: object, depth: int) -> str:
        """Return the type of one schema, for a line that is indented by `depth`."""
        if not isinstance(schema, Mapping):
            return "never" if schema is False else "unknown"
        schema = cast("Schema", schema)
        if "$ref" in schema:
            return self._reference(str(schema["$ref"]), depth)
        if "const" in schema:
            return json.dumps(schema["const"], ensure_ascii=False)
        if "enum" in schema:
            return _union(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return _union(self.of(each, depth) for each in schema[key])
        if "allOf" in schema:
            own = {key: value for key, value in schema.items() if key != "allOf"}
            parts = [self.of(each, depth) for each in schema["allOf"]]
            parts += [self.of(own, depth)] if "properties" in own else []
            return " & ".join(f"({part})" if " | " in part else part for part in parts)
        kinds = schema.get("type")
        if isinstance(kinds, list):
            listed = cast("list[str]", kinds)
            return _union(self.of({**schema, "type": kind}, depth) for kind in listed)
        if kinds == "array":
            return self._array(schema, depth)
        if kinds == "object" or "properties" in schema:
            return self._object(schema, depth)
        return _PLAIN.get(str(kinds), "unknown")

    def _reference(self, pointer: str, depth: int) -> str:
        name = "McpAppTypes." + re.sub(r"\W+", "_", f"{self.owner}_{pointer.rpartition('/')[2]}")
        if pointer in self._open:
            self._recursive.add(pointer)
            return name
        if pointer in self._written:
            return name
        target: Any = self.root
        for part in pointer.removeprefix("#").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            target = cast("Schema", target).get(key) if isinstance(target, Mapping) else None
        self._open.append(pointer)
        text = self.of(target, depth)
        if pointer in self._recursive:
            # Again, as it stands elsewhere now, with another indentation.
            text = self.of(target, 1)
            self.named.append(f"{_INDENT}type {name.rpartition('.')[2]} = {text};")
            self._written.add(pointer)
            text = name
        self._open.pop()
        return text

    def _array(self, schema: Schema, depth: int) -> str:
        items = schema.get("items", True)
        if "prefixItems" in schema:
            parts = [self.of(each, depth) for each in schema["prefixItems"]]
            if "items" in schema and items is not False:
                parts.append(f"...{_in_brackets(self.of(items, depth))}[]")
            return f"[{', '.join(parts)}]"
        return f"{_in_brackets(self.of(items, depth))}[]"

    def _object(self, schema: Schema, depth: int) -> str:
        properties: Schema = schema.get("properties") or {}
        # An object with known fields is open in JSON Schema unless it says otherwise; a page is
        # helped more by an error for a misspelt field.
        more = schema.get("additionalProperties", not properties)
        if not properties:
            rest = "unknown" if more is True else self.of(more, depth)
            return "Record<string, never>" if more is False else f"Record<string, {rest}>"
        required: Sequence[str] = schema.get("required") or ()
        lines = ["{"]
        for key, each in properties.items():
            optional = "" if key in required else "?"
            lines += _comment(_description(each), depth + 1)
            lines.append(
                f"{_INDENT * (depth + 1)}{_key(key)}{optional}: {self.of(each, depth + 1)};"
            )
        if more is not False and "additionalProperties" in schema:
            lines.append(f"{_INDENT * (depth + 1)}[key: string]: unknown;")
        return "\n".join([*lines, f"{_INDENT * depth}}}"])


def _union(parts: Iterable[str]) -> str:
    return " | ".join(dict.fromkeys(parts)) or "never"


def _in_brackets(text: str) -> str:
    return f"({text})" if re.search(r" [|&] ", text) and not text.startswith("{") else text


def _key(name: str) -> str:
    return name if _NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _description(schema: object) -> str | None:
    found = cast("Schema", schema).get("description") if isinstance(schema, Mapping) else None
    return found if isinstance(found, str) else None


def _comment(text: str | None, depth: int) -> list[str]:
    first = (text or "").strip().partition("\n")[0].strip()
    return [f"{_INDENT * depth}/** {first.replace('*/', '* /')} */"] if first else []
