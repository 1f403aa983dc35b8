"""A new project's files: made from the templates beside this file, and put in place at once."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Final

from mcp_apps_plugin.protocol.findings import AppsValueError, Code, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_apps_plugin.cli.scaffold.names import Names

_TEMPLATES: Final = Path(__file__).with_name("template")
_SUFFIX: Final = ".in"
_HIDDEN: Final = "dot-"


class _Text(Template):
    """`%%name`: neither JavaScript, Python, YAML nor Markdown has a use for it."""

    delimiter = "%%"


def write_project(names: Names, folder: Path) -> list[str]:
    """Write a project into a folder that does not exist or is empty.

    Everything is written beside it first, so that there is a whole project or none.

    Args:
        names: Its names.
        folder: The folder.

    Returns:
        The files, relative to the folder, in order.

    Raises:
        AppsValueError: Something is there already, or it cannot be written (`new-folder`).
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise _unfit(folder, "is a file.")
    if folder.is_dir() and any(folder.iterdir()):
        raise _unfit(folder, "is not empty.")
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{names.project}-", dir=_existing(folder.parent)))
    except OSError as error:
        raise _unfit(folder, f"cannot be made: {error.strerror}.") from error
    try:
        files = _write(names, made)
        _put(made, folder)
    except OSError as error:
        raise _unfit(folder, f"cannot be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return files


def _write(names: Names, folder: Path) -> list[str]:
    words = {**asdict(names), "version": version("mcp-apps-plugin")}
    files: list[str] = []
    for template in _templates():
        name = "/".join(_name(part, names) for part in template.relative_to(_TEMPLATES).parts)
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = _Text(template.read_text(encoding="utf-8")).substitute(words)
        target.write_text(text, encoding="utf-8", newline="\n")
        files.append(name)
    return sorted(files)


def _templates() -> Iterator[Path]:
    yield from (path for path in sorted(_TEMPLATES.rglob("*")) if path.name.endswith(_SUFFIX))


def _name(part: str, names: Names) -> str:
    part = part.removesuffix(_SUFFIX)
    if part.startswith(_HIDDEN):
        part = f".{part.removeprefix(_HIDDEN)}"
    return names.module if part == "module" else part


def _put(made: Path, folder: Path) -> None:
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        made.rename(folder)
        folder.chmod(0o777 & ~_umask())  # a temporary folder is for its owner alone
        return
    moved: list[Path] = []
    try:
        # One by one, as the folder may be the one that a shell stands in.
        moved.extend(entry.rename(folder / entry.name) for entry in sorted(made.iterdir()))
    except OSError:
        for entry in moved:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        raise


def _existing(folder: Path) -> Path:
    """Return the nearest folder that exists: one on the same disk, to rename from."""
    folder = folder.resolve()
    return next(each for each in (folder, *folder.parents) if each.is_dir())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _unfit(folder: Path, problem: str) -> AppsValueError:
    return AppsValueError(
        Finding(
            code=Code.NEW_FOLDER,
            subject=f"the folder {folder}",
            problem=problem,
            consequence="Nothing was written.",
            remedy="Name another with `--folder`, or empty this one.",
        )
    )
