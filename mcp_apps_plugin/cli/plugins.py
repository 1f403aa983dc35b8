"""`mcp-apps plugins`: which plugins there are, and how they are."""

from __future__ import annotations

import dataclasses
import json
import warnings
from importlib.metadata import version
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from mcp_apps_plugin.plugins.manager import PluginInfo
from mcp_apps_plugin.plugins.manager import plugins as loaded_plugins
from mcp_apps_plugin.protocol.findings import MCPAppsPluginWarning


def plugins(
    *,
    format: Annotated[  # noqa: A002  the option's name
        Literal["text", "json"], Parameter(help="How to print the list.")
    ] = "text",
) -> int:
    """List the plugins that this environment has, with their hooks and failures.

    Exits with 1 when one of them failed.
    """
    with warnings.catch_warnings():
        # The table says it.
        warnings.simplefilter("ignore", MCPAppsPluginWarning)
        infos = [_with_version(info) for info in loaded_plugins().infos()]
    if format == "json":
        print(json.dumps([dataclasses.asdict(info) for info in infos], indent=2))  # noqa: T201
    else:
        _print_table(infos)
    return int(any(info.failures for info in infos))


def _with_version(info: PluginInfo) -> PluginInfo:
    # The built-in ones come with this package.
    own = info.distribution == "mcp-apps-plugin"
    return dataclasses.replace(info, version=version(info.distribution)) if own else info


def _print_table(infos: list[PluginInfo]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("plugin", "distribution", "version", "status", "hooks, failures"):
        table.add_column(heading, overflow="fold")
    for info in infos:
        details = [hook.removeprefix("mcp_apps_") for hook in info.hooks] + list(info.failures)
        row = (info.name, info.distribution, info.version, info.status, "\n".join(details))
        table.add_row(*row)
    Console(markup=False, highlight=False).print(table)
