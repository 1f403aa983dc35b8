"""Servers of several teams, put together in every way, and the one promise to check on them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool

from mcp_apps_plugin import AppResource, AppsExtension, app_resource, ui
from mcp_apps_plugin.protocol.constants import MIME_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp import Client

VIEW = "ui://team/view"
LIBRARY = "<script>McpApp</script>"

_MARK = re.compile(r"<title>([^<]*)</title>")
_NAMES = re.compile(r'<script type="application/json" id="mcp-app-names">(.*?)</script>')


def make_page(mark: str, uri: str = VIEW, *, library: bool = True, **options: Any) -> Any:
    """Declare a page that says whose it is."""

    def page() -> str:
        return f"<!doctype html><title>{mark}</title>{LIBRARY if library else ''}"

    return app_resource(uri, **options)(page)


def make_tool(
    server: Any,
    name: str,
    mark: str,
    page: str | AppResource | Callable[..., Any] | None = None,
    **options: Any,
) -> Tool:
    """Add a tool that says whose it is; the one with a page says which page it means."""
    visibility = options.pop("visibility", None)

    def handler() -> dict[str, str]:
        return {"mark": mark, "tool": name}

    if page is not None or visibility is not None:
        ui(page, visibility=visibility)(handler)
    tool = Tool.from_function(handler, name=name, **options)
    server.add_tool(tool)
    return tool


def make_team(name: str, uri: str = VIEW, *, library: bool = True, **options: Any) -> FastMCP[Any]:
    """Make one team's server: a tool with a page, and a helper that only the page calls."""
    server = FastMCP(name, **options)
    make_tool(server, "show", name, make_page(name, uri, library=library))
    make_tool(server, "refresh", name, visibility="app")
    return server


def make_root(name: str = "root", *, audit: Any = None, **options: Any) -> FastMCP[Any]:
    """Make a server to put others on."""
    server = FastMCP(name, **options)
    if audit is not None:
        server.add_extension(AppsExtension(audit=audit))
    return server


@dataclass
class Seen:
    """What one client sees on one endpoint.

    Attributes:
        links: The `resourceUri` of every listed tool; `None` for a tool without.
        shows: The mark of the page behind each link.
        names: The tool names that each linked page was told.
        addresses: The listed resources.
    """

    links: dict[str, str | None] = field(default_factory=dict)
    shows: dict[str, str] = field(default_factory=dict)
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)


async def look(client: Client[Any]) -> Seen:
    """List, and follow every link as a host does: listed, readable, complete."""
    seen = Seen()
    pages = {str(page.uri): page for page in await client.list_resources()}
    seen.addresses = [uri for uri in pages if uri.startswith("ui://")]
    templates = await client.list_resource_templates()
    for tool in await client.list_tools():
        meta = tool.meta or {}
        link = (meta.get("ui") or {}).get("resourceUri")
        seen.links[tool.name] = link
        for spelling in ("ui/resourceUri", "openai/outputTemplate"):
            assert meta.get(spelling, link) == link
        if link is None:
            continue
        assert link in pages or templates, f"{tool.name} links {link}, listed: {list(pages)}"
        (item,) = await client.read_resource(link)
        assert item.mime_type == MIME_TYPE
        if link in pages:
            assert pages[link].mime_type == MIME_TYPE
            assert pages[link].meta["ui"] == item.meta["ui"]
        found = _MARK.search(item.text)
        assert found
        seen.shows[tool.name] = found[1]
        told = _NAMES.search(item.text)
        seen.names[tool.name] = json.loads(told[1]) if told else {}
    return seen


async def mark_of(client: Client[Any], name: str) -> str:
    """Call a tool; return whose it is."""
    result = await client.call_tool(name, {})
    return (result.structured_content or {})["mark"]


async def refusal(client: Client[Any], name: str) -> str:
    """Call a tool that does not answer; return what the client reads."""
    with pytest.raises(ToolError) as caught:
        await client.call_tool(name, {})
    return str(caught.value)


class Kit:
    """The builders and the checks, as one fixture."""

    view = VIEW
    page = staticmethod(make_page)
    tool = staticmethod(make_tool)
    team = staticmethod(make_team)
    root = staticmethod(make_root)
    look = staticmethod(look)
    mark = staticmethod(mark_of)
    refusal = staticmethod(refusal)


@pytest.fixture
def kit() -> Kit:
    """Servers to compose, and the promise to check."""
    return Kit()
