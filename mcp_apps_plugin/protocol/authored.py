"""What authors call: a wrong call is answered in this package's words, at the line it stands."""

from __future__ import annotations

import functools
import sys
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from mcp_apps_plugin.protocol.findings import (
    AppsTypeError,
    Code,
    Finding,
    MCPAppsError,
    did_you_mean,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_F = TypeVar("_F", bound="Callable[..., Any]")
_BETWEEN = ("mcp_apps_plugin", "pydantic")


def authored(
    code: Code, subject: str, consequence: str = "Nothing was declared."
) -> Callable[[_F], _F]:
    """Let a function say where it was called wrongly, and which options it has.

    Its own errors get the place of the call, and come without the frames of this package: what is
    left of the traceback is the author's. Python's "unexpected keyword argument" becomes a
    finding. For type checkers the function stays what it is.

    Args:
        code: The code of a call that does not fit.
        subject: How an author knows the function, for example `@ui`.
        consequence: What follows from such a call.
    """

    def wrap(function: _F) -> _F:
        @functools.wraps(function)
        def called(*args: Any, **options: Any) -> Any:
            try:
                return function(*args, **options)
            except MCPAppsError as error:
                raise placed(error, calling_place()).with_traceback(None) from None
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise  # from inside: the call did fit
                problem, remedy = _misfit(function, options, str(error))
                finding = Finding(code, subject, problem, consequence, remedy)
                raise AppsTypeError(replace(finding, place=calling_place())) from None

        return cast("_F", called)

    return wrap


def placed(error: MCPAppsError, place: str) -> MCPAppsError:
    """Say in an error where it was written, where that is not said already."""
    findings = (f if f.place else replace(f, place=place) for f in error.findings)
    MCPAppsError.__init__(error, *findings)
    return error


def calling_place(*, direct: bool = False) -> str:
    """Return where the author's code is that runs, as `file:line`.

    Args:
        direct: Only where the author's code called the caller of this; nothing otherwise.
    """
    if direct and _is_between(sys._getframe(2).f_globals.get("__name__") or ""):  # noqa: SLF001
        return ""
    file, line = caller()
    return f"{file}:{line}"


def caller() -> tuple[str, int]:
    """Return the file and the line of the author's code that runs."""
    frame = sys._getframe(1)  # noqa: SLF001  the only way to know the author's file
    while frame.f_back is not None and _is_between(frame.f_globals.get("__name__") or ""):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def warn_author(finding: Finding, category: type[Warning]) -> None:
    """Warn at the line of the author's code that runs: it imports, or makes a server."""
    frame = sys._getframe(1)  # noqa: SLF001  as above; `skip_file_prefixes` is Python 3.12's
    while frame.f_back is not None and _is_between(
        frame.f_globals.get("__name__") or "", (*_BETWEEN, "fastmcp", "importlib")
    ):
        frame = frame.f_back
    warnings.warn_explicit(str(finding), category, frame.f_code.co_filename, frame.f_lineno)


def _is_between(module: str, packages: tuple[str, ...] = _BETWEEN) -> bool:
    return module.partition(".")[0] in packages


def _misfit(function: Callable[..., Any], options: dict[str, Any], said: str) -> tuple[str, str]:
    """Return what is wrong with a call, and the remedy."""
    plain = cast("Any", function).__code__
    names = plain.co_varnames[: plain.co_argcount + plain.co_kwonlyargcount]
    known = [name for name in names if name != "self"]
    unknown = [name for name in options if name not in known]
    listed = ", ".join(f"`{name}=`" for name in known)
    if unknown:
        hint = did_you_mean(unknown[0], known).replace("`?", "=`? ").lstrip()
        problem = f"has no {', '.join(f'`{name}=`' for name in unknown)}."
        return problem, f"{hint}Its options are {listed}."
    problem = f"is called in a way that does not fit: {said}."
    return problem, f"Write options by their names: {listed}."
