"""`mcp-apps check`: everything a host would not forgive, before a host sees it.

Exit codes: 0 nothing that counts was found; 1 something was; 2 the command was not understood, or
the server could not be looked at.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence  # noqa: TC003  cyclopts reads the annotations
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from mcp_apps_plugin.checks.browser.chromium import BrowserUnavailableError
from mcp_apps_plugin.checks.calls import CallPlan
from mcp_apps_plugin.checks.codes import CheckCode, HostName
from mcp_apps_plugin.checks.explain import chain
from mcp_apps_plugin.checks.explain import explain as explain_tool
from mcp_apps_plugin.checks.formats import WRITERS, Format
from mcp_apps_plugin.checks.run import Examined, Options, examine
from mcp_apps_plugin.cli.headers import read_headers
from mcp_apps_plugin.cli.load import LoadError, load_server
from mcp_apps_plugin.protocol.shapes import as_object
from mcp_apps_plugin.server.switch import is_active

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from fastmcp import FastMCP

    from mcp_apps_plugin.checks.questions import Answer
    from mcp_apps_plugin.protocol.shapes import JsonObject

Calls = Literal["none", "read-only", "all"]
_WORDS: dict[str, Answer] = {"decline": "decline", "cancel": "cancel"}


def check(
    server: Annotated[
        str | None,
        Parameter(help="The file that makes the server: `server.py`, or `server.py:name`."),
    ] = None,
    *,
    url: Annotated[
        str | None, Parameter(help="The address of a running server, in any language.")
    ] = None,
    header: Annotated[
        Sequence[str],
        Parameter(
            help='Sent with each request to `--url`: `"Authorization: Bearer …"`. May be repeated.',
            negative=(),
            show_default=False,
        ),
    ] = (),
    format: Annotated[  # noqa: A002  the option's name
        Format, Parameter(help="How to print the findings.")
    ] = "text",
    host: Annotated[
        Sequence[HostName],
        Parameter(
            help="Also what this host needs. May be repeated.", negative=(), show_default=False
        ),
    ] = (),
    strict: Annotated[
        bool,
        Parameter(
            help="Warnings count as errors for the exit code.", negative=(), show_default=False
        ),
    ] = False,
    browser: Annotated[
        bool,
        Parameter(
            help="Open each page in Chromium, under its own policy.",
            negative=(),
            show_default=False,
        ),
    ] = False,
    call: Annotated[
        Sequence[str],
        Parameter(
            help='Call this tool and look at its result: `NAME` or `NAME={"key": …}`. May be '
            "repeated.",
            negative=(),
            show_default=False,
        ),
    ] = (),
    answer: Annotated[
        Sequence[str],
        Parameter(
            help='Call this tool, and answer what it asks its user: `NAME={"field": …}`, or '
            "`NAME=decline`. May be repeated, once for each question.",
            negative=(),
            show_default=False,
        ),
    ] = (),
    calls: Annotated[
        Calls,
        Parameter(help="Which other tools to call: those marked as read-only, all, or none."),
    ] = "read-only",
    explain: Annotated[
        str | None,
        Parameter(name="--explain", help="Follow one tool to its page, step by step."),
    ] = None,
) -> int:
    """List everything that is wrong with a server's tools and pages.

    The server is connected to by clients of every kind, and its pages are read as hosts read
    them. Exits with 1 when there are errors, and with 2 when it could not be looked at.
    """
    options = Options(
        hosts=frozenset(host),
        plan=CallPlan(arguments=_arguments(call), policy=calls, answers=_answers(answer)),
        browser=browser,
        headers=read_headers(header),
    )
    if header and url is None:
        message = "--header is for a server that `--url` names."
        raise LoadError(message)
    try:
        with _quiet():
            examined = asyncio.run(
                examine(_target(server, url), options, surveyed=explain is not None)
            )
    except BrowserUnavailableError as error:
        message = f"--browser: {error}."
        raise LoadError(message) from None
    if server is not None:
        examined.report = replace(examined.report, artifact=server.rpartition(":")[0] or server)
    report = examined.report
    unreachable = not examined.recording.snapshots and any(
        finding.code == CheckCode.SERVER_UNREACHABLE for finding in report.findings
    )
    if not unreachable:
        _refuse_unknown("--call", _arguments(call), examined)
        _refuse_unknown("--answer", _answers(answer), examined)
    if explain is not None and not unreachable:
        return _explain(examined, explain)
    print(WRITERS[format](report))  # noqa: T201  it is what a command does
    if unreachable:
        return 2
    return int(bool(report.errors or (strict and report.warnings)))


def _target(server: str | None, url: str | None) -> FastMCP[Any] | str:
    if (server is None) == (url is None):
        message = "name one server: its file, or `--url` and its address."
        raise LoadError(message)
    if url is not None and not url.startswith(("http://", "https://")):
        message = f"--url {url} is no http address. It ends with the endpoint, often `/mcp`."
        raise LoadError(message)
    if url is not None:
        return url
    if not is_active():  # a variable that was left over must not make a broken server look right
        message = (
            "MCP_APPS_DISABLE switches the package off: unset it, to check what hosts will see."
        )
        raise LoadError(message)
    return load_server(server or "")


def _arguments(named: Sequence[str]) -> dict[str, JsonObject]:
    given: dict[str, JsonObject] = {}
    for each in named:
        name, equals, text = each.partition("=")
        given[name] = _object(f"--call {each}", text) if equals else {}
    return given


def _answers(named: Sequence[str]) -> dict[str, list[Answer]]:
    given: dict[str, list[Answer]] = {}
    for each in named:
        name, _, text = each.partition("=")
        answer = _WORDS.get(text) or _object(f"--answer {each}", text)
        given.setdefault(name, []).append(answer)
    return given


def _object(option: str, text: str) -> JsonObject:
    try:
        value: Any = json.loads(text)
    except ValueError as error:
        message = f"{option}: what follows `=` is no JSON ({error})."
        raise LoadError(message) from None
    given = as_object(value)
    if given is None:
        message = f"{option}: what follows `=` is no JSON object."
        raise LoadError(message)
    return given


def _refuse_unknown(option: str, named: Iterable[str], examined: Examined) -> None:
    """A tool that is not there would never be called, and nobody would know."""
    listed = {tool.name for shot in examined.recording.snapshots for tool in shot.tools}
    for name in named:
        if listed and name not in listed:
            near = ", ".join(get_close_matches(name, sorted(listed))) or ", ".join(sorted(listed))
            message = f"{option} {name}: the server lists no such tool; it lists {near[:200]}."
            raise LoadError(message)


def _explain(examined: Examined, tool: str) -> int:
    try:
        steps = explain_tool(examined, tool)
    except LookupError as error:
        message = f"--explain: {error.args[0]}."
        raise LoadError(message) from None
    print("\n".join(chain(steps, tool, repr(examined.report.target))))  # noqa: T201
    return int(any(step.broken for step in steps))


@contextmanager
def _quiet() -> Generator[None]:
    """Keep standard error for what the command says: the report has what logs would."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
