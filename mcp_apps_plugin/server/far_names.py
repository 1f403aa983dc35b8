"""Names that a back end gave its tools by mounting them, read off what it lists.

What a tool was called below a back end's mounts is not on the wire. But a namespace is put before
a tool's name and before its page's address alike: `crm_show` with `ui://crm/team/view` says that
`crm` is one, and so that `crm_refresh` was written as `refresh`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_apps_plugin.protocol.constants import URI_SCHEME
from mcp_apps_plugin.protocol.links import link_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fastmcp.tools import Tool


def written_far(tools: Iterable[Tool]) -> dict[str, str]:
    """Return what the tools of one back end were called below its mounts.

    Args:
        tools: Its tools, as they are listed here.

    Returns:
        The shortest name each may have had, by its listed name; none for those of no namespace.
    """
    listed = list(tools)
    namespaces = sorted({each for tool in listed for each in _namespaces(tool)}, key=len)
    written: dict[str, str] = {}
    for namespace in namespaces:  # the longest last, which leaves the shortest name
        for tool in listed:
            if tool.name.startswith(namespace):
                written[tool.name] = tool.name[len(namespace) :]
    return written


def _namespaces(tool: Tool) -> Iterator[str]:
    """Yield what a tool's name and its link begin with alike."""
    link = link_of(tool.meta)
    if link is None or not link.startswith(URI_SCHEME):
        return
    prefix = ""
    for segment in link.removeprefix(URI_SCHEME).split("/")[:-1]:
        prefix += f"{segment}_"
        if tool.name == prefix or not tool.name.startswith(prefix):
            return
        yield prefix
