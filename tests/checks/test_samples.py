"""Arguments that nobody gave: from the schema where it has them, else made up and said to be."""

from __future__ import annotations

import pytest

from mcp_apps_plugin.checks.samples import sample_arguments

CITY = {"type": "string"}


@pytest.mark.parametrize(
    ("properties", "required", "given", "made_up"),
    [
        ({}, [], {}, False),
        ({"city": CITY}, [], {}, False),
        ({"city": CITY}, ["city"], {"city": "example"}, True),
        ({"city": {**CITY, "examples": ["Oslo"]}}, ["city"], {"city": "Oslo"}, False),
        ({"city": {**CITY, "enum": ["Rome"]}}, ["city"], {"city": "Rome"}, False),
        # A page may draw what its tool was called with.
        ({"city": {**CITY, "default": "Bern"}}, [], {"city": "Bern"}, False),
        ({"city": {**CITY, "examples": ["Oslo"], "default": "Bern"}}, [], {"city": "Oslo"}, False),
        ({"city": {"anyOf": [CITY, {"type": "null"}], "default": None}}, [], {}, False),
        ({"city": {"$ref": "#/$defs/City"}}, [], {"city": "Lima"}, False),
        ({"n": {"type": "integer", "minimum": 5}}, ["n"], {"n": 5}, True),
        ({"day": {"type": "string", "format": "date"}}, ["day"], {"day": "2026-01-26"}, True),
    ],
)
def test_samples(properties, required, given, made_up):
    """Required parameters always have a value, others where the schema says one."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "$defs": {"City": {**CITY, "default": "Lima"}},
    }
    assert sample_arguments(schema) == (given, made_up)
