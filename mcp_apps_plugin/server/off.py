"""What the installed FastMCP does not allow: said once at the import, and where it is used."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import fastmcp

from mcp_apps_plugin.declarations.marks import refuse_marks
from mcp_apps_plugin.protocol.findings import Code, Finding, MCPAppsCompatibilityWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.plugins.registry import PageEntry, Registry, ToolEntry

Feature = Literal[
    "servers", "server", "words", "pages", "templates", "namespaces", "starts", "audits", ""
]
"""What may be off; nothing for what nobody would miss."""

CONSEQUENCES: Final[dict[Feature, str]] = {
    "servers": "everything, as the servers of this process have no pages",
    "server": "everything, on this server",
    "words": "`text=` and `fallback=`",
    "pages": "pages from functions, files and texts are not completed",
    "templates": "pages from templates are not completed",
    "namespaces": "links, results and names below a namespace",
    "starts": "servers are not looked over when they start",
    "audits": "mounted servers are looked over again, each on its own",
}
_off: dict[tuple[Feature, str], Finding] = {}
_said: set[Finding] = set()


def switch_off(feature: Feature, subject: str, problem: str) -> None:
    """Keep that a feature does not work with this FastMCP.

    Without `"servers"` no declaration could have an effect, so each is refused.
    """
    finding = Finding(
        code=Code.FASTMCP_CHANGED,
        subject=f"FastMCP {fastmcp.__version__}: {subject}",
        problem=problem,
        consequence=f"This is off: {CONSEQUENCES[feature]}.",
        remedy="Update mcp-apps-plugin, or use a FastMCP version it supports.",
    )
    _off[feature, subject] = finding
    _refuse_or_allow()


def switch_on(feature: Feature, subject: str) -> None:
    """Forget that a feature does not work."""
    _off.pop((feature, subject), None)
    _refuse_or_allow()


def is_off(feature: Feature, subject: str) -> bool:
    """Tell whether a feature does not work for this reason."""
    return (feature, subject) in _off


def forget_changes() -> None:
    """Forget everything that does not work: the package is off as a whole."""
    _off.clear()
    _refuse_or_allow()


def _refuse_or_allow() -> None:
    refuse_marks(next((said for (feature, _), said in _off.items() if feature == "servers"), None))


def warn_of_changes() -> None:
    """Say in one warning what does not work with this FastMCP, and was not said before."""
    news = [finding for finding in _off.values() if finding not in _said]
    _said.update(news)
    if news:
        text = "\n".join(map(str, news))
        warnings.warn(text, MCPAppsCompatibilityWarning, stacklevel=3)


def used_though_off(registry: Registry) -> list[Finding]:
    """Find what a server uses of that which does not work with this FastMCP."""
    return [
        replace(
            finding,
            subject=f"{subject}, with {finding.subject}",
            severity="error" if entry.own else "warning",
            place=entry.place,
        )
        for (feature, _), finding in _off.items()
        for subject, entry in _users(feature, registry)
    ]


def _users(feature: Feature, registry: Registry) -> Iterator[tuple[str, ToolEntry | PageEntry]]:
    if feature == "words":
        for tool in registry.tools:
            said: Any = tool.declaration
            if said is not None and said.has_words():
                yield f"tool {tool.name!r} of {tool.subject}", tool
    for page in registry.pages:
        kind: Feature = "templates" if "{" in page.uri else "pages"
        made = page.file is None or page.html is None
        if (feature == kind and made) or (feature == "namespaces" and page.renamed):
            yield f"page {page.uri} of {page.subject}", page
