"""One assertion for a whole server: everything that hosts would not forgive."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from fastmcp import FastMCP

from mcp_apps_plugin.checks.calls import CallPlan, writing
from mcp_apps_plugin.checks.codes import RULES
from mcp_apps_plugin.checks.connect import is_server
from mcp_apps_plugin.checks.report import counted, ordered
from mcp_apps_plugin.checks.run import ALL_KINDS, Options, joined, record
from mcp_apps_plugin.protocol.findings import Code
from mcp_apps_plugin.protocol.shapes import as_list
from mcp_apps_plugin.server.audit import audit
from mcp_apps_plugin.testing.clients import elicitation_handler
from mcp_apps_plugin.view import PAGE_PROBLEM_CODES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mcp_apps_plugin.checks.codes import HostName
    from mcp_apps_plugin.checks.run import Recording
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
    another MIME type. Every link is followed and every page read; then all of it again with the
    server mounted under a namespace. What would keep a server of this process from starting breaks
    the contract as well.

    Called are the tools that take part and are marked as read-only, and those that `arguments`
    names: each in both eras, plain and mounted, so up to four times. Any other may write, as MCP
    has it for tools that say nothing of themselves. It is not called, which the report says, and
    which breaks nothing.

    Args:
        server: A FastMCP server, or anything that `fastmcp.Client` takes; a server that cannot be
            mounted is looked at as it is.
        arguments: What to call tools with, by name. A tool that is named is called whatever it is
            marked as; those that may write come last, one at a time, in this order. A read-only
            tool that is not named is called with what its schema says (`examples`, `default`,
            `enum`) or with something made up.
        skip: Tools that must not be called.
        elicitation: Answers what tools ask their user: content that accepts every question, or
            a handler; see `open_client`. Without it there is no user, as in many hosts.
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
    plan = CallPlan(arguments=arguments or {}, skip=frozenset(skip), policy="made-up", answers=None)
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
        before = writing([each for calls in plain.calls.values() for each in calls])
        seen[f"server mounted under {NAMESPACE!r}"] = await _mounted(server, options, before)
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
        skipped=tuple(_not_called(plain)),
        clients=tuple(shot.seen_by for shot in plain.snapshots),
        strict=strict,
    )


def _not_called(plain: Recording) -> Iterator[tuple[str, str]]:
    """Name the tools that were not called, each with the reason and how it would be."""
    listed = {tool.name: tool for shot in plain.snapshots for tool in shot.tools}
    for name, reason in plain.skipped.items():
        tool = listed[name]
        if reason.startswith("skipped"):
            yield name, reason
            continue
        given = ", ".join(
            f'"{each}": …' for each in as_list(tool.input_schema.get("required")) or ()
        )
        yield name, f'{reason}; to have it called, say `arguments={{"{name}": {{{given}}}}}`'


async def _mounted(server: FastMCP[Any], options: Options, wrote: Sequence[str]) -> list[Finding]:
    outer: FastMCP[Any] = FastMCP(f"{server.name} mounted")
    outer.mount(server, namespace=NAMESPACE)
    plan = replace(
        options.plan,
        arguments={f"{NAMESPACE}_{name}": given for name, given in options.plan.arguments.items()},
        skip=frozenset(f"{NAMESPACE}_{name}" for name in options.plan.skip),
    )
    given = replace(options, plan=plan, wrote=tuple(dict.fromkeys(wrote)))
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
