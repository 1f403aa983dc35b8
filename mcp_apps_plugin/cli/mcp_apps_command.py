"""The command's entry. Installed as a module of its own, beside the package.

Importing the package takes a second, in which Ctrl+C may come; and it reads the environment, and
refuses a value that is not allowed. Only from outside can either end without a traceback.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import Any


def run() -> None:
    """Run `mcp-apps`, until it ends or is interrupted."""
    try:
        _load().run()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _load() -> Any:
    """Import the command line, or say what is wrong with the environment."""
    # Half a million objects are made and none of them is garbage: to look for some takes a third
    # of the time that the import does. What is there stays: nor is it looked through later.
    gc.disable()
    try:
        return import_module("mcp_apps_plugin.cli.main")
    except ValueError as error:
        if not hasattr(error, "findings"):
            raise
        print(f"mcp-apps: {error}", file=sys.stderr)  # noqa: T201  it speaks to a person
        raise SystemExit(2) from None
    finally:
        gc.freeze()
        gc.enable()
