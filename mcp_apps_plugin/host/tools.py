"""A server's tool list, split by who may use what, and each tool's link to its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.protocol import links

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp_types import Tool


def model_tools(tools: Iterable[Tool]) -> list[Tool]:
    """Return the tools that may be offered to the model.

    A host must not offer the others (specification: *Resource Discovery*, *Visibility*). A tool
    whose visibility is nonsense is offered to nobody.
    """
    return [tool for tool in tools if "model" in links.visibility_of(tool.meta)]


def app_tools(tools: Iterable[Tool]) -> list[Tool]:
    """Return the tools that the server's own pages may call. See `model_tools`."""
    return [tool for tool in tools if "app" in links.visibility_of(tool.meta)]


def link_of(tool: Tool) -> str | None:
    """Return the `ui://` URI of a tool's page, or `None` when it has none.

    The nested `_meta.ui.resourceUri` is read first, then the flat key, then ChatGPT's.
    """
    return links.link_of(tool.meta)
