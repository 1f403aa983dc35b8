"""One check from beginning to end: connect, record, judge, call, open in a browser."""

from __future__ import annotations

import re
import time
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from mcp import MCPError

from mcp_apps_plugin.checks.across import compare
from mcp_apps_plugin.checks.calls import Called, CallPlan, call_tools, judge_call, writing
from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.checks.connect import apps_client, connected, era_of
from mcp_apps_plugin.checks.questions import Questions
from mcp_apps_plugin.checks.report import CheckReport, merged, ordered
from mcp_apps_plugin.checks.rules import judge
from mcp_apps_plugin.checks.snapshot import Apps, Era, Snapshot, take_snapshot
from mcp_apps_plugin.checks.surface import Surface, make_surface
from mcp_apps_plugin.protocol.findings import AppsConfigurationError, Finding, sentence
from mcp_apps_plugin.protocol.versioned import unversioned
from mcp_apps_plugin.server.audit import audit
from mcp_apps_plugin.server.shaping import listeners
from mcp_apps_plugin.server.survey import survey
from mcp_apps_plugin.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from fastmcp import Client, FastMCP

    from mcp_apps_plugin.checks.browser.visit import Visit
    from mcp_apps_plugin.checks.codes import HostName
    from mcp_apps_plugin.checks.page_source import PageSource
    from mcp_apps_plugin.host.elicitation import ElicitationHandler
    from mcp_apps_plugin.plugins.registry import Registry
    from mcp_apps_plugin.protocol.findings import Severity

KINDS: tuple[tuple[Era, Apps], ...] = (
    ("modern", "apps"),
    ("modern", "none"),
    ("legacy", "apps"),
    ("legacy", "none"),
)
"""The clients that a check looks with."""

SECOND_ERA_READS: Final = 64
"""How many pages are read again in the second era; of more, this many are taken evenly."""

ALL_KINDS: tuple[tuple[Era, Apps], ...] = tuple(
    (era, apps) for era in ("modern", "legacy") for apps in ("apps", "none", "wrong-mime")
)
"""The clients that a contract holds for."""


@dataclass(slots=True, kw_only=True)
class Options:
    """How to check.

    Attributes:
        hosts: The hosts whose own demands count.
        plan: Which tools to call.
        kinds: The clients to look with.
        browser: Whether to open each page in Chromium.
        elicitation: Answers the server's questions during calls, in the place of the plan.
        budget: The page and result size above which some hosts refuse; default from the settings.
        empty: How much it weighs that there is nothing to look at: no page, or no result as no
            arguments are known.
        wrote: The tools of this server that somebody called before and that may have written.
        url: The server's address.
        headers: What is sent with each request to an address.
        seconds: How long to wait for a connection, and for each answer but that to a call.
    """

    hosts: frozenset[HostName] = frozenset()
    plan: CallPlan = field(default_factory=CallPlan)
    kinds: Sequence[tuple[Era, Apps]] = KINDS
    browser: bool = False
    elicitation: ElicitationHandler | None = None
    budget: int = field(default_factory=lambda: read_settings().page_budget)
    empty: Severity = "warning"
    wrote: tuple[str, ...] = ()
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    seconds: float = 60.0


@dataclass(slots=True)
class Recording:
    """What was recorded of one server.

    Attributes:
        snapshots: What each kind of client was told.
        surfaces: Those of them whose pages were read.
        calls: What came of calling tools, by era.
        skipped: Why other tools were not called, by name.
        visits: What came of opening pages.
        findings: What was found while connecting.
    """

    snapshots: list[Snapshot] = field(default_factory=list[Snapshot])
    surfaces: list[Surface] = field(default_factory=list[Surface])
    calls: dict[str, list[Called]] = field(default_factory=dict[str, "list[Called]"])
    skipped: dict[str, str] = field(default_factory=dict[str, str])
    visits: list[Visit] = field(default_factory=list["Visit"])
    findings: list[Finding] = field(default_factory=list[Finding])

    def judged(self, options: Options) -> list[Finding]:
        """Apply every rule."""
        alone = options.elicitation is None and options.plan.answers is None
        told = list(compare(self.snapshots, empty=options.empty)) if self.snapshots else []
        listed = merged({f"{s.snapshot.era} client": judge(s) for s in self.surfaces})
        called = merged(
            {
                f"{era} client": [
                    finding
                    for each in calls
                    for finding in judge_call(each, options.budget, options.empty, alone=alone)
                ]
                for era, calls in self.calls.items()
            }
        )
        shown = [finding for visit in self.visits for finding in visit.findings()]
        return [*self.findings, *told, *listed, *called, *shown]


