"""Tools that ask their user while a check calls them: answered as told, or not called."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from fastmcp import Context, FastMCP
from mcp_types import ToolAnnotations
from pydantic import BaseModel

import mcp_apps_plugin
from mcp_apps_plugin import elicit, ui
from mcp_apps_plugin.checks import CallPlan, Options, check_server, check_url
from mcp_apps_plugin.testing import assert_app_contract

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

PAGE = """<!doctype html><p>shop</p><script src="mcp-app.js"></script>
<script>new McpApp.App({ name: "shop", version: "1" }).connect()</script>"""
UNASKED = "asks the user, and no `--answer` is given"
KINDS = {"modern": ("modern", "apps"), "legacy": ("legacy", "apps")}


class Day(BaseModel):
    date: str


@pytest.fixture(autouse=True)
def _active():
    """The other tests of this folder switch the package off."""
    mcp_apps_plugin.activate()
    yield
    mcp_apps_plugin.deactivate()


@pytest.fixture
def said():
    """What the tools of a shop were told, by tool."""
    return {}


@pytest.fixture
def shop(said, tmp_path):
    """A server of which three tools ask, one of them twice, and one does not."""
    (tmp_path / "page.html").write_text(PAGE)
    mcp = FastMCP("Shop")

    def tool(number: int, questions: int):
        @mcp.tool(name=f"tool_{number}", annotations=ToolAnnotations(readOnlyHint=True))
        @ui("ui://shop/page", html=tmp_path / "page.html", text="{said}")
        async def ask(ctx: Context) -> dict[str, str]:
            answers = [
                await elicit(ctx, f"Question {n} of {number}?", Day) for n in range(questions)
            ]
            told = [getattr(getattr(a, "data", None), "date", a.action) for a in answers]
            said.setdefault(number, []).append(told)
            await asyncio.sleep(0)
            return {"said": f"{told}"}

    for number, questions in enumerate([0, 1, 1, 2]):
        tool(number, questions)
    return mcp


@contextlib.asynccontextmanager
async def _address(server: FastMCP[Any]) -> AsyncGenerator[str]:
    config = uvicorn.Config(
        server.http_app(), log_level="critical", ws="none", timeout_graceful_shutdown=1
    )
    running = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        task = asyncio.create_task(running.serve(sockets=[listening]))
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        running.should_exit = True
        await task


async def _check(server: FastMCP[Any], *, over_http: bool, kinds: Any = None, **plan: Any):
    options = Options(plan=CallPlan(**plan))
    options.kinds = kinds or options.kinds
    if not over_http:
        return await check_server(server, options)
    async with _address(server) as url:
        return await check_url(url, options)


ANSWERS = {
    "tool_1": [{"date": "a"}],
    "tool_2": [{"date": "b"}],
    "tool_3": [{"date": "c"}, "decline"],
}


@pytest.mark.parametrize("over_http", [False, True])
@pytest.mark.parametrize("era", KINDS)
async def test_each_tool_gets_its_own_answers(shop, said, era, over_http):
    """In turn, though several tools ask at once; in both eras."""
    report = await _check(shop, over_http=over_http, kinds=[KINDS[era]], answers=ANSWERS)
    assert report.findings == ()
    assert sorted(report.called) == ["tool_0", "tool_1", "tool_2", "tool_3"]
    assert {number: told[-1] for number, told in said.items()} == {
        0: [],
        1: ["a"],
        2: ["b"],
        3: ["c", "decline"],
    }


@pytest.mark.parametrize("over_http", [False, True])
@pytest.mark.parametrize("kinds", [None, [KINDS["legacy"]]])
async def test_what_asks_is_not_called(shop, kinds, over_http):
    """Without an answer nothing can be said of such a tool, and that is said."""
    report = await _check(shop, over_http=over_http, kinds=kinds)
    assert report.findings == ()
    assert report.called == ("tool_0",)
    assert dict(report.skipped) == dict.fromkeys(["tool_1", "tool_2", "tool_3"], UNASKED)
    assert f"Not called: `tool_1`, `tool_2`, `tool_3` ({UNASKED})." in str(report)


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        ({"arguments": {"tool_1": {}}}, "'Question 0 of 1?', and no answer is left"),
        ({"answers": {"tool_3": [{"date": "c"}]}}, "'Question 1 of 3?', and no answer is left"),
        ({"answers": {"tool_1": [{"dat": "a"}]}}, "does not fit: date: Required property"),
        ({"answers": {"tool_1": [{"date": 1}]}}, "does not fit: date: Expected a string"),
    ],
)
async def test_what_was_named_and_asks_more(shop, plan, problem):
    """Whoever names a tool is told what it asks, and how it is answered; once for both eras."""
    report = await _check(shop, over_http=False, policy="none", **plan)
    (found,) = report.findings
    assert (found.code, found.severity) == ("call-failed", "error")
    assert f"asks its user {problem}" in found.problem or problem in found.problem
    name = found.subject.split("'")[1]
    assert f"--answer '{name}={{\"date\": …}}'" in found.remedy


async def test_a_contract_holds_its_own_way_of_answering(shop):
    """It fails for a tool that asks a user who is not there."""
    with pytest.raises(AssertionError, match="tool_1"):
        await assert_app_contract(shop)
    await assert_app_contract(shop, elicitation={"date": "a"})
