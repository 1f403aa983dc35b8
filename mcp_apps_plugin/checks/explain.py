"""One tool's way to its page, step by step, with the first broken link marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.checks.codes import CheckCode
from mcp_apps_plugin.host.resolve import written_link
from mcp_apps_plugin.protocol.findings import Code
from mcp_apps_plugin.protocol.links import link_of, visibility_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.checks.run import Examined
    from mcp_apps_plugin.checks.surface import Page, Surface
    from mcp_apps_plugin.plugins.registry import ToolEntry
    from mcp_apps_plugin.protocol.findings import Finding

STEPS: Final = ("declare", "emit", "address", "read", "render")
"""The steps from a decorator to a page on the screen."""

_EMIT: Final = (
    Code.META_INVALID,
    Code.VISIBILITY_INVALID,
    Code.TOOL_PAGE_OPTIONS,
    Code.WRITERS_DISAGREE,
    CheckCode.LINK_CONFLICT,
    CheckCode.LINK_FLAT,
    CheckCode.META_WITHHELD,
    CheckCode.ERAS_DIFFER,
    CheckCode.CAPABILITY_MISSING,
)
_ADDRESS: Final = (
    Code.LINK_DANGLING,
    Code.PAGE_CONFLICT,
    Code.PAGE_HIDDEN,
    Code.NAME_AMBIGUOUS,
    CheckCode.PAGE_URI,
)
_READ: Final = (
    Code.PAGE_MIME,
    Code.PAGE_CONTENT,
    Code.PAGE_SIZE,
    Code.PAGE_OPTION_INVALID,
    Code.CSP_INVALID,
    Code.PERMISSIONS_INVALID,
    CheckCode.PAGE_READ,
    CheckCode.PAGE_DOCTYPE,
    CheckCode.LISTING_DIFFERS,
)
_STEP_OF: Final[dict[str, str]] = {
    **dict.fromkeys(_EMIT, "emit"),
    **dict.fromkeys(_ADDRESS, "address"),
    **dict.fromkeys(_READ, "read"),
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        name: Its name.
        said: What was seen there.
        findings: What is wrong there.
        reached: Whether everything before it holds.
        ends: Whether the way to a page ends here, however little that weighs.
    """

    name: str
    said: str
    findings: tuple[Finding, ...]
    reached: bool
    ends: bool = False

    @property
    def broken(self) -> bool:
        """Whether a host gets no further than here."""
        return self.reached and (self.ends or any(f.severity == "error" for f in self.findings))


def explain(examined: Examined, name: str) -> list[Step]:
    """Follow one tool.

    Args:
        examined: The check.
        name: The tool, as the server lists it.

    Raises:
        LookupError: The server lists no such tool.
    """
    surface = examined.recording.surfaces[0] if examined.recording.surfaces else None
    tool = next((t for t in surface.snapshot.tools if t.name == name), None) if surface else None
    if surface is None or tool is None:
        known = ", ".join(f"`{t.name}`" for t in surface.ui_tools[:10]) if surface else "none"
        message = f"the server lists no tool {name!r}; with MCP Apps it lists {known}"
        raise LookupError(message)
    uri = link_of(tool.meta)
    entry = _entry(examined, name)
    lost = entry.link if entry is not None and uri is None else None
    said = {
        "declare": _declared(examined, entry),
        "emit": f"tools/list: {_emitted(tool.meta, lost)}",
        "address": _addressed(surface, uri),
        "read": _read(surface.pages.get(uri or "")),
        "render": _rendered(examined, uri),
    }
    about = (f"tool {name!r}", f"page {uri}", "server")
    by_step: dict[str, list[Finding]] = {step: [] for step in STEPS}
    for finding in examined.report.findings:
        if finding.subject.startswith(about) or (uri and f"`{uri}`" in finding.problem):
            by_step[_step_of(finding, examined, lost)].append(finding)
    steps: list[Step] = []
    for step in STEPS:
        reached = not steps or (steps[-1].reached and not steps[-1].broken)
        ends = step == "emit" and lost is not None
        steps.append(Step(step, said[step], tuple(by_step[step]), reached, ends))
    return steps


def _step_of(finding: Finding, examined: Examined, lost: str | None) -> str:
    if finding.code == Code.LINK_DANGLING and lost is not None:
        return "emit"
    known = _STEP_OF.get(finding.code)
    if known is not None:
        return known
    if finding.code == Code.URI_INVALID:
        return "declare" if examined.registry is not None else "emit"
    outside = finding.code in set(CheckCode) or finding.code == Code.PAGE_ORIGIN
    return "render" if outside else "declare"


def _entry(examined: Examined, name: str) -> ToolEntry | None:
    tools = examined.registry.tools if examined.registry is not None else []
    entry = next((t for t in tools if t.name == name), None)
    return entry or next((t for t in tools if name.endswith(f"_{t.name}")), None)


def _declared(examined: Examined, entry: ToolEntry | None) -> str:
    if examined.registry is None:
        return "in another process: only what it tells can be seen"
    if entry is None:
        return "nothing on this server says that it has a page"
    how = "`@ui`" if entry.declaration is not None else "`app=` or `meta=`"
    return f"{how} on {entry.subject}, of server {entry.server!r}"


def _emitted(meta: dict[str, object] | None, lost: str | None) -> str:
    uri, written = link_of(meta), written_link(meta)
    audience = " and ".join(sorted(visibility_of(meta))) or "nobody"
    link = f"links {uri or 'no page'}"
    if lost is not None:
        link = f"leaves out {lost}, which is no page of this server"
    elif uri is None and written is not None:
        link = f"links {written!r}, which is no `ui://` address"
    return f"{link}, for {audience}"


def _addressed(surface: Surface, uri: str | None) -> str:
    if uri is None:
        return "no link, so no page"
    if uri in surface.snapshot.resources:
        return f"{uri} is listed in resources/list"
    page = surface.pages.get(uri)
    served = page is not None and page.read is not None
    return f"{uri} is not listed, and {'is' if served else 'is not'} served"


def _read(page: Page | None) -> str:
    if page is None or page.read is None:
        return "nothing came"
    items = page.read.contents
    if len(items) != 1 or page.resolved is None:
        return f"{len(items)} items came, of type {', '.join(str(i.mime_type) for i in items)}"
    size = len(page.resolved.html.encode(errors="replace"))
    options = ", ".join(sorted((items[0].meta or {}).get("ui") or {})) or "none"
    return f"one document of {size:,} bytes, `_meta.ui` with {options}"


def _rendered(examined: Examined, uri: str | None) -> str:
    visit = next((v for v in examined.recording.visits if v.uri == uri), None)
    if visit is not None:
        return str(visit)
    for surface in examined.recording.surfaces:
        page = surface.pages.get(uri or "")
        if page is not None and page.resolved is not None:
            return f"under {page.resolved.policy}"
    return "nothing to show"


def chain(steps: list[Step], tool: str, target: str) -> Iterator[str]:
    """Write the steps for a terminal, one line each and one for each finding."""
    yield f"{tool} of {target}"
    for step in steps:
        if not step.reached:
            yield f"  ·  {step.name:<8} not reached"
            continue
        mark = "✗" if step.broken else "!" if step.findings else "✓"
        arrow = "   ← the first broken link" if step.broken else ""
        yield f"  {mark}  {step.name:<8} {step.said}{arrow}"
        for finding in step.findings:
            yield f"       {finding.severity}: {finding}"
