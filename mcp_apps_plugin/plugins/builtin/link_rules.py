"""Audit rules for links: every one leads to a page that the same server serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.plugins.hookspecs import hookimpl
from mcp_apps_plugin.protocol.findings import Code, Finding, did_you_mean
from mcp_apps_plugin.protocol.links import uri_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.plugins.registry import Registry, ToolEntry


@hookimpl
def mcp_apps_audit(registry: Registry) -> list[Finding]:
    """Find links to nowhere, links to hidden pages, and what no tool has."""
    return [
        *lost_links(registry),
        *_hidden(registry),
        *_elicitations(registry),
        *_patterns(registry),
        *_forgotten(registry),
    ]


def lost_links(registry: Registry) -> Iterator[Finding]:
    """Find the tools whose link leads nowhere."""
    for tool in registry.tools:
        if tool.link_state == "missing" and uri_problem(tool.link) is None:
            yield _dangling(registry, tool)


def _hidden(registry: Registry) -> Iterator[Finding]:
    for tool in registry.tools:
        if tool.link_state == "hidden":
            yield Finding(
                code=Code.PAGE_HIDDEN,
                subject=f"tool {tool.name!r} of {tool.subject}",
                problem=f"links `{tool.link}`, which is disabled or guarded more than the tool.",
                consequence="Where the page is hidden, the tool is listed without it.",
                remedy="Enable both or neither, and give both the same `auth=`.",
                severity="warning",
                place=tool.place,
            )


def _elicitations(registry: Registry) -> Iterator[Finding]:
    for asked in registry.elicitations:
        if asked.state == "missing":
            hint = did_you_mean(asked.uri, sorted(registry.served))
            yield Finding(
                code=Code.LINK_DANGLING,
                subject=asked.subject,
                problem=f"asks with `{asked.uri}`, which server {asked.server!r} does not serve."
                f"{hint}",
                consequence="Hosts would fall back to their own form each time.",
                remedy="Declare the page with `@app_resource`, or correct the address.",
                place=asked.place,
            )


def _dangling(registry: Registry, tool: ToolEntry) -> Finding:
    hint = did_you_mean(tool.link, sorted(registry.served))
    return Finding(
        code=Code.LINK_DANGLING,
        subject=f"tool {tool.name!r} of {tool.subject}",
        problem=f"links `{tool.link}`, which server {tool.server!r} does not serve.{hint}",
        consequence="Hosts would show an empty frame.",
        remedy="Declare the page with `@app_resource`, add `html=`, or correct the address.",
        severity="error" if tool.own else "warning",
        place=tool.place,
    )


def _patterns(registry: Registry) -> Iterator[Finding]:
    for pattern, place in registry.unmatched.items():
        hint = did_you_mean(pattern, sorted(registry.names))
        yield Finding(
            code=Code.ATTACH_UNMATCHED,
            subject=f"attach_ui {pattern!r}",
            problem=f"matches no tool of the server.{hint}",
            consequence="The page would never be shown.",
            remedy="Correct the name or the pattern; `tools/list` has the names.",
            place=place,
        )


def _forgotten(registry: Registry) -> Iterator[Finding]:
    for declaration in registry.forgotten:
        yield Finding(
            code=Code.UI_UNREGISTERED,
            subject=declaration.subject,
            problem="has `@ui`, and no server has it as a tool.",
            consequence="Nobody could call it, and its page would never be shown.",
            remedy="Put `@mcp.tool` above it, or remove it.",
            severity="warning",
            place=declaration.place,
        )
