"""`mcp-apps check`: what the audit says about a server, without starting it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Annotated, Literal

from cyclopts import Parameter

from mcp_apps_plugin.cli.load import ServerSpec, load_server
from mcp_apps_plugin.server.audit import audit


def check(
    server: ServerSpec,
    *,
    format: Annotated[  # noqa: A002  the option's name
        Literal["text", "json"], Parameter(help="How to print the findings.")
    ] = "text",
    strict: Annotated[
        bool, Parameter(help="Warnings count as errors for the exit code.", negative=())
    ] = False,
) -> int:
    """Look a server over and list everything that is wrong with its tools and pages.

    Exits with 1 when there are errors. The server is loaded, not started.
    """
    report = asyncio.run(audit(load_server(server)))
    if format == "json":
        found = {
            "server": report.server,
            "errors": len(report.errors),
            "warnings": len(report.warnings),
            "findings": [dataclasses.asdict(finding) for finding in report.findings],
        }
        print(json.dumps(found, ensure_ascii=False, indent=2))  # noqa: T201
    else:
        print(report)  # noqa: T201
    return int(bool(report.errors or (strict and report.warnings)))
