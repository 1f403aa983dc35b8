"""`text=` and `fallback=`: what the model reads, with everything else of the result left alone."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool, ToolResult
from fastmcp.utilities.types import Image
from mcp_types import TextContent

from mcp_apps_plugin import app_resource, attach_ui, ui

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

KNOWS = {"mimeTypes": ["text/html;profile=mcp-app"]}


@app_resource("ui://w/page")
def page() -> str:
    return "<p>w</p>"


@dataclass
class Day:
    high: float
    notes: list[str]


@dataclass
class Weather:
    city: str
    days: list[Day]
    station: str | None = None


BERN = Weather("Bern", [Day(21.46, ["warm"]), Day(18.0, [])])


async def words(connect: Connect, handler: Any, apps: Any = None, **options: Any) -> list[str]:
    server = FastMCP("s")
    server.tool(ui(page, **options)(handler))
    return [block.text for block in (await call(connect, server, apps)).content]


async def call(connect: Connect, server: FastMCP[Any], apps: Any = None) -> Any:
    async with connect(server, apps=apps) as client:
        (tool,) = await client.list_tools()
        return await client.call_tool(tool.name)


def weather() -> Any:
    def get_weather() -> Weather:
        return BERN

    return get_weather


def loose() -> Any:
    """The same, without saying what comes: only a call can tell whether a text fits."""

    def get_weather() -> dict[str, Any]:
        return asdict(BERN)

    return get_weather


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{city}", "Bern"),
        ("{city}: {days[0].high:.1f} °C", "Bern: 21.5 °C"),
        ("{days.1.high}", "18.0"),
        ("{days[-1].high}", "18.0"),
        ("{days[0].notes[0]}", "warm"),
        ("{city!r:>8}", "  'Bern'"),
        ("{{{city}}}", "{Bern}"),
        ("[{station}]", "[]"),
        ("plain words", "plain words"),
        ("", ""),
        (lambda w: f"{w.city}, {len(w.days)} days", "Bern, 2 days"),
        (lambda w: [TextContent(type="text", text=w.city)], "Bern"),
        (lambda w: TextContent(type="text", text=w.city), "Bern"),
    ],
)
async def test_text(connect: Connect, text: Any, expected: str) -> None:
    """A format string reads the structured result, a function what the handler returned."""
    assert await words(connect, weather(), text=text) == [expected]


async def test_the_rest_of_the_result_stays(connect: Connect) -> None:
    """`structuredContent` and `outputSchema` are those of the tool without `text=`."""
    results, schemas = [], []
    for options in ({}, {"text": "{city}"}):
        server = FastMCP("s")
        server.tool(ui(page, **options)(weather()))
        async with connect(server) as client:
            schemas.append((await client.list_tools())[0].output_schema)
            results.append(await client.call_tool("get_weather"))
    assert schemas[0] == schemas[1]
    assert results[0].structured_content == results[1].structured_content
    assert results[0].meta == results[1].meta
    assert results[1].content[0].text == "Bern"


@pytest.mark.parametrize(
    "text",
    [
        "{city.name}",
        "{days[7].high}",
        "{city:d}",
        "{days[x]}",
        lambda w: w["nothing"],
        lambda _: 1 / 0,
        lambda _: 3,
        lambda _: [3],
        lambda _: {"type": "text"},
    ],
)
async def test_a_text_that_fails(
    connect: Connect, text: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A text that does not fit this result keeps FastMCP's content, and says so in the log."""
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        plain = await words(connect, loose())
        assert await words(connect, loose(), text=text) == plain
    assert plain[0].startswith('{"city":"Bern"')
    (record,) = [r for r in caplog.records if "could not be made" in r.message]
    assert "get_weather" in record.message
    assert "text-invalid" in record.message


async def test_a_text_never_reaches_into_python(connect: Connect) -> None:
    """Fields go through the result's JSON, never into attributes of Python objects."""
    text = "{city.__class__.__mro__}"
    assert (await words(connect, loose(), text=text))[0].startswith('{"city":"Bern"')


