"""Checking an answer against the form that asked for it, whoever rendered that form.

The rules are those of the C# SDK: defaults are filled in first, nothing is coerced, each problem
has a JSON Pointer, and no message repeats a submitted value, as messages end up in logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeGuard

from mcp_apps_plugin.protocol.shapes import JsonObject, as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an answer.

    Attributes:
        path: A JSON Pointer from the answer, for example `/content/days/0`.
        message: What is wrong, without the value.
    """

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def check_answer(content: object, schema: Schema) -> tuple[JsonObject, list[Problem]]:
    """Check the content of an accepted answer.

    Args:
        content: `content` as it came; `None` counts as empty, as defaults may fill it.
        schema: The form's `requestedSchema`.

    Returns:
        The content with the schema's defaults, and what is wrong with it.
    """
    given = {} if content is None else as_object(content)
    if given is None:
        return {}, [Problem("/content", "Accepted elicitation results must include content.")]
    properties = as_object(schema.get("properties")) or {}
    filled = dict(given)
    for name, declared in properties.items():
        if name not in filled and "default" in declared:
            filled[name] = declared["default"]
    if content is None and not filled and schema.get("required"):
        message = "Accepted elicitation results must include content."
        return {}, [Problem("/content", message)]
    problems = [
        Problem(_pointer(name), "Required property is missing.")
        for name in as_list(schema.get("required")) or ()
        if name not in filled
    ]
    for name, value in filled.items():
        if name not in properties:
            message = "Property is not declared by the requested schema."
            problems.append(Problem(_pointer(name), message))
        else:
            problems += _problems(value, _resolved(properties[name], schema), _pointer(name))
    return filled, problems


def _pointer(name: str) -> str:
    return "/content/" + name.replace("~", "~0").replace("/", "~1")


def _resolved(declared: Schema, root: Schema) -> Schema:
    """Follow a local `$ref`; pydantic writes some for enumerations."""
    reference = declared.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
        return declared
    found = as_object((as_object(root.get("$defs")) or {}).get(reference.removeprefix("#/$defs/")))
    return {**(found or {}), **{key: item for key, item in declared.items() if key != "$ref"}}


def _problems(value: object, declared: Schema, path: str) -> list[Problem]:
    alternatives = _alternatives(declared)
    if alternatives:
        found = [_problems(value, alternative, path) for alternative in alternatives]
        return next((each for each in found if not each), found[0])
    if declared.get("type") == "array":
        return list(_many(value, declared, path))
    choices = _choices(declared)
    if choices is not None:
        if declared.get("type") == "string" and not isinstance(value, str):
            return [Problem(path, "Expected a string choice.")]
        if not _is_one_of(value, choices):
            return [Problem(path, "Value is not one of the allowed choices.")]
        return []
    return list(_one(value, declared, path))


def _alternatives(declared: Schema) -> list[Schema]:
    """List the types a property may have, as `str | None` has two; choices are none of these."""
    kinds = as_list(declared.get("type"))
    if kinds is not None:
        return [{**declared, "type": kind} for kind in kinds]
    for key in ("anyOf", "oneOf"):
        listed = as_list(declared.get(key))
        if listed and not all("const" in item for item in listed):
            return listed
    return []


def _choices(declared: Schema) -> list[Any] | None:
    """List the values a property may have, in any of the three spellings."""
    if "const" in declared:
        return [declared["const"]]
    if (named := as_list(declared.get("enum"))) is not None:
        return named
    titled = as_list(declared.get("oneOf")) or as_list(declared.get("anyOf"))
    return [item["const"] for item in titled] if titled else None


def _is_one_of(value: object, choices: list[Any]) -> bool:
    # In Python `True == 1`; in JSON it is another value.
    return any(isinstance(value, bool) is isinstance(c, bool) and value == c for c in choices)


def _many(value: object, declared: Schema, path: str) -> Iterator[Problem]:
    picked = as_list(value)
    if picked is None:
        yield Problem(path, "Expected an array of string choices.")
        return
    least, most = declared.get("minItems"), declared.get("maxItems")
    if least is not None and len(picked) < least:
        yield Problem(path, f"At least {least} choices must be selected.")
    if most is not None and len(picked) > most:
        yield Problem(path, f"At most {most} choices may be selected.")
    choices = _choices(as_object(declared.get("items")) or {})
    for position, item in enumerate(picked):
        if choices is not None and not _is_one_of(item, choices):
            yield Problem(f"{path}/{position}", "Value is not one of the allowed choices.")


def _one(value: object, declared: Schema, path: str) -> Iterator[Problem]:
    match declared.get("type"):
        case "string":
            if isinstance(value, str):
                yield from _text(value, declared, path)
            else:
                yield Problem(path, "Expected a string.")
        case "boolean":
            if not isinstance(value, bool):
                yield Problem(path, "Expected a boolean.")
        case "integer":
            if _is_number(value) and float(value).is_integer():
                yield from _size(value, declared, path)
            else:
                yield Problem(path, "Expected an integer.")
        case "number":
            if _is_number(value):
                yield from _size(value, declared, path)
            else:
                yield Problem(path, "Expected a number.")
        case "null":
            if value is not None:
                yield Problem(path, "Expected null.")
        case _:
            yield Problem(path, "The requested schema type is not supported.")


def _is_number(value: object) -> TypeGuard[int | float]:
    # JSON has neither infinities nor NaN, though Python's parser reads them.
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _text(value: str, declared: Schema, path: str) -> Iterator[Problem]:
    least, most = declared.get("minLength"), declared.get("maxLength")
    if least is not None and len(value) < least:
        yield Problem(path, f"String length must be at least {least} characters.")
    if most is not None and len(value) > most:
        yield Problem(path, f"String length must be at most {most} characters.")
    name = declared.get("format")
    from mcp_apps_plugin.protocol.formats import FORMATS  # noqa: PLC0415  patterns, rarely needed

    fits = FORMATS.get(name) if isinstance(name, str) else None
    if fits is not None and not fits(value):
        yield Problem(path, f"String must match the '{name}' format.")


def _size(value: float, declared: Schema, path: str) -> Iterator[Problem]:
    least, most = declared.get("minimum"), declared.get("maximum")
    if least is not None and value < least:
        yield Problem(path, f"Number must be greater than or equal to {least}.")
    if most is not None and value > most:
        yield Problem(path, f"Number must be less than or equal to {most}.")
