"""One assertion for a whole server: everything that hosts would not forgive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from fastmcp import FastMCP

from mcp_apps_plugin.checks.calls import CallPlan
from mcp_apps_plugin.checks.codes import RULES
from mcp_apps_plugin.checks.connect import is_server
from mcp_apps_plugin.checks.report import counted, ordered
from mcp_apps_plugin.checks.run import ALL_KINDS, Options, joined, record
from mcp_apps_plugin.protocol.findings import Code
from mcp_apps_plugin.server.audit import audit
from mcp_apps_plugin.testing.clients import elicitation_handler
from mcp_apps_plugin.view import PAGE_PROBLEM_CODES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcp_apps_plugin.checks.codes import HostName
    from mcp_apps_plugin.protocol.findings import Finding

_CODES: Final = frozenset({*RULES, *Code, *PAGE_PROBLEM_CODES})
NAMESPACE = "mounted"
"""The namespace that a server is mounted under, to see whether its links and names survive."""


@dataclass(frozen=True, slots=True)
class ContractReport:
    """What came of looking at a server from all sides.

    Attributes:
        server: Its name.
        findings: What is wrong, errors first.
        tools: The tools that take part in MCP Apps.
        pages: The pages that were read.
        called: The tools that were called.
        skipped: Those that were not, each with the reason.
        clients: The kinds of client it was looked at with.
        strict: Whether warnings count.
    """

    server: str
    findings: tuple[Finding, ...]
    tools: tuple[str, ...]
    pages: tuple[str, ...]
    called: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    clients: tuple[str, ...]
    strict: bool = False

    @property
    def broken(self) -> tuple[Finding, ...]:
        """What breaks the contract."""
        return tuple(f for f in self.findings if self.strict or f.severity == "error")

    def __str__(self) -> str:
        broken = counted(len(self.broken), "finding")
        breaks = f"{broken} {'breaks' if len(self.broken) == 1 else 'break'} it"
        kept = breaks if self.broken else "it holds"
        lines = "".join(f"\n  {f.severity}: {f}" for f in self.findings)
        skipped = "".join(f"\n  not called: {name}, {why}" for name, why in self.skipped)
        looked = (
            f"\n  tools: {', '.join(self.tools) or 'none'}"
            f"\n  pages: {', '.join(self.pages) or 'none'}"
            f"\n  called: {', '.join(self.called) or 'none'}{skipped}"
            f"\n  clients: {', '.join(self.clients) or 'none'}"
        )
        return f"app contract of {self.server!r}: {kept}{lines}{looked}"


class AppContractError(AssertionError):
    """A server breaks the contract. The message is the report.

    Attributes:
        report: The report.
    """

    def __init__(self, report: ContractReport) -> None:
        super().__init__(str(report))
        self.report = report


async def assert_app_contract(
    server: Any,
    *,
    arguments: Mapping[str, dict[str, Any]] | None = None,
    skip: Collection[str] = (),
    elicitation: Any = None,
    hosts: Collection[HostName] = (),
    ignore: Collection[str] = (),
    mounted: bool = True,
    strict: bool = False,
) -> ContractReport:
    """Assert that every tool with a page works in every host.

    Six kinds of client look at the server: both protocol eras, with MCP Apps, without, and with
    another MIME type. Every link is followed and every page read, every tool that takes part is
    called; then all of it again with the server mounted under a namespace. What would keep a
    server of this process from starting breaks the contract as well.

    Args:
        server: A FastMCP server, or anything that `fastmcp.Client` takes; a server that cannot be
            mounted is looked at as it is.
        arguments: What to call tools with, by name. A tool that is not named is called with what
            its schema says (`examples`, `default`, `enum`) or with something made up.
        skip: Tools that must not be called. One that is marked as destructive is not, unless it
            stands in `arguments`.
        elicitation: Answers questions during calls; see `open_client`.
        hosts: Hosts whose own demands count too.
        ignore: Codes that are known and accepted.
        mounted: Whether to look at it mounted as well.
        strict: Whether warnings break the contract.

    Returns:
        The report, of a contract that holds.

    Raises:
        AppContractError: The contract is broken, or there is nothing it could hold for.
        ValueError: `ignore` or `arguments` names something that there is not.
    """
    report = await check_app_contract(
        server,
        arguments=arguments,
        skip=skip,
        elicitation=elicitation,
        hosts=hosts,
        ignore=ignore,
        mounted=mounted,
        strict=strict,
    )
    if report.broken:
        raise AppContractError(report)
    return report


async def check_app_contract(
    server: Any,
    *,
    arguments: Mapping[str, dict[str, Any]] | None = None,
    skip: Collection[str] = (),
    elicitation: Any = None,
    hosts: Collection[HostName] = (),
    ignore: Collection[str] = (),
    mounted: bool = True,
    strict: bool = False,
) -> ContractReport:
    """Look at a server as `assert_app_contract` does, and only report."""
    plan = CallPlan(arguments=arguments or {}, skip=frozenset(skip), policy="all", answers=None)
    options = Options(
        hosts=frozenset(hosts),
        plan=plan,
        kinds=ALL_KINDS,
        elicitation=elicitation_handler(elicitation),
        empty="error",
    )
    plain = await record(server, options)
    seen = {"plain server": plain.judged(options)}
    tools = {tool.name: tool for surface in plain.surfaces for tool in surface.ui_tools}
    listed = {tool.name for shot in plain.snapshots for tool in shot.tools}
    missing = sorted({*plan.arguments, *plan.skip} - listed) if listed else []
    if missing:
        message = f"the server lists no tool {', '.join(missing)}"
        raise ValueError(message)
    if mounted and is_server(server):
        seen[f"server mounted under {NAMESPACE!r}"] = await _mounted(server, options)
    declared = (await audit(server)).findings if is_server(server) else ()
    findings = joined(declared, _told_apart(seen))
    unknown = sorted(set(ignore) - _CODES - {str(finding.code) for finding in findings})
    if unknown:
        message = f"`ignore` names no rule: {', '.join(unknown)}"
        raise ValueError(message)
    findings = [finding for finding in findings if str(finding.code) not in ignore]
    return ContractReport(
        server=server.name if is_server(server) else str(server),
        findings=ordered(findings),
        tools=tuple(tools),
        pages=tuple(dict.fromkeys(uri for s in plain.surfaces for uri in s.pages)),
        called=tuple(dict.fromkeys(c.tool.name for cs in plain.calls.values() for c in cs)),
        skipped=tuple(plain.skipped.items()),
        clients=tuple(shot.seen_by for shot in plain.snapshots),
        strict=strict,
    )


async def _mounted(server: FastMCP[Any], options: Options) -> list[Finding]:
    outer: FastMCP[Any] = FastMCP(f"{server.name} mounted")
    outer.mount(server, namespace=NAMESPACE)
    plan = replace(
        options.plan,
        arguments={f"{NAMESPACE}_{name}": given for name, given in options.plan.arguments.items()},
        skip=frozenset(f"{NAMESPACE}_{name}" for name in options.plan.skip),
    )
    given = replace(options, plan=plan)
    return (await record(outer, given)).judged(given)


def _told_apart(seen: dict[str, list[Finding]]) -> list[Finding]:
    """Say each fault once; what only the mounted server has is said for it.

    A fault of the plain server is one of the mounted server too, under other names.
    """
    (_, plain), *others = seen.items()
    codes = {finding.code for finding in plain}
    found = list(plain)
    for name, findings in others:
        found += [
            replace(finding, problem=f"{finding.problem} (Only as a {name}.)")
            for finding in findings
            if finding.code not in codes
        ]
    return found
