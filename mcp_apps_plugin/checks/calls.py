"""Calling tools to look at their results, and the rules for what comes back."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final, Literal

import mcp_types
from mcp import MCPError

from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.checks.samples import sample_arguments
from mcp_apps_plugin.protocol.findings import Code, sentence
from mcp_apps_plugin.protocol.links import link_of, visibility_of
from mcp_apps_plugin.protocol.shapes import as_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_apps_plugin.checks.questions import Answer, Questions, Unanswered
    from mcp_apps_plugin.checks.snapshot import Era
    from mcp_apps_plugin.host.connection import ServerConnection
    from mcp_apps_plugin.protocol.findings import Finding, Severity
    from mcp_apps_plugin.protocol.shapes import JsonObject

_AT_ONCE: Final = 8
_SECONDS: Final = 60.0
_NOBODY: Final = re.compile(rf"\[{Code.ELICIT_UNSUPPORTED}\]|Elicitation not supported")
_MISFIT: Final = re.compile(
    r"Invalid (structured content|schema) |Tool .* has an output schema but"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """Which tools to call, and with what.

    Attributes:
        arguments: Arguments by tool; a tool named here is called whatever the policy says.
        skip: Tools that are not called.
        policy: Which others to call: `"none"`; `"read-only"`, those that say so themselves and
            whose arguments their schema gives; `"made-up"`, the same with arguments made up as
            needed; or `"all"`, where only tools marked as destructive are left out besides.
        answers: What to answer when a tool asks its user: for each question in turn the fields, or
            `"decline"` or `"cancel"`; a tool named here is called too. A tool that asks more
            counts as not called. With `None` clients say that nobody can be asked.
    """

    arguments: Mapping[str, JsonObject] = field(default_factory=dict[str, "JsonObject"])
    skip: frozenset[str] = frozenset()
    policy: Literal["none", "read-only", "made-up", "all"] = "read-only"
    answers: Mapping[str, Sequence[Answer]] | None = field(
        default_factory=dict[str, "Sequence[Answer]"]
    )

    def names(self, tool: str) -> bool:
        """Tell whether a tool is to be called by its name."""
        return tool in self.arguments or tool in (self.answers or {})

    def choose(self, tool: mcp_types.Tool) -> tuple[JsonObject, bool] | str:
        """Return the arguments to call a tool with, and whether they are made up.

        For a tool that is not called, return the reason.
        """
        if tool.name in self.skip:
            return "skipped as told"
        if tool.name in self.arguments:
            return dict(self.arguments[tool.name]), False
        if self.names(tool.name):
            return sample_arguments(tool.input_schema)
        if self.policy == "none":
            return "none is called"
        if tool.annotations is not None and tool.annotations.destructive_hint is True:
            return "marked as destructive"
        if self.policy != "all" and not only_reads(tool):
            return "not marked as read-only"
        given, made_up = sample_arguments(tool.input_schema)
        if made_up and self.policy == "read-only":
            return "no arguments are known"
        return given, made_up

    def wanted(self, tools: Sequence[mcp_types.Tool], ui_tools: Sequence[mcp_types.Tool]) -> Plan:
        """Divide tools into those to call and those not to.

        Args:
            tools: All that the server lists; those that `arguments` names are called.
            ui_tools: Those of them that take part in MCP Apps.
        """
        named = [tool for tool in tools if self.names(tool.name) and tool not in ui_tools]
        # Whoever names tools that write says their order too.
        order = {name: place for place, name in enumerate((*self.arguments, *(self.answers or ())))}
        plan = Plan()
        for tool in (*ui_tools, *named):
            chosen = self.choose(tool)
            if isinstance(chosen, str):
                plan.skipped[tool.name] = chosen
            else:
                plan.calls.append(Called(tool, *chosen, named=self.names(tool.name)))
        plan.calls.sort(key=lambda each: order[each.tool.name] if each.asked_to_write else -1)
        return plan


@dataclass(slots=True)
class Called:
    """What came of one call.

    Attributes:
        tool: The tool.
        arguments: What it was called with.
        made_up: Whether these were made up.
        named: Whether they were asked for.
        result: What came, or `None`.
        error: What was said in place of a result.
        misfit: How the result does not fit the tool's output schema.
        asks: What it asked its user without getting an answer.
        after: The tools that were called before it and may have written.
    """

    tool: mcp_types.Tool
    arguments: JsonObject
    made_up: bool
    named: bool = False
    result: mcp_types.CallToolResult | None = None
    error: str | None = None
    misfit: str | None = None
    asks: Unanswered | None = None
    after: tuple[str, ...] = ()

    @property
    def asked_to_write(self) -> bool:
        """Whether the tool was named, and may write."""
        return self.named and not only_reads(self.tool)

    @property
    def failed(self) -> bool:
        """Whether no result came that could be looked at."""
        return self.error is not None or self.result is None or self.result.is_error


def only_reads(tool: mcp_types.Tool) -> bool:
    """Tell whether a tool says that it changes nothing; without a word it may, by MCP."""
    return tool.annotations is not None and tool.annotations.read_only_hint is True


@dataclass(slots=True)
class Plan:
    """What is done with the tools of one server.

    Attributes:
        calls: The calls to make.
        skipped: Why the other tools are not called, by name.
    """

    calls: list[Called] = field(default_factory=list["Called"])
    skipped: dict[str, str] = field(default_factory=dict[str, str])


async def call_tools(
    client: ServerConnection,
    calls: Sequence[Called],
    questions: Questions | None,
    era: Era,
    wrote: Sequence[str] = (),
) -> None:
    """Make calls, a few at a time, and keep what comes of each.

    Tools that were named and may write come last, one at a time and in their order.

    Args:
        client: A connected client.
        calls: The calls.
        questions: Answers what the tools ask, or `None` where somebody else does.
        era: The era that the client speaks.
        wrote: The tools that were called before these and may have written.
    """
    # Only in the modern era a question says which call it belongs to.
    at_once = asyncio.Semaphore(1 if questions is not None and era == "legacy" else _AT_ONCE)

    async def call(each: Called) -> None:
        async with at_once:
            if questions is None:
                await _make(client, each)
                return
            with questions.during(each.tool.name):
                await _make(client, each)
            each.asks = questions.unanswered(each.tool.name)

    first = [each for each in calls if not each.asked_to_write]
    last = [each for each in calls if each.asked_to_write]
    for each in first:
        each.after = tuple(wrote)
    await asyncio.gather(*map(call, first))
    done = [*wrote, *writing(first)]
    for each in last:
        each.after = tuple(dict.fromkeys(done))
        await call(each)
        done.append(each.tool.name)


def writing(calls: Sequence[Called]) -> list[str]:
    """Name the tools that were called and may have written."""
    return [each.tool.name for each in calls if not only_reads(each.tool)]


async def _make(client: ServerConnection, each: Called) -> None:
    try:
        async with asyncio.timeout(_SECONDS):
            each.result = await client.call_tool_mcp(each.tool.name, each.arguments)
    except MCPError as error:
        each.error = error.message
    except TimeoutError:
        each.error = f"no answer within {_SECONDS:g} s"
    except RuntimeError as error:
        # The client compares every result with the tool's schema, and says it this way.
        said = str(error).partition("\n")[0]
        if _MISFIT.match(said):
            each.misfit = said
        else:
            each.error = said
    except ValueError as error:
        each.error = str(error).partition("\n")[0]


def judge_call(
    called: Called, budget: int, unknown: Severity = "error", *, alone: bool = False
) -> Iterator[Finding]:
    """Apply the rules for results to one call.

    Args:
        called: The call.
        budget: The size above which some hosts refuse, in bytes.
        unknown: How much it weighs that there is no result to look at, where the tool ran and
            said that nobody asked for it in the right way.
        alone: Whether the client said that it has no user who could be asked.
    """
    subject = f"result of tool {called.tool.name!r}"
    result = called.result
    if called.asks is not None:
        yield _unanswered(called.tool.name, called.asks)
        return
    if called.misfit is not None:
        yield found(
            CheckCode.RESULT_SCHEMA,
            subject,
            f"does not fit the tool's `outputSchema`: {called.misfit[:300]}",
            "Clients must compare the two; strict ones turn the result into an error.",
            "Correct the schema or the result.",
        )
        return
    failed = called.error or (_text(result) if result is not None and result.is_error else None)
    if failed is not None or result is None:
        yield _failure(called, failed or "", unknown, alone=alone)
        return
    if "model" in visibility_of(called.tool.meta) and not _is_meaningful(result):
        yield found(
            CheckCode.RESULT_TEXT,
            subject,
            "has nothing in its `content` to read.",
            "The model, and every user of a host without pages, gets nothing.",
            "Say in a text block what the page shows; `@ui(text=...)` does it.",
        )
    yield from _structure(called, result, subject)
    size = len(result.model_dump_json(by_alias=True, exclude_none=True).encode(errors="replace"))
    if size > budget:
        yield found(
            CheckCode.RESULT_SIZE,
            subject,
            f"has {size:,} bytes; the budget is {budget:,}.",
            "Some hosts refuse results above 1 MB, or cut them.",
            "Return a first part, and let the page fetch the rest through a tool.",
        )


def _unanswered(tool: str, asked: Unanswered) -> Finding:
    fields = ", ".join(f'"{name}": …' for name in asked.fields)
    return found(
        CheckCode.CALL_FAILED,
        f"tool {tool!r}",
        f"asks its user {asked.question!r}, and {asked.problem}.",
        "Its result could not be looked at.",
        f"Answer each of its questions in turn: `--answer '{tool}={{{fields}}}'`.",
    )


def _failure(called: Called, said: str, unknown: Severity, *, alone: bool) -> Finding:
    known = "error" if called.named or called.error is not None else unknown
    if alone and _NOBODY.search(said):
        asked = re.search(r"the question (.+?): cannot be asked", said, re.DOTALL)
        return found(
            CheckCode.CALL_FAILED,
            f"tool {called.tool.name!r}",
            f"asks its user{_shortened(asked[1]) if asked else ''}, and nobody is there to answer.",
            "Its result could not be looked at.",
            'Answer for the user: `elicitation={"field": value}`, or a function; or leave the tool '
            f"out: `skip=[{called.tool.name!r}]`.",
            severity=known,
        )
    said = sentence(" ".join(said.split())[:300])
    if called.after:
        before = ", ".join(f"`{name}`" for name in called.after)
        said += f" Called before it, and not marked as read-only: {before}."
    if called.made_up:
        return found(
            CheckCode.CALL_ARGUMENTS,
            f"tool {called.tool.name!r}",
            f"was called with {called.arguments!r}, which were made up, and answered: {said}",
            "Its result could not be looked at.",
            "Say what to call it with (`arguments=` in a test, `--call` on the command line), or "
            "give its parameters `examples`.",
            severity=unknown,
        )
    return found(
        CheckCode.CALL_FAILED,
        f"tool {called.tool.name!r}",
        f"is listed, and answered {called.arguments!r} with: {said}",
        "Its page never gets a result.",
        "Call it with any MCP client and look at the server's log, or say what to call it with.",
        severity=known,
    )


def _shortened(question: str) -> str:
    return f" {shorten(question, 200, placeholder=question[0])}"


def _text(result: mcp_types.CallToolResult) -> str:
    texts = [b.text for b in result.content if isinstance(b, mcp_types.TextContent)]
    return " ".join(texts).strip() or "an error without a text"


def _is_meaningful(result: mcp_types.CallToolResult) -> bool:
    return any(
        bool(block.text.strip()) if isinstance(block, mcp_types.TextContent) else True
        for block in result.content
    )


def _structure(called: Called, result: mcp_types.CallToolResult, subject: str) -> Iterator[Finding]:
    data: Any = result.structured_content
    if link_of(called.tool.meta) is None:
        return
    if data is None and called.tool.output_schema is None:
        yield found(
            CheckCode.RESULT_STRUCTURE,
            subject,
            "has no `structuredContent`.",
            "Its page has to read what it shows out of a text meant for the model.",
            "Return an object, with a return annotation that says its fields.",
            severity="warning",
        )
    elif data is not None and as_object(data) is None:
        yield found(
            CheckCode.RESULT_STRUCTURE,
            subject,
            f"has a {type(data).__name__} as `structuredContent`.",
            "Pages with an older library, and some hosts, take an object and nothing else.",
            "Return an object with named fields.",
        )
