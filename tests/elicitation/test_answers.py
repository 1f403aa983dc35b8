"""Answers are held to their form: defaults first, nothing coerced, no value repeated."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_apps_plugin.protocol.answers import check_answer
from mcp_apps_plugin.protocol.formats import FORMATS


def problems(content: Any, required: tuple[str, ...] = (), **properties: Any) -> list[str]:
    """Check a content against properties; return what is wrong."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return [str(each) for each in check_answer(content, schema)[1]]


STRING = {"type": "string"}
TITLED = [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]


@pytest.mark.parametrize(
    ("declared", "value", "message"),
    [
        (STRING, 7, "Expected a string."),
        (STRING, None, "Expected a string."),
        ({"type": "boolean"}, "true", "Expected a boolean."),
        ({"type": "boolean"}, 1, "Expected a boolean."),
        ({"type": "integer"}, "2", "Expected an integer."),
        ({"type": "integer"}, 2.5, "Expected an integer."),
        ({"type": "integer"}, True, "Expected an integer."),
        ({"type": "integer"}, float("inf"), "Expected an integer."),
        ({"type": "integer"}, None, "Expected an integer."),
        ({"type": "number"}, "2", "Expected a number."),
        ({"type": "number"}, False, "Expected a number."),
        ({"type": "number"}, float("nan"), "Expected a number."),
        ({"type": "string", "enum": ["a"]}, 1, "Expected a string choice."),
        ({"type": "string", "enum": ["a"]}, "z", "Value is not one of the allowed choices."),
        ({"type": "string", "oneOf": TITLED}, "z", "Value is not one of the allowed choices."),
        ({"type": "string", "const": "a"}, "z", "Value is not one of the allowed choices."),
        ({"type": "integer", "enum": [1]}, True, "Value is not one of the allowed choices."),
        ({"type": "array", "items": {"enum": ["a"]}}, "a", "Expected an array of string choices."),
        (
            {"type": "array", "items": {"enum": ["a"]}, "minItems": 1},
            [],
            "At least 1 choices must be selected.",
        ),
        (
            {"type": "array", "items": {"enum": ["a"]}, "maxItems": 1},
            ["a", "a"],
            "At most 1 choices may be selected.",
        ),
        ({**STRING, "minLength": 2}, "é", "String length must be at least 2 characters."),
        ({**STRING, "maxLength": 1}, "👍👍", "String length must be at most 1 characters."),
        ({**STRING, "format": "email"}, "kim", "String must match the 'email' format."),
        ({"type": "integer", "minimum": 1}, 0, "Number must be greater than or equal to 1."),
        ({"type": "number", "maximum": 1.5}, 2, "Number must be less than or equal to 1.5."),
        ({"type": "object"}, {}, "The requested schema type is not supported."),
        ({"anyOf": [STRING, {"type": "integer"}]}, True, "Expected a string."),
        ({"type": ["string", "null"]}, 1, "Expected a string."),
    ],
)
def test_what_does_not_fit(declared: dict[str, Any], value: Any, message: str) -> None:
    assert problems({"x": value}, x=declared) == [f"/content/x: {message}"]


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ({"type": "integer"}, 2.0),
        ({"type": "number"}, 2),
        ({**STRING, "maxLength": 1}, "👍"),
        ({**STRING, "format": "unknown"}, "anything"),
        ({"type": "string", "oneOf": TITLED}, "b"),
        ({"type": "array", "items": {"anyOf": TITLED}}, ["a", "b"]),
        ({"anyOf": [STRING, {"type": "null"}]}, None),
        ({"type": ["string", "null"]}, None),
        ({"anyOf": [{"type": "integer"}, STRING]}, "x"),
    ],
)
def test_what_fits(declared: dict[str, Any], value: Any) -> None:
    assert problems({"x": value}, x=declared) == []


