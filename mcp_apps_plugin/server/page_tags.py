"""The tags of pages that tools bring: those that all their tools have.

So what an author shows or hides by tag is a tool with its page, and not one of the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.tools import Tool

from mcp_apps_plugin.declarations.elicits import address_of_page
from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.protocol.links import link_of
from mcp_apps_plugin.server.elicitation.declared import elicitations
from mcp_apps_plugin.server.emission import original_of
from mcp_apps_plugin.server.tree import local_components

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastmcp import FastMCP

    from mcp_apps_plugin.server.attached_links import AttachedLinks

    Server = FastMCP[Any]


def common_tags(server: Server, attached: AttachedLinks) -> dict[str, set[str]]:
    """Return the tags that all who show a page have in common, by its address as written.

    Args:
        server: The server; its own tools count, and what asks its users with a page.
        attached: The pages that `attach_ui` gave to tools of this server.

    Returns:
        An entry for each page that has any.
    """
    if not any(component.tags for component in local_components(server)):
        return {}
    common: dict[str, set[str]] = {}
    for uri, tags in _showing(server, attached):
        common[uri] = common[uri] & tags if uri in common else set(tags)
    return {uri: tags for uri, tags in common.items() if tags}


def _showing(server: Server, attached: AttachedLinks) -> Iterator[tuple[str, set[str]]]:
    for component in local_components(server):
        if isinstance(component, Tool):
            declaration = declaration_of(component) or attached.of(component.name)
            written = link_of(original_of(component) or {})
            uri = written if declaration is None else declaration.uri
            if uri is not None:
                yield uri, component.tags
    for component, page in elicitations(server):
        uri = address_of_page(page)
        if uri is not None:
            yield uri, component.tags