@pytest.mark.parametrize("text", [None, lambda _: None])
async def test_no_text(connect: Connect, text: Any) -> None:
    """Without a text, and where its function returns `None`, the content is FastMCP's."""
    assert (await words(connect, weather(), text=text))[0].startswith('{"city":"Bern"')


async def test_results_that_are_no_objects(connect: Connect) -> None:
    """A wrapped result is read as FastMCP sends it, under `result`."""

    def count() -> int:
        return 3

    assert await words(connect, count, text="{result} of them") == ["3 of them"]


@pytest.mark.parametrize(
    ("apps", "expected"),
    [
        (None, "FALLBACK"),
        ({"mimeTypes": ["text/html"]}, "FALLBACK"),
        ({}, "FALLBACK"),
        (KNOWS, "TEXT"),
    ],
)
async def test_fallback(connect: Connect, apps: Any, expected: str) -> None:
    """`fallback=` goes to clients known not to show pages, `text=` to those that do."""
    options = {"text": "TEXT", "fallback": lambda _: "FALLBACK"}
    assert await words(connect, weather(), apps, **options) == [expected]


async def test_fallback_alone(connect: Connect) -> None:
    """With `fallback=` alone, clients that show pages read FastMCP's content."""
    assert await words(connect, weather(), None, fallback="F") == ["F"]
    assert (await words(connect, weather(), KNOWS, fallback="F"))[0].startswith('{"city":"Bern"')


async def test_fallback_for_unknown_clients(wire: Any) -> None:
    """A stateless client of the older era is unknown, so it reads `text=`."""
    server = FastMCP("s")
    server.tool(ui(page, text="TEXT", fallback="F")(weather()))
    async with wire(server, "2025-11-25", stateless=True) as raw:
        answer = await raw.send("tools/call", name="get_weather", arguments={})
    assert answer["result"]["content"] == [{"type": "text", "text": "TEXT"}]


async def test_payloads_are_never_withheld(connect: Connect) -> None:
    """Link and structured result go to clients that declare nothing, too."""
    server = FastMCP("s")
    server.tool(ui(page, fallback="F")(weather()))
    async with connect(server) as client:
        assert (await client.list_tools())[0].meta["ui"]["resourceUri"] == "ui://w/page"
        result = await client.call_tool("get_weather")
    assert result.structured_content["city"] == "Bern"


async def test_errors_are_untouched(connect: Connect) -> None:
    """An error, raised or returned, keeps its words."""
    server = FastMCP("s")

    @server.tool
    @ui(page, text="fine")
    def raises() -> dict[str, int]:
        message = "broken"
        raise ToolError(message)

    @server.tool
    @ui(page, text="fine")
    def returns() -> ToolResult:
        return ToolResult(content="no", structured_content={"a": 1}, is_error=True)

    async with connect(server) as client:
        for name, said in (("raises", "broken"), ("returns", "no")):
            result = await client.call_tool(name, raise_on_error=False)
            assert result.is_error
            assert [block.text for block in result.content] == [said]


async def test_tool_results(connect: Connect) -> None:
    """A `ToolResult` keeps its structured result and `_meta`; without `text=` its content too."""

    def handler() -> ToolResult:
        return ToolResult(content="own", structured_content={"a": 1}, meta={"k": 2})

    for options, said in (({}, "own"), ({"text": "{a}!"}, "1!")):
        server = FastMCP("s")
        server.tool(ui(page, **options)(_copy(handler)))
        result = await call(connect, server)
        assert [block.text for block in result.content] == [said]
        assert result.structured_content == {"a": 1}
        assert result.meta["k"] == 2


async def test_content_is_never_empty(connect: Connect) -> None:
    """A tool with a page that leaves `content` empty gets its structured result as text."""

    def handler() -> ToolResult:
        return ToolResult(content=[], structured_content={"a": 1})

    with_page, without = FastMCP("s"), FastMCP("s")
    with_page.tool(ui(page)(_copy(handler)))
    without.tool(handler)
    assert [b.text for b in (await call(connect, with_page)).content] == ['{"a":1}']
    assert (await call(connect, without)).content == []


