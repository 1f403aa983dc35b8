"""`server.py[:name]`: from what a user types to the server it means."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

from cyclopts import Parameter
from fastmcp import FastMCP

from mcp_apps_plugin.protocol.findings import MCPAppsError
from mcp_apps_plugin.server.tree import mounted

if TYPE_CHECKING:
    from types import ModuleType

ServerSpec = Annotated[
    str,
    Parameter(
        name="server",
        help="The file that makes the server: `server.py`, or `server.py:name` for one object or "
        "function of it.",
    ),
]
_USUAL_NAMES = ("mcp", "server", "app")


class LoadError(Exception):
    """What the user named is no server that can be loaded."""


def load_server(spec: str) -> FastMCP[Any]:
    """Load a server, with its folder on `sys.path` as `python server.py` has it.

    What the file prints while it is imported goes to standard error: standard output belongs to
    the command.

    Args:
        spec: `server.py`, or `server.py:name`, where the name is a server or a function without
            arguments that returns one. Without a name: the only server in the file, or the one
            that mounts all others, or else `mcp`, `server`, `app`.

    Raises:
        LoadError: There is no such file, it cannot be imported, or it does not say which server.
        MCPAppsError: A declaration in the file is wrong.
    """
    path, name = file_of(spec), _split(spec)[1]
    with contextlib.redirect_stdout(sys.stderr):
        module = _import(path)
        return _named(module, name, path) if name else _only(module, path)


def file_of(spec: str) -> Path:
    """Return the file that `server.py[:name]` names.

    Raises:
        LoadError: There is no such file, or it is no Python file.
    """
    path = _split(spec)[0]
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        message = f"{path} {what}. Name the Python file that makes the server."
        raise LoadError(message)
    if path.suffix != ".py":
        message = f"{path} is no Python file. Name the one that makes the server."
        raise LoadError(message)
    return path


def _split(spec: str) -> tuple[Path, str]:
    file, colon, name = spec.rpartition(":")
    # `C:\server.py` has a colon that separates nothing.
    if not colon or not name.isidentifier() or len(file) == 1:
        file, name = spec, ""
    return Path(file).expanduser(), name


def _import(path: Path) -> ModuleType:
    path = path.resolve()
    root, names = path.parent, [path.stem]
    while (root / "__init__.py").exists():
        names.insert(0, root.name)
        root = root.parent
    sys.path.insert(0, str(root))
    try:
        if len(names) > 1:
            return importlib.import_module(".".join(names))
        return _import_file(path)
    except MCPAppsError:
        raise
    except (Exception, SystemExit) as error:
        raise LoadError(_short(error, path)) from error


def _import_file(path: Path) -> ModuleType:
    # Under its own name, as findings say it; but never in the place of a module that is there.
    name = f"server_{path.stem}" if path.stem in sys.modules else path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _short(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        file, line = error.filename, error.lineno
    else:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename == str(path)] or frames
        file, line = own[-1].filename, own[-1].lineno
    what = str(error.msg if isinstance(error, SyntaxError) else error).rstrip(".")
    reason = f"{type(error).__name__}: {what}" if what else type(error).__name__
    return (
        f"{path} cannot be imported: {reason} ({file}, line {line}). "
        f"`{Path(sys.executable).name} {path.name}` shows where it comes from."
    )


def _named(module: ModuleType, name: str, path: Path) -> FastMCP[Any]:
    try:
        found: Any = getattr(module, name)
    except AttributeError:
        known = ", ".join(f"`{path.name}:{each}`" for each in _servers(module))
        hint = f" It has {known}." if known else ""
        message = f"{path} has no `{name}`.{hint}"
        raise LoadError(message) from None
    if _is_server(found):
        return found
    if callable(found):
        try:
            made: Any = found()
            if inspect.iscoroutine(made):
                made = asyncio.run(made)
        except MCPAppsError:
            raise
        except Exception as error:
            message = f"`{name}()` of {path} failed: {type(error).__name__}: {error}"
            raise LoadError(message) from error
        if _is_server(made):
            return made
        found, name = made, f"{name}()"
    message = f"`{name}` of {path} is {_kind(found)}, and no FastMCP server."
    raise LoadError(message)


def _only(module: ModuleType, path: Path) -> FastMCP[Any]:
    servers = _servers(module)
    distinct = {id(server): name for name, server in servers.items()}
    # What is imported to be mounted has a name in the file as well, maybe a usual one.
    outer = [name for name in distinct.values() if distinct.keys() <= _within(servers[name])]
    if len(outer) == 1:
        return servers[outer[0]]
    for name in _USUAL_NAMES:
        if name in servers:
            return servers[name]
    if distinct:
        names = ", ".join(f"`{path.name}:{name}`" for name in distinct.values())
        message = f"{path} has {len(distinct)} servers. Say which: {names}."
    else:
        message = (
            f"{path} has no FastMCP server: no `FastMCP(…)` from `fastmcp` at its top level. "
            f"For one that a function makes, write `{path.name}:function`."
        )
    raise LoadError(message)


def _within(server: FastMCP[Any]) -> set[int]:
    """Return the identities of a server and of all that are mounted on it, however deep."""
    pending, found = [server], set[int]()
    while pending:
        each = pending.pop()
        if id(each) not in found:
            found.add(id(each))
            pending += (below for _, below in mounted(each))
    return found


def _servers(module: ModuleType) -> dict[str, FastMCP[Any]]:
    return {name: each for name, each in vars(module).items() if _is_server(each)}


def _is_server(value: object) -> TypeGuard[FastMCP[Any]]:
    return isinstance(value, FastMCP)


def _kind(value: object) -> str:
    return f"a {type(value).__module__}.{type(value).__qualname__}".replace("a builtins.", "a ")
