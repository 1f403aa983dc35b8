"""`mcp-apps`: its sub-commands, and what it answers to the shell.

Exit codes: 0 done; 1 something is wrong with the server or a plugin; 2 the command was not
understood, or the server could not be loaded; 130 interrupted; 141 nobody reads the output.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError

from mcp_apps_plugin.cli.closed_pipe import ending_with_its_reader
from mcp_apps_plugin.cli.load import LoadError
from mcp_apps_plugin.protocol.findings import MCPAppsError

if TYPE_CHECKING:
    from collections.abc import Sequence

app = App(
    name="mcp-apps",
    help="Interactive pages for the tools of FastMCP servers.",
    version=version("mcp-apps-plugin"),
)
_COMMANDS = ("check", "dev", "new", "plugins", "run", "types")
for _name in _COMMANDS:
    # By its place: what the others need is not imported for one of them.
    app.command(f"mcp_apps_plugin.cli.{_name}:{_name}", name=_name)


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Args:
        arguments: The words after `mcp-apps`. Default: those of this process.

    Raises:
        SystemExit: Always, with the exit code.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    with ending_with_its_reader():
        code = _answer(given)
    sys.exit(code)


def _answer(given: list[str]) -> int:
    """Do what is asked for, and return the exit code."""
    if given[:1] not in ([name] for name in _COMMANDS):
        app.resolved_commands()  # their list says what each one does
    try:
        code = app(given, exit_on_error=False, print_error=True, result_action="return_value")
    except CycloptsError:
        return 2
    except LoadError as error:
        print(f"mcp-apps: {error}", file=sys.stderr)  # noqa: T201  it is what a command does
        return 2
    except MCPAppsError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return code if isinstance(code, int) else 0