async def record(server: Any, options: Options) -> Recording:
    """Look at a server with every kind of client.

    Args:
        server: Anything that `fastmcp.Client` takes.
        options: How to check.
    """
    recording = Recording()
    with _texts(recording):
        await _record(recording, server, options)
    return recording


@contextmanager
def _texts(recording: Recording) -> Generator[None]:
    """Hear of texts that could not be made: a client of the server cannot see that one failed."""
    failed: list[Finding] = []
    listener = failed.append
    listeners.append(listener)
    try:
        yield
    finally:
        listeners.remove(listener)
        recording.findings += dict.fromkeys(failed)


async def _record(recording: Recording, server: Any, options: Options) -> None:
    sources: dict[str, PageSource] = {}
    questions: Questions | None = None
    if options.elicitation is None and options.plan.answers is not None:
        questions = Questions(options.plan.answers)
    seen: set[tuple[Era, Apps]] = set()
    for era, apps in options.kinds:
        client = apps_client(
            server,
            era=era,
            apps=apps,
            elicitation=options.elicitation if questions is None else questions,
            headers=options.headers,
            timeout=options.seconds,
            init_timeout=options.seconds,
        )
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(connected(client))
                kind = (era_of(client), apps)
                if kind in seen:
                    continue  # the server knows only one of the eras
                seen.add(kind)
                snapshot = await take_snapshot(client, *kind, max_reads=_reads(recording, apps))
            except AppsConfigurationError as error:
                recording.findings += error.findings
                break  # it starts for nobody
            except Exception as error:  # noqa: BLE001  whatever a transport raises
                recording.findings.append(_unreachable(era, error, options))
                if not recording.snapshots:
                    break
                continue
            recording.snapshots.append(snapshot)
            if snapshot.apps == "apps":
                await _look_closer(
                    recording, client, snapshot, options, sources, questions=questions
                )


def _reads(recording: Recording, apps: Apps) -> int | None:
    """How many pages a client reads: those of the second era only tell whether it differs."""
    if apps != "apps":
        return 0
    return SECOND_ERA_READS if recording.surfaces else None


async def _look_closer(
    recording: Recording,
    client: Client[Any],
    snapshot: Snapshot,
    options: Options,
    sources: dict[str, PageSource],
    *,
    questions: Questions | None,
) -> None:
    surface = await make_surface(
        snapshot, hosts=options.hosts, url=options.url, budget=options.budget, sources=sources
    )
    recording.surfaces.append(surface)
    plan = options.plan.wanted(snapshot.tools, surface.ui_tools)
    # What was found to ask in the first era is not bothered in the second.
    wanted = [each for each in plan.calls if each.tool.name not in recording.skipped]
    recording.skipped |= plan.skipped
    earlier = [each for calls in recording.calls.values() for each in calls]
    wrote = (*options.wrote, *writing(earlier))
    await call_tools(client, wanted, questions, snapshot.era, tuple(dict.fromkeys(wrote)))
    failed = {each.tool.name: each for each in earlier if each.failed}
    for each in wanted:
        if each.tool.name in failed:  # what came between is not why it fails
            each.after = failed[each.tool.name].after
    asking = [each.tool.name for each in wanted if each.asks is not None and not each.named]
    recording.skipped |= dict.fromkeys(asking, "asks the user, and no `--answer` is given")
    recording.calls[snapshot.era] = [each for each in wanted if each.tool.name not in asking]
    if options.browser and not recording.visits:
        from mcp_apps_plugin.checks.browser.visit import visit_pages  # noqa: PLC0415  an extra

        recording.visits += await visit_pages(client, surface, recording.calls[snapshot.era])


