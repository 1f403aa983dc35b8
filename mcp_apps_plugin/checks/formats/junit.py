"""A report as JUnit XML, which every CI shows: one case for each rule."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from mcp_apps_plugin.checks.codes import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.checks.report import CheckReport
    from mcp_apps_plugin.protocol.findings import Finding

_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: CheckReport) -> str:
    """Write a report as JUnit XML. Warnings are output of a case that passes."""
    by_code: dict[str, list[Finding]] = {code: [] for code in RULES}
    for finding in report.findings:
        by_code.setdefault(str(finding.code), []).append(finding)
    failures = sum(_fails(found) for found in by_code.values())
    suite = (
        f'<testsuites><testsuite name="mcp-apps check" tests="{len(by_code)}" '
        f'failures="{failures}" errors="0" skipped="0" time="{report.seconds:.3f}">'
    )
    cases = (line for code, found in by_code.items() for line in _case(report.target, code, found))
    declaration = '<?xml version="1.0" encoding="utf-8"?>'
    lines = [declaration, suite, *cases, "</testsuite></testsuites>"]
    return "\n".join(lines)


def _fails(findings: list[Finding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def _case(target: str, code: str, findings: list[Finding]) -> Iterator[str]:
    opening = f"<testcase classname={_attribute(target)} name={_attribute(code)}"
    if not findings:
        yield f"{opening}/>"
        return
    yield f"{opening}>"
    said = "\n".join(str(finding) for finding in findings)
    if _fails(findings):
        first = next(finding for finding in findings if finding.severity == "error")
        shown = _attribute(f"{first.subject}: {first.problem}")
        yield f"<failure type={_attribute(code)} message={shown}>{_text(said)}</failure>"
    else:
        yield f"<system-out>{_text(said)}</system-out>"
    yield "</testcase>"


def _attribute(text: str) -> str:
    return quoteattr(_NO_XML.sub("\ufffd", text))


def _text(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", text))
