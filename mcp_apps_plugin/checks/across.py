"""What several clients of one server are told, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.checks.report import counted
from mcp_apps_plugin.checks.surface import takes_part
from mcp_apps_plugin.protocol import elicitation
from mcp_apps_plugin.protocol.capabilities import ui_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_apps_plugin.checks.snapshot import Snapshot
    from mcp_apps_plugin.protocol.findings import Finding, Severity


def compare(snapshots: Sequence[Snapshot], *, empty: Severity = "warning") -> Iterator[Finding]:
    """Compare what the clients of one server are told.

    Args:
        snapshots: What each was told.
        empty: How much it weighs that nobody was told of a page.
    """
    if not any(map(_has_pages, snapshots)):
        number = max((len(shot.tools) for shot in snapshots), default=0)
        yield found(
            CheckCode.SERVER_EMPTY,
            "server",
            f"lists {counted(number, 'tool')}, none with a page.",
            "There is nothing to check, and nothing to show.",
            "Give a tool a page, or name the server that has them.",
            severity=empty,
        )
        return
    for shot in snapshots:
        if shot.apps == "apps" and ui_settings(shot.capabilities.extensions) is None:
            yield found(
                CheckCode.CAPABILITY_MISSING,
                f"server for a {shot.era} client",
                "does not declare `io.modelcontextprotocol/ui` in `capabilities.extensions`.",
                "Some hosts then take its tools for tools without a page.",
                "Declare it, with `{}` or `mimeTypes`.",
            )
    yield from _withheld(snapshots)
    by_era = {shot.era: shot for shot in snapshots if shot.apps == "apps"}
    if len(by_era) > 1 and by_era["legacy"].links() != by_era["modern"].links():
        yield found(
            CheckCode.ERAS_DIFFER,
            "server",
            "does not link the same pages in the legacy and in the modern era.",
            "Which pages a user sees depends on the age of the host.",
            "Register tools and pages once, for every client.",
        )


def _has_pages(shot: Snapshot) -> bool:
    """Tell whether a client is told of anything to show.

    Pages that no tool links are shown with questions, by servers that say they have such pages.
    """
    if any(map(takes_part, shot.tools)):
        return True
    return elicitation.declares(ui_settings(shot.capabilities.extensions)) and bool(
        shot.page_uris()
    )


def _withheld(snapshots: Sequence[Snapshot]) -> Iterator[Finding]:
    told = {shot.era: shot.links() for shot in snapshots if shot.apps == "apps"}
    for shot in snapshots:
        if shot.apps != "apps" and shot.era in told and shot.links() != told[shot.era]:
            missing = sorted(told[shot.era].keys() - shot.links().keys())[:3]
            named = ", ".join(f"`{uri}`" for uri in missing) or "the same pages"
            yield found(
                CheckCode.META_WITHHELD,
                f"server for a {shot.seen_by}",
                f"does not link {named}.",
                "Some hosts show pages without declaring it; they get an empty frame or none.",
                "List the same tools to everyone: a link means nothing to who does not know it.",
            )