def _unreachable(era: Era, error: Exception, options: Options) -> Finding:
    said = error.message if isinstance(error, MCPError) else f"{type(error).__name__}: {error}"
    return found(
        CheckCode.SERVER_UNREACHABLE,
        f"server for a {era} client",
        f"could not be looked at: {sentence(' '.join(said.split())[:400])}",
        "Nothing about it is known.",
        "Start it, and see whether any MCP client can list its tools."
        if options.url is None
        else "See whether it runs, whether this is its MCP endpoint (often `/mcp`), and whether it "
        "asks for authorization (`--header`).",
    )


@dataclass(slots=True)
class Examined:
    """A check with everything it is made of.

    Attributes:
        report: The report.
        recording: What was recorded; empty when the server could not be reached.
        registry: What the server's author declared, for servers of this process.
    """

    report: CheckReport
    recording: Recording
    registry: Registry | None = None


async def examine(
    server: FastMCP[Any] | str, options: Options | None = None, *, surveyed: bool = False
) -> Examined:
    """Check a server and keep what was recorded.

    Args:
        server: A FastMCP server of this process, or the address of any other.
        options: How to check.
        surveyed: Whether to keep what the author declared as well.
    """
    started = time.perf_counter()
    chosen = options or Options()
    if isinstance(server, str):
        chosen = replace(chosen, url=chosen.url or server)
        recording = await record(server, chosen)
        found_there = recording.judged(chosen)
        return Examined(_report(server, recording, found_there, started), recording)
    registry = await survey(server) if surveyed else None
    declared = (await audit(server)).findings
    recording = await record(server, chosen)
    findings = joined(declared, recording.judged(chosen))
    return Examined(_report(server.name, recording, findings, started), recording, registry)


async def check_url(url: str, options: Options | None = None) -> CheckReport:
    """Check a server in any language by its address.

    Args:
        url: Its MCP endpoint.
        options: How to check.
    """
    return (await examine(url, options)).report


async def check_server(server: FastMCP[Any], options: Options | None = None) -> CheckReport:
    """Check a FastMCP server of this process: its audit, and what its clients are told.

    Args:
        server: The server. It is connected to in memory, so its lifespan runs.
        options: How to check.
    """
    return (await examine(server, options)).report


def joined(declared: Iterable[Finding], seen: Iterable[Finding]) -> list[Finding]:
    """Put the audit's findings and those from outside together, each fault once.

    The audit has the better words, as it knows the author's objects. From outside a fault may
    weigh more: the audit is lenient where nothing of this package was used.
    """
    known = list(declared)
    added: list[Finding] = []
    for finding in seen:
        if finding.code == CheckCode.PAGE_READ and any(f.problem in finding.problem for f in known):
            continue  # the server's answer quotes what the audit found
        about = re.compile(rf"{re.escape(_about(finding.subject))}(?![\w/?#.~%-])")
        same = [
            place
            for place, other in enumerate(known)
            if other.code == finding.code and about.search(f"{other.subject} {other}")
        ]
        if not same:
            added.append(finding)
        for place in same:
            if finding.severity == "error":
                known[place] = replace(known[place], severity="error")
    return known + added


def _about(subject: str) -> str:
    """The tool's quoted name, or the page's address."""
    return unversioned(subject.removeprefix("page ").removeprefix("tool "))


def _report(
    target: str, recording: Recording, findings: Iterable[Finding], started: float
) -> CheckReport:
    last = recording.surfaces[0] if recording.surfaces else None
    return CheckReport(
        target=target,
        findings=ordered(findings),
        tools=max((len(shot.tools) for shot in recording.snapshots), default=0),
        ui_tools=len(last.ui_tools) if last else 0,
        pages=len(last.pages) if last else 0,
        called=tuple(
            dict.fromkeys(c.tool.name for calls in recording.calls.values() for c in calls)
        ),
        skipped=tuple(recording.skipped.items()),
        clients=tuple(shot.seen_by for shot in recording.snapshots),
        visits=tuple(recording.visits),
        seconds=time.perf_counter() - started,
    )
