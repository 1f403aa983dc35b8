"""`mcp-apps new`: a project with a server, a page, tests and CI that pass at once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from mcp_apps_plugin.cli.load import LoadError
from mcp_apps_plugin.cli.scaffold.names import names_of
from mcp_apps_plugin.cli.scaffold.project import write_project
from mcp_apps_plugin.protocol.findings import AppsValueError


def new(
    name: Annotated[str, Parameter(help="The project's name, for example `weather-board`.")],
    *,
    folder: Annotated[
        Path | None,
        Parameter(
            help="The folder to make; one that exists has to be empty. Default: the project's name."
        ),
    ] = None,
) -> None:
    """Make a project: a server with a page, its tests, and a CI workflow, which pass at once.

    The name becomes what each place needs: `Weather Board` is the project `weather-board` with the
    package `weather_board`. Nothing that is there is overwritten, and nothing is left half made.
    """
    try:
        names = names_of(name)
        files = write_project(names, Path(names.project) if folder is None else folder)
    except AppsValueError as error:
        raise LoadError(str(error)) from error
    made = Path(names.project) if folder is None else folder
    print(f"{made}{os.sep}")  # noqa: T201  it is what a command does
    for file in files:
        print(f"  {file}")  # noqa: T201
    server = f"{names.module}/server.py"
    print(  # noqa: T201
        f"\nNext:\n  cd {made}\n  pip install -e '.[test]'\n  pytest\n"
        f"  mcp-apps check {server}\n  mcp-apps dev {server}"
    )
