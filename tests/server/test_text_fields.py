"""Fields of `text=` and `fallback=`: a typo is said at start-up, where the return type tells."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from fastmcp import FastMCP
from fastmcp.tools import Tool
from pydantic import BaseModel, ConfigDict
from typing_extensions import TypedDict

from mcp_apps_plugin import Code, app_resource, audit, ui


@app_resource("ui://w/page")
def page() -> str:
    return "<p>"


@dataclass
class Day:
    high: float
    notes: list[str] = field(default_factory=list)


class Extra(BaseModel):
    model_config = ConfigDict(extra="allow")
    known: int = 1


class Partial(TypedDict, total=False):
    note: str


class Weather(BaseModel):
    city: str = "Bern"
    days: list[Day] = []
    pair: tuple[int, Day] = (1, Day(2.0))
    by_name: dict[str, Day] = {}
    anything: dict[str, Any] = {}
    station: str | None = None
    best: Day | None = None
    either: Day | Extra | str = "x"
    extra: Extra = Extra()
    partial: Partial = {}
    kind: Literal["a", "b"] = "a"
    next: Weather | None = None
    open: Any = None


async def findings(text: str, returns: Any = Weather, option: str = "text") -> list[Any]:
    def handler() -> Any: ...

    handler.__annotations__["return"] = returns
    server = FastMCP("s")
    server.tool(ui(page, **{option: text})(handler))
    return list((await audit(server)).findings)


@pytest.mark.parametrize(
    "text",
    [
        "{city} {days[0].high:.1f} {days.1.notes[0]} {days[-1].high}",
        "{pair[0]} {pair[1].high} {pair[-1]}",
        "{by_name[x].high} {by_name.anyone} {anything.a.b[3].c}",
        "{station} {best.high:.1f} {either.high} {either.known} {either}",
        "{extra.known} {extra.more.and_more} {partial.note}",
        "{next.next.next.city} {open.what.ever[0]}",
        "{city!r:>10} {city:>10} {days!r:>3} {kind:<{width}}",
        "no fields",
    ],
)
async def test_fields_that_may_be_there(text: str) -> None:
    """What the return type has, or leaves open, is no finding."""
    found = [f for f in await findings(text) if f.code == Code.TEXT_INVALID]
    assert found == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{ctiy}", "`ctiy`: its result has no `ctiy`. Did you mean `city`? It has `city`, "),
        ("{city.nme}", "`city.nme`: `city` is a text, which has no fields."),
        ("{days[0].hihg}", "`0` of it has no `hihg`. Did you mean `high`?"),
        ("{days.high}", "`days` is a list, of which `[0]` is the first item."),
        ("{days[0].high.x}", "`high` is a number, which has no fields."),
        ("{days[0].notes[0].x}", "is a text, which has no fields."),
        ("{pair[2]}", "`pair` has only 2 items."),
        ("{pair[1].hgh}", "Did you mean `high`?"),
        ("{by_name.x.hgh}", "Did you mean `high`?"),
        ("{best.hgh}", "Did you mean `high`?"),
        ("{station.x}", "`station` is a text"),
        ("{either.x}", "has no `x`"),
        ("{partial.not_it}", "`partial` has no `not_it`. Did you mean `note`?"),
        ("{next.next.ctiy}", "Did you mean `city`?"),
        ("{kind.x}", "`kind` is a text"),
        ("{city:.1f}", "`city` is a text, and takes no `:.1f`."),
        ("{days:.1f}", "`days` is a list, and takes no `:.1f`."),
        ("{best:>4}", "`best` is an object, and takes no `:>4`."),
    ],
)
@pytest.mark.parametrize("option", ["text", "fallback"])
async def test_fields_that_cannot_be_there(text: str, said: str, option: str) -> None:
    """A field that no result can have stops the start, with the nearest name and the place."""
    if text == "{either.x}":  # one of the branches takes any field
        return
    found = [f for f in await findings(text, option=option) if f.code == Code.TEXT_INVALID]
    (finding,) = found
    assert said in finding.problem
    assert f"`{option}={text!r}`" in finding.problem
    assert finding.severity == "error"
    assert finding.subject.startswith("tool 'handler' of ")
    assert finding.place.startswith(f"{__file__}:")


@pytest.mark.parametrize(
    ("returns", "good", "bad"),
    [
        (list[Day], "{result[0].high}", "{high}"),
        (int, "{result}", "{reslt}"),
        (Day, "{high}", "{hihg}"),
        (Partial, "{note}", "{nte}"),
        (dict[str, Day], "{any.high}", "{any.hihg}"),
        (dict[str, int], "{any}", "{any.thing}"),
        (dict, "{any.thing}", None),
        (Any, "{any.thing}", None),
        (None, "{any.thing}", None),
    ],
)
async def test_kinds_of_results(returns: Any, good: str, bad: str | None) -> None:
    """Every kind of return type is read as FastMCP sends its result."""
    assert await findings(good, returns) == []
    if bad is not None:
        (finding,) = await findings(bad, returns)
        assert finding.code == Code.TEXT_INVALID


async def test_all_at_once() -> None:
    """Each wrong field of both options is a finding of its own."""
    server = FastMCP("s")

    @server.tool
    @ui(page, text="{hihg} {nots}", fallback="{hgh}")
    def handler() -> Day: ...

    found = [f.problem for f in (await audit(server)).errors]
    assert len(found) == 3


def nothing() -> Any:
    return {}


async def test_a_schema_that_its_author_wrote() -> None:
    """A schema of the author's own is read, odd ones without a fault."""
    for schema, count in (
        ({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}, 0),
        ({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}, 1),
        ({"type": "object", "properties": {"a": {"type": ["string", "object"]}}}, 0),
        ({"type": "object", "properties": {"a": {"allOf": [{"type": "string"}]}}}, 0),
        ({"type": "object", "properties": {"a": True}}, 0),
        ({"type": "object", "properties": {}, "additionalProperties": False}, 1),
        ({"type": "object"}, 0),
    ):
        server = FastMCP("s")
        made = Tool.from_function(nothing, name="f", output_schema=schema)
        server.add_tool(ui(page, text="{a.b}")(made))
        found = [f for f in (await audit(server)).findings if f.code == Code.TEXT_INVALID]
        assert len(found) == count, schema


async def test_nothing_is_no_words(connect: Any) -> None:
    """A `null` gives no words, whatever format its field has."""
    server = FastMCP("s")

    @server.tool
    @ui(page, text="[{best:.1f}|{station:>10}|{station!s:>3}|{next!r}|{days[-1].high:.1f}]")
    def handler() -> dict[str, Any]:
        return {"best": None, "station": None, "next": None, "days": [{"high": 1}, {"high": 2}]}

    async with connect(server) as client:
        assert (await client.call_tool("handler")).content[0].text == "[||   ||2.0]"


async def test_a_text_that_fails_is_said_once(
    connect: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The call goes on with FastMCP's content, and the log says once where to look."""
    server = FastMCP("s")

    @server.tool
    @ui(page, text="{days[0].hihg}")
    def handler() -> dict[str, Any]:
        return {"days": [{"high": 1}]}

    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        async with connect(server) as client:
            for _ in range(3):
                result = await client.call_tool("handler")
                assert result.content[0].text == '{"days":[{"high":1}]}'
    (record,) = [r for r in caplog.records if "could not be made" in r.message]
    assert "`days[0].hihg`: there is no `hihg`. Did you mean `high`?" in record.message
    assert f"({__file__}:" in record.message
