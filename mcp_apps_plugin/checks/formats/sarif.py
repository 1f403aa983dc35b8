"""A report as SARIF 2.1.0, which code hosts show beside a change."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mcp_apps_plugin.checks.codes import RULES

if TYPE_CHECKING:
    from mcp_apps_plugin.checks.report import CheckReport
    from mcp_apps_plugin.protocol.findings import Finding

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(report: CheckReport) -> str:
    """Write a report as SARIF."""
    codes = list(dict.fromkeys(str(finding.code) for finding in report.findings))
    driver = {
        "name": "mcp-apps check",
        "semanticVersion": _version(),
        "rules": [_rule(code, report) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(f, codes, report.artifact or report.target) for f in report.findings],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=False, indent=2)


def _version() -> str:
    try:
        return version("mcp-apps-plugin")
    except PackageNotFoundError:  # run from a source tree
        return "0.0.0"


def _rule(code: str, report: CheckReport) -> dict[str, Any]:
    known = RULES.get(code)
    first = next(finding for finding in report.findings if finding.code == code)
    return {
        "id": code,
        "shortDescription": {"text": known.title if known else first.consequence},
        "help": {"text": f"docs/reference/{'checks' if known else 'errors'}.md#{code}"},
        "defaultConfiguration": {"level": known.severity if known else first.severity},
    }


def _result(finding: Finding, codes: list[str], target: str) -> dict[str, Any]:
    code = str(finding.code)
    return {
        "ruleId": code,
        "ruleIndex": codes.index(code),
        "level": finding.severity,
        "message": {
            "text": f"{finding.subject}: {finding.problem} {finding.consequence} {finding.remedy}"
        },
        "locations": [
            {
                "physicalLocation": _physical(finding, target),
                "logicalLocations": [{"fullyQualifiedName": finding.subject}],
            }
        ],
    }


def _physical(finding: Finding, target: str) -> dict[str, Any]:
    """Where code hosts show a finding: the line it is written in, or else the server's file."""
    file, _, line = finding.place.rpartition(":")
    if not file or not line.isdecimal():
        return {"artifactLocation": {"uri": _artifact(target)}}
    path = Path(file)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": int(line)}}


def _artifact(target: str) -> str:
    """What stands for the server's source: its file or address. A name is no reference."""
    return target if "/" in target or "." in target else f"mcp-server:{target.replace(' ', '-')}"
