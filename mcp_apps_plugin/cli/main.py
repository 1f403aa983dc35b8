"""`mcp-apps`: its sub-commands, and what it answers to the shell.

Exit codes: 0 done; 1 something is wrong with the server or a plugin; 2 the command was not
understood, or the server could not be loaded.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError

from mcp_apps_plugin.cli.check import check
from mcp_apps_plugin.cli.dev import dev
from mcp_apps_plugin.cli.load import LoadError
from mcp_apps_plugin.cli.plugins import plugins
from mcp_apps_plugin.cli.run import run as run_server
from mcp_apps_plugin.cli.types import types
from mcp_apps_plugin.protocol.findings import MCPAppsError

if TYPE_CHECKING:
    from collections.abc import Sequence

app = App(
    name="mcp-apps",
    help="Interactive pages for the tools of FastMCP servers.",
    version=version("mcp-apps-plugin"),
)
for _command in (check, dev, plugins, types):
    app.command(_command)
app.command(run_server, name="run")


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Args:
        arguments: The words after `mcp-apps`. Default: those of this process.

    Raises:
        SystemExit: Always, with the exit code.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = app(given, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:
        code = 2
    except LoadError as error:
        print(f"mcp-apps: {error}", file=sys.stderr)  # noqa: T201  it is what a command does
        code = 2
    except MCPAppsError as error:
        print(error, file=sys.stderr)  # noqa: T201
        code = 1
    except KeyboardInterrupt:
        code = 130
    sys.exit(code if isinstance(code, int) else 0)