def test_paths_are_json_pointers() -> None:
    assert problems({"a/b~c": 1, "days": ["mon", "x"]}, **{
        "a/b~c": STRING, "days": {"type": "array", "items": {"enum": ["mon"]}}
    }) == [
        "/content/a~1b~0c: Expected a string.",
        "/content/days/1: Value is not one of the allowed choices.",
    ]  # fmt: skip


def test_defaults_come_before_what_is_required() -> None:
    schema = {
        "properties": {"a": {**STRING, "default": "x"}, "b": {"type": "integer", "default": 2}},
        "required": ["a", "b"],
    }
    assert check_answer({}, schema) == ({"a": "x", "b": 2}, [])
    assert check_answer(None, schema) == ({"a": "x", "b": 2}, [])
    assert check_answer({"b": 3}, schema)[0] == {"a": "x", "b": 3}


def test_what_is_missing_and_what_is_too_much() -> None:
    assert problems({"z": 1}, ("a",), a=STRING) == [
        "/content/a: Required property is missing.",
        "/content/z: Property is not declared by the requested schema.",
    ]
    missing = "/content: Accepted elicitation results must include content."
    assert problems(None, ("a",), a=STRING) == [missing]
    assert problems([], ("a",), a=STRING) == [missing]
    assert problems(None) == []


def test_references_to_definitions_are_followed() -> None:
    schema = {
        "properties": {"c": {"$ref": "#/$defs/C", "default": "r"}},
        "$defs": {"C": {"enum": ["r"], "type": "string"}},
    }
    assert check_answer({}, schema) == ({"c": "r"}, [])
    assert len(check_answer({"c": "g"}, schema)[1]) == 1


GOOD = {
    "email": ["a@b", "kim.lee+x@mail.example.org", '"a b"@example.org', "ü@exämple.org"],
    "uri": ["https://example.org", "mailto:a@b", "urn:isbn:1", "ui://a/b"],
    "date": ["2026-02-28", "2024-02-29"],
    "date-time": [
        "2026-01-01T00:00:00Z",
        "2026-01-01t23:59:59.1234567890z",
        "2026-01-01T00:00:00+14:00",
        "2026-01-01T00:00:00-00:00",
    ],
}
BAD = {
    "email": ["", "a", "@b", "a@", "a b@c", "a@b c", "Kim <a@b>", "a..b@c", "a@b,c@d"],
    "uri": ["", "example.org", "/path", "https://", "http:// x", "://x", "https:///path"],
    "date": ["2026-02-29", "2026-2-1", "2026-13-01", "20260101", "2026-01-01T", "0000-01-01"],
    "date-time": [
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00+14:01",
        "2026-01-01T00:00:00+1:00",
        "2026-02-30T00:00:00Z",
        "٢٠٢٦-01-01T00:00:00Z",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_formats(name: str) -> None:
    assert [value for value in GOOD[name] if not FORMATS[name](value)] == []
    assert [value for value in BAD[name] if FORMATS[name](value)] == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(
    value=VALUES,
    declared=st.sampled_from(
        [
            STRING,
            {**STRING, "format": "email", "minLength": 3},
            {"type": "integer", "minimum": 3},
            {"type": "number", "maximum": -1},
            {"type": "boolean"},
            {"type": "array", "items": {"enum": ["a"]}, "maxItems": 2},
            {"type": "string", "oneOf": TITLED},
        ]
    ),
)
def test_whatever_comes_is_judged_and_never_repeated(value: Any, declared: dict[str, Any]) -> None:
    for problem in check_answer({"x": value}, {"properties": {"x": declared}})[1]:
        assert problem.path.startswith("/content/x")
        if isinstance(value, str) and len(value) > 12:
            assert value not in problem.message
    check_answer(value, {"properties": {"x": declared}, "required": ["x"]})


@given(st.text())
def test_formats_take_any_text(text: str) -> None:
    for fits in FORMATS.values():
        assert fits(text) in {True, False}
