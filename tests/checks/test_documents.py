"""The tables of docs/ are whole, and name tests and codes that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mcp_apps_plugin.checks.codes import RULES
from mcp_apps_plugin.protocol.findings import Code
from mcp_apps_plugin.view import PAGE_PROBLEM_CODES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CONFORMANCE = (DOCS / "reference/conformance.md").read_text(encoding="utf-8")
FAULTS = (DOCS / "explanation/faults.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([SHPV]\d+) \| ([^|]+) \| ([^|]+) \| (.+) \|$", CONFORMANCE, re.MULTILINE)
#: The requirements of the specification, by side; 18 and 19 of the server were never given out.
EXPECTED = [
    *(f"S{n}" for n in (*range(1, 18), *range(20, 32))),
    *(f"H{n}" for n in range(1, 49)),
    *(f"P{n}" for n in range(1, 8)),
    *(f"V{n}" for n in range(1, 16)),
]
_PYTHON = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_SCRIPT = re.compile(r"`(tests/view/js/[\w/.]+\.mjs)`: \"([^\"]+)\"")


def test_every_requirement_has_its_row():
    """Each of them once, in order, with what shows it or the reason."""
    assert [row[0] for row in ROWS] == EXPECTED
    assert [row for row in ROWS if len(row[3]) < 20] == []


def test_what_must_hold_is_shown_by_a_test():
    """A row without a test says why: it is optional, or another's."""
    bare = [row[0] for row in ROWS if not _PYTHON.search(row[3]) and not _SCRIPT.search(row[3])]
    assert bare == ["S8", "S14", "H3", "H13", "H45", "V3", "V15"]


@pytest.mark.parametrize("text", [CONFORMANCE, FAULTS], ids=["conformance", "faults"])
def test_named_tests_are_there(text):
    """The file has a test of that name, or with that title."""
    missing = [
        f"{file}::{name}"
        for file, name in _PYTHON.findall(text)
        if not (ROOT / file).is_file()
        or not re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE)
    ]
    missing += [
        f"{file}: {title}"
        for file, title in _SCRIPT.findall(text)
        if f'"{title}"' not in (ROOT / file).read_text("utf-8")
    ]
    assert missing == []


def test_named_codes_are_there():
    """Every code in the table of faults is one of a rule, and its link leads to its heading."""
    linked = re.findall(r"\[`([a-z-]+)`\]\(\.\./reference/(\w+)\.md#([a-z-]+)\)", FAULTS)
    assert len(linked) > 20
    for code, page, anchor in linked:
        assert code == anchor
        known = {*RULES} if page == "checks" else {*Code, *PAGE_PROBLEM_CODES}
        assert code in known, code


def test_every_fault_has_a_rule_or_a_fix():
    """No row of the table without one of the two."""
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \| (.+) \|$", FAULTS, re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
    assert [row for row in rows if "](../" not in row[2] and "::" not in row[2]] == []
