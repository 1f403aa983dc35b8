"""Reports for machines: SARIF, JUnit and JSON, with names that break none of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mcp_apps_plugin.checks.codes import RULES, CheckCode, found
from mcp_apps_plugin.checks.formats import WRITERS
from mcp_apps_plugin.checks.report import CheckReport, merged, ordered

NASTY = "tool '<&\"\x00]]>é'"
FINDINGS = ordered(
    [
        found(CheckCode.LINK_FLAT, NASTY, "is old.", "Nothing shows.", "Correct it."),
        found(CheckCode.PAGE_URI, NASTY, "is wrong.", "Nothing shows.", "Correct it."),
    ]
)
REPORT = CheckReport("A & B", FINDINGS, tools=2, ui_tools=1, pages=1, artifact="server.py")


def test_errors_come_first():
    """And each finding once."""
    assert [f.severity for f in ordered([*FINDINGS[::-1], *FINDINGS])] == ["error", "warning"]


def test_junit_is_xml_with_a_case_for_each_rule():
    """An error is a failure; a warning is output of a case that passes."""
    suite = ET.fromstring(WRITERS["junit"](REPORT)).find("testsuite")
    assert (int(suite.get("tests")), suite.get("failures")) == (len(RULES), "1")
    cases = {case.get("name"): case for case in suite}
    assert "is wrong." in cases["page-uri"].find("failure").text
    assert "is old." in cases["link-flat"].find("system-out").text
    assert len(cases["tool-name"]) == 0


def test_sarif_has_rules_levels_and_places():
    """What code hosts need to show a finding."""
    document = json.loads(WRITERS["sarif"](REPORT))
    (run,) = document["runs"]
    assert document["version"] == "2.1.0"
    assert [r["level"] for r in run["results"]] == ["error", "warning"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]
        assert place["physicalLocation"]["artifactLocation"]["uri"] == "server.py"
        assert place["logicalLocations"] == [{"fullyQualifiedName": NASTY}]


@pytest.mark.parametrize(
    ("place", "uri", "line"),
    [
        ("{here}/my server.py:7", "my%20server.py", 7),
        ("/elsewhere/server.py:7", "file:///elsewhere/server.py", 7),
        ("", "server.py", None),
        ("<stdin>", "server.py", None),
    ],
)
def test_sarif_points_at_the_line_where_it_is_known(place, uri, line, tmp_path, monkeypatch):
    """Files below the working folder are relative to it, as code hosts know them."""
    monkeypatch.chdir(tmp_path)
    finding = replace(FINDINGS[0], place=place.format(here=Path.cwd()))
    report = replace(REPORT, findings=(finding,))
    (result,) = json.loads(WRITERS["sarif"](report))["runs"][0]["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == uri
    assert physical.get("region") == (None if line is None else {"startLine": line})


def test_json_has_every_field():
    """Counts, and findings with all they have."""
    read = json.loads(WRITERS["json"](REPORT))
    assert (read["server"], read["errors"], read["warnings"]) == ("A & B", 1, 1)
    assert read["findings"][0]["code"] == "page-uri"


def test_text_is_for_people():
    """Errors first, then what was looked at."""
    lines = WRITERS["text"](REPORT).splitlines()
    assert lines[0] == "MCP Apps: server 'A & B': 1 error, 1 warning."
    assert lines[-1].startswith("  Looked at 2 tools, 1 in MCP Apps, 1 page")


def test_one_fault_of_many_objects_is_one_line_for_people():
    """The first few are named and the others counted; machines get each."""
    missing = "has no `openai/outputTemplate` in its `_meta`."
    many = [
        found(CheckCode.HOST_DIALECT, f"tool 'tool_{n}'", missing, "Nothing.", "Add it.")
        for n in range(1000)
    ]
    other = found(CheckCode.HOST_DIALECT, "tool 'tool_7'", "is odd.", "Nothing.", "Add it.")
    report = replace(REPORT, findings=(*many[:500], other, *many[500:]))
    first, one, same, odd, _ = WRITERS["text"](report).splitlines()
    assert first.endswith(" 0 errors, 1001 warnings.")
    assert one == f"  warning: tool 'tool_0': {missing} Nothing. Add it. [host-dialect]"
    assert same == "    The same of tool 'tool_1', tool 'tool_2' and 997 more."
    assert odd.startswith("  warning: tool 'tool_7': is odd.")
    assert len(json.loads(WRITERS["json"](report))["findings"]) == 1001
    assert len(json.loads(WRITERS["sarif"](report))["runs"][0]["results"]) == 1001
    assert WRITERS["junit"](report).count("[host-dialect]") == 1001


@pytest.mark.parametrize("number", [2, 3, 4])
def test_a_few_objects_are_all_named(number):
    """Nothing is counted that could be named as briefly."""
    few = [
        found(CheckCode.PAGE_URI, f"page ui://a/{n}", "is.", "So.", "Do.") for n in range(number)
    ]
    said = WRITERS["text"](replace(REPORT, findings=tuple(few)))
    assert [f"ui://a/{n}" in said for n in range(number)] == [True] * number
    assert "more" not in said


def test_what_holds_for_all_is_said_once():
    """What holds for one kind of client says for which."""
    first, second = FINDINGS
    told = merged({"modern client": [first, second], "legacy client": [first]})
    assert told[0] == first
    assert told[1].problem == "is old. (For a modern client.)"