async def test_other_content_stays(connect: Connect) -> None:
    """Images and mixed lists pass unless a text is declared."""

    def handler() -> Any:
        return ["words", Image(data=b"x", format="png")]

    server = FastMCP("s")
    server.tool(output_schema=None)(ui(page)(handler))
    assert [b.type for b in (await call(connect, server)).content] == ["text", "image"]


async def test_tools_made_from_tools(connect: Connect) -> None:
    """A text follows the tool through `Tool.from_tool`, and one on the new tool counts there."""
    server = FastMCP("s")
    first = Tool.from_function(ui(page, text="1 {city}")(weather()))
    server.add_tool(Tool.from_tool(first, name="again"))
    assert [b.text for b in (await call(connect, server)).content] == ["1 Bern"]
    server = FastMCP("s")
    plain = Tool.from_function(weather())
    server.add_tool(ui(page, text="2 {city}")(Tool.from_tool(plain, name="again")))
    assert [b.text for b in (await call(connect, server)).content] == ["2 Bern"]


async def test_through_a_mount(connect: Connect) -> None:
    """A mounted server's tools keep their words."""
    child, parent = FastMCP("child"), FastMCP("parent")
    child.tool(ui(page, text="{city}!", fallback="F")(weather()))
    parent.mount(child, namespace="c")
    assert [b.text for b in (await call(connect, parent, KNOWS)).content] == ["Bern!"]
    assert [b.text for b in (await call(connect, parent)).content] == ["F"]


async def test_attached_tools_keep_their_content(connect: Connect) -> None:
    """`attach_ui` changes no words."""
    server = FastMCP("s")
    server.tool(weather())
    attach_ui(server, {"get_weather": page})
    assert (await call(connect, server)).content[0].text.startswith('{"city":"Bern"')


async def test_async_handlers(connect: Connect) -> None:
    """An async handler's words are made the same way."""

    async def later() -> Weather:
        return BERN

    assert await words(connect, later, text="{city}") == ["Bern"]
    assert await words(connect, _copy(later), text=lambda w: w.days[0].notes[0]) == ["warm"]


def _copy(function: Any) -> Any:
    made = type(function)(function.__code__, function.__globals__, function.__name__)
    made.__annotations__ = dict(function.__annotations__)
    return made


@pytest.mark.parametrize("option", ["text", "fallback"])
def test_the_first_words_of_a_process_count_from_the_next_call(
    run_python: Any, option: str
) -> None:
    """Where no tool has words, results are not looked at; then one tool gets some."""
    code = f"""
import asyncio, json
from fastmcp import Client, FastMCP
from fastmcp.tools import ToolResult
from mcp_apps_plugin import ui

mcp = FastMCP("late")

@mcp.tool
@ui("ui://late/page", html="page.html")
def plain() -> dict[str, int]:
    return {{"n": 1}}

@mcp.tool
@ui(visibility="app")
def wordless() -> ToolResult:
    return ToolResult(content=[], structured_content={{"n": 2}})

async def main():
    said = []
    async with Client(mcp, mode="legacy") as client:
        for _ in range(2):
            for name in ("plain", "wordless"):
                said.append((await client.call_tool(name)).content[0].text)
            if not any(tool.name == "late" for tool in await client.list_tools()):
                mcp.tool(ui(visibility="app", {option}="{{n}} of them")(late))
        said.append((await client.call_tool("late")).content[0].text)
    return said

def late() -> dict[str, int]:
    return {{"n": 3}}

open("page.html", "w").write("<p>late</p>")
print(json.dumps(asyncio.run(main())))
"""
    plain, wordless = '{"n":1}', '{"n":2}'
    assert run_python(code) == [plain, wordless, plain, wordless, "3 of them"]
