"""From what a user calls a project to the names that a project needs."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass
from typing import Final

from mcp_apps_plugin.protocol.findings import AppsValueError, Code, Finding

_NEEDED: Final = frozenset({"fastmcp", "mcp", "mcp-apps-plugin", "pytest", "pytest-asyncio"})
_MODULES: Final = frozenset({"conftest", "test", "tests"})
_DEVICES: Final = re.compile(r"con|prn|aux|nul|com\d|lpt\d")
_LONGEST: Final = 64


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one project.

    Attributes:
        project: Of the distribution, the folder and the command: `weather-board`.
        module: Of the Python package: `weather_board`.
        title: For people: `Weather Board`.
    """

    project: str
    module: str
    title: str


def names_of(name: str) -> Names:
    """Derive a project's names from the one that a user wrote.

    Case, blanks, dots, dashes and underscores are brought into the form each name needs. A package
    that Python could not import, or that would hide a module of Python's own, gets a longer name.

    Args:
        name: For example `weather-board`, `weather_board` or `Weather Board`.

    Raises:
        AppsValueError: It has other characters, none at all, or is taken (`new-name`).
    """
    words = [word for word in re.split(r"[-_. ]+", name) if word]
    if not words or not re.fullmatch(r"[A-Za-z0-9._ -]+", name) or name.startswith("."):
        raise AppsValueError(
            _wrong(name, "is no name for a project.", "Use letters, digits and dashes.")
        )
    project = "-".join(words).lower()
    if len(project) > _LONGEST:
        problem = f"has {len(project)} characters."
        raise AppsValueError(_wrong(name, problem, f"Use no more than {_LONGEST}."))
    if project in _NEEDED or _DEVICES.fullmatch(project):
        problem = (
            "is the name of a package that the project needs."
            if project in _NEEDED
            else "is a name that Windows keeps for a device."
        )
        raise AppsValueError(_wrong(name, problem, f"Use another, such as `{project}-app`."))
    return Names(project, _module(project), " ".join(word[0].upper() + word[1:] for word in words))


def _module(project: str) -> str:
    module = project.replace("-", "_")
    if not module.isidentifier():  # it begins with a digit
        module = f"app_{module}"
    taken = module in sys.stdlib_module_names or module in _MODULES
    if taken or keyword.iskeyword(module) or module.replace("_", "-") in _NEEDED:
        module = f"{module}_app"
    return module


def _wrong(name: str, problem: str, remedy: str) -> Finding:
    return Finding(
        code=Code.NEW_NAME,
        subject=f"the name {name!r}",
        problem=problem,
        consequence="Nothing was written.",
        remedy=remedy,
    )
