"""A report as text, and as plain JSON."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mcp_apps_plugin.checks.report import CheckReport


def text(report: CheckReport) -> str:
    """Write a report for a terminal."""
    return str(report)


def json_text(report: CheckReport) -> str:
    """Write a report as JSON, with every finding's fields."""
    return json.dumps(
        {
            "server": report.target,
            "errors": len(report.errors),
            "warnings": len(report.warnings),
            "tools": report.tools,
            "uiTools": report.ui_tools,
            "pages": report.pages,
            "called": list(report.called),
            "notCalled": dict(report.skipped),
            "clients": list(report.clients),
            "seconds": round(report.seconds, 3),
            "findings": [dataclasses.asdict(finding) for finding in report.findings],
            "browser": [dataclasses.asdict(visit) for visit in report.visits],
        },
        ensure_ascii=False,
        indent=2,
    )
