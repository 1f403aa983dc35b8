"""Whether anything on a server takes part in MCP Apps, as far as can be told without asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.providers import FastMCPProvider
from fastmcp.server.providers.aggregate import AggregateProvider
from fastmcp.tools import Tool

from mcp_apps_plugin.declarations.link import declaration_of
from mcp_apps_plugin.protocol.constants import UI_KEY
from mcp_apps_plugin.server.attachment import attachment_of
from mcp_apps_plugin.server.elicitation.declared import elicitations
from mcp_apps_plugin.server.emission import is_page, original_of
from mcp_apps_plugin.server.forgotten import forgotten
from mcp_apps_plugin.server.tree import base_of, local_components

if TYPE_CHECKING:
    from fastmcp import FastMCP
    from fastmcp.server.providers import Provider

    Server = FastMCP[Any]

_KNOWN = ("fastmcp", "mcp_apps_plugin")


def anything_takes_part(server: Server) -> bool:
    """Tell whether a server, or one mounted on it, has a page, a link, or a lost declaration."""
    servers: dict[int, Server] = {id(server): server}
    pending: list[Provider] = [*server.providers]
    while pending:
        base = base_of(pending.pop())
        if isinstance(base, AggregateProvider):
            pending += base.providers
        elif isinstance(base, FastMCPProvider) and id(base.server) not in servers:
            servers[id(base.server)] = base.server
            pending += base.server.providers
    return any(map(_takes_part, servers.values())) or bool(forgotten(servers.values(), ()))


def is_authors_own(provider: Provider) -> bool:
    """Tell whether what a provider does when it is asked is known to its author alone."""
    base = base_of(provider)
    if type(base).__module__.partition(".")[0] not in _KNOWN:
        return True
    return isinstance(base, AggregateProvider) and any(map(is_authors_own, base.providers))


def _takes_part(server: Server) -> bool:
    attachment = attachment_of(server)
    if attachment is None:
        return False
    if attachment.links or attachment.pages.declared():
        return True
    if next(elicitations(server), None) is not None:
        return True
    for component in local_components(server):
        if isinstance(component, Tool):
            if declaration_of(component) or UI_KEY in (original_of(component) or {}):
                return True
        elif isinstance(component, Resource | ResourceTemplate) and is_page(component):
            return True
    return False
