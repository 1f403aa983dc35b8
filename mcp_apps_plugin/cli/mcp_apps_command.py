"""The command's entry. Installed as a module of its own, beside the package.

Importing the package reads the environment, and refuses a value that is not allowed. Only from
outside can that be said in one line, as every other mistake on the command line is.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module


def run() -> None:
    """Run `mcp-apps`, or say what is wrong with the environment."""
    # Half a million objects are made and none of them is garbage: to look for some takes a third
    # of the time that the import does. What is there stays: nor is it looked through later.
    gc.disable()
    try:
        main = import_module("mcp_apps_plugin.cli.main")
    except ValueError as error:
        if not hasattr(error, "findings"):
            raise
        print(f"mcp-apps: {error}", file=sys.stderr)  # noqa: T201  it speaks to a person
        raise SystemExit(2) from None
    finally:
        gc.freeze()
        gc.enable()
    main.run()
