"""What a check found, and how it looks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.protocol.findings import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_apps_plugin.checks.browser.visit import Visit
    from mcp_apps_plugin.protocol.findings import Finding

_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found.

    Attributes:
        target: The server's name or address.
        artifact: The file it is made in, where that is known.
        findings: Everything, errors first.
        tools: How many tools it lists.
        ui_tools: How many of them take part in MCP Apps.
        pages: How many pages were read.
        called: The tools that were called.
        skipped: Those in MCP Apps that were not, each with the reason.
        clients: The kinds of client that looked, in words.
        visits: What came of opening pages in a browser.
        seconds: How long it took.
    """

    target: str
    findings: tuple[Finding, ...]
    tools: int = 0
    ui_tools: int = 0
    pages: int = 0
    called: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    clients: tuple[str, ...] = ()
    visits: tuple[Visit, ...] = ()
    seconds: float = 0.0
    artifact: str | None = None

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What no host, or an important one, would forgive."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What some host would not forgive."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    @property
    def looked_at(self) -> str:
        """What was looked at, in one line."""
        return (
            f"Looked at {counted(self.tools, 'tool')}, {self.ui_tools} in MCP Apps, "
            f"{counted(self.pages, 'page')}, {len(self.called)} called, "
            f"{counted(len(self.clients), 'kind')} of client, {self.seconds:.1f} s."
        )

    def __str__(self) -> str:
        lines = "".join(
            f"\n  {finding.severity}: {finding}" + (f"\n    {same}" if same else "")
            for finding, same in grouped(self.findings)
        )
        shown = "".join(f"\n  {visit}" for visit in self.visits)
        found = f"{counted(len(self.errors), 'error')}, {counted(len(self.warnings), 'warning')}."
        said = found if self.findings else "nothing to say."
        skipped = "".join(f"\n  {line}" for line in not_called(self.skipped))
        report = f"{said}{lines}{shown}\n  {self.looked_at}{skipped}"
        return f"MCP Apps: server {self.target!r}: {report}"


def not_called(skipped: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Say which tools were not called, in one line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in skipped:
        by_reason.setdefault(reason, []).append(f"`{name}`")
    for reason, names in by_reason.items():
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        yield f"Not called: {', '.join(names[:_SHOWN])}{more} ({reason})."


def counted(number: int, what: str) -> str:
    """Say how many there are of something."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return each finding once, errors first."""
    return tuple(sorted(dict.fromkeys(findings), key=lambda finding: finding.severity != "error"))


def merged(by_client: Mapping[str, Iterable[Finding]]) -> list[Finding]:
    """Put together what was found for several clients.

    What was found for all of them is said once; anything else says for whom it holds.

    Args:
        by_client: The findings by kind of client.
    """
    found_for: dict[Finding, list[str]] = {}
    for client, findings in by_client.items():
        for finding in dict.fromkeys(findings):
            found_for.setdefault(finding, []).append(client)
    return [
        finding
        if len(clients) == len(by_client)
        else replace(finding, problem=f"{finding.problem} (For a {' and a '.join(clients)}.)")
        for finding, clients in found_for.items()
    ]
