"""`mcp-apps types`: the tools of a server as TypeScript, for the editor of its pages."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path  # noqa: TC003  cyclopts reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from mcp_apps_plugin.cli.load import LoadError, ServerSpec, load_server
from mcp_apps_plugin.cli.typescript import ToolTypes, declare_tools
from mcp_apps_plugin.protocol.links import visibility_of
from mcp_apps_plugin.server.tree import written_below

if TYPE_CHECKING:
    from fastmcp import FastMCP


def types(
    server: ServerSpec,
    *,
    output: Annotated[
        Path | None,
        Parameter(name=("--output", "-o"), help="The file to write. Default: standard output."),
    ] = None,
) -> None:
    """Write the input and output types of the tools that a page may call.

    `app.callServerTool("refresh", …)` is then checked against the server. The file needs
    `mcp-app.d.ts` beside the page, or somewhere else where TypeScript finds it.
    """
    text = declare_tools(asyncio.run(_tools(load_server(server))))
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{output} cannot be written: {error.strerror}."
        raise LoadError(message) from error


async def _tools(server: FastMCP[Any]) -> list[ToolTypes]:
    """List the tools by every name that a page may call them by: as listed, and as written."""
    named: dict[str, ToolTypes] = {}
    for tool in sorted(await server.list_tools(), key=lambda tool: tool.name):
        if "app" in visibility_of(tool.meta):
            for name in (tool.name, written_below(tool).name):
                said = ToolTypes(name, tool.description, tool.parameters, tool.output_schema)
                named.setdefault(name, said)
    return [named[name] for name in sorted(named)]
