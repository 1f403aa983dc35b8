"""`AppsHost`: a strict host in memory, for any server and any page."""

from __future__ import annotations

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from mcp import MCPError
from mcp_types import ElicitResult

from mcp_apps_plugin import ui
from mcp_apps_plugin.host import PageUnavailableError, Reason, apps_client_extension
from mcp_apps_plugin.testing import (
    AppsHost,
    ScriptedView,
    ToolFailedError,
    ViewRefusedError,
    open_client,
)


@pytest.fixture(params=["modern", "legacy"])
async def host(request, weather):
    """A host with the weather server, in both eras."""
    async with AppsHost(weather(), era=request.param) as opened:
        yield opened


async def test_a_tool_is_called_and_its_page_told(host):
    """Input first, then the result, and nothing before the handshake has ended."""
    async with host.open("get_weather", {"city": "Oslo"}) as session:
        assert session.result.structured_content == {"city": "Oslo"}
        assert session.view.input == {"city": "Oslo"}
        assert session.view.result.structured_content == {"city": "Oslo"}
        told = [m["method"] for m in session.view.heard if "method" in m]
    assert told[:2] == ["ui/notifications/tool-input", "ui/notifications/tool-result"]
    assert session.view.torn_down


async def test_the_view_calls_what_it_may(host):
    """A helper of the page answers; a tool for the model alone is refused, and so is any other."""
    session = await host.open("get_weather", {"city": "Oslo"})
    called = await session.view.call_tool("refresh", {"city": "Rome"})
    assert called.structured_content == {"city": "Rome", "celsius": 4}
    assert [t.name for t in await session.view.list_tools()] == ["get_weather", "refresh"]
    for name in ("forget", "nothing"):
        with pytest.raises(ViewRefusedError, match="not available to this page"):
            await session.view.call_tool(name)
    assert [reason for reason, _ in session.refusals] == [Reason.TOOL_NOT_VISIBLE] * 2


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_the_view_calls_below_a_namespace_what_a_page_calls(weather, tmp_path, era):
    """By the name its author wrote, as the page library does, and by the one that is listed."""
    file = tmp_path / "page.html"
    file.write_text("<!doctype html><title>x</title><script src='mcp-app.js'></script>")
    inner = FastMCP("inner")

    @inner.tool
    @ui("ui://inner/board", html=file)
    def board() -> str:
        return "shown"

    @inner.tool
    @ui(visibility="app")
    def more(n: int) -> int:
        return n + 1

    outer = weather()
    outer.mount(inner, namespace="own")
    async with AppsHost(outer, era=era) as host, host.open("own_board") as session:
        for name in ("more", "own_more"):
            called = await session.view.call_tool(name, {"n": 1})
            assert called.structured_content == {"result": 2}
        assert not session.refusals


async def test_the_model_is_offered_its_own_tools(host):
    """Helpers of pages are none of them."""
    assert [tool.name for tool in await host.tools()] == ["get_weather", "forget"]


async def test_what_the_page_asks_of_the_host_is_written_down(host):
    """Messages, context, links, sizes, modes: all there to be asserted."""
    async with host.open("get_weather", {"city": "Oslo"}) as session:
        view = session.view
        assert await view.send_message("look")
        await view.update_context("seen", {"n": 1})
        assert await view.open_link("https://example.com/")
        assert not await view.open_link("javascript:alert(1)")
        assert await view.request_display_mode("fullscreen") in ("inline", "fullscreen")
        await view.resize(10, 20)
        await view.log("hello")
        await session.settle()
        assert session.messages == ["look"]
        assert session.context.structured_content == {"n": 1}
        assert session.links == ["https://example.com/"]
        assert session.record.sizes == [(10, 20)]
        assert [entry.data for entry in session.record.logs] == ["hello"]


async def test_the_page_reads_pages_alone(host):
    """A page may read `ui://`, and nothing of the server's data."""
    async with host.open("get_weather", {"city": "Oslo"}) as session:
        read = await session.view.read_resource("ui://weather/page")
        assert "waiting" in read.contents[0].text
        with pytest.raises(ViewRefusedError):
            await session.view.read_resource("data://secret")


async def test_the_context_changes(host):
    """The view is told what has another value now."""
    async with host.open("get_weather", {"city": "Oslo"}) as session:
        await session.change_context(theme="dark", locale="nb-NO")
        await session.view.wait_for("ui/notifications/host-context-changed")
        assert (session.view.context["theme"], session.view.context["locale"]) == ("dark", "nb-NO")


async def test_a_failed_call_is_told_apart(host):
    """A result with an error is a result; a view that is asked has it too."""
    async with host.open("get_weather", {}) as session:
        assert session.result.is_error
        assert session.view.result.is_error


async def test_what_cannot_be_opened(host, weather):
    """An unknown tool, and one without a page, are said at once."""
    for name in ("nothing", "forget"):
        with pytest.raises(AssertionError, match=name):
            await host.open(name)
    with pytest.raises(RuntimeError, match="open the host first"):
        _ = AppsHost(weather()).client


async def test_the_view_is_asked_by_the_page_it_shows(booking):
    """A question that names a page is answered by a view, in a session of its own."""
    async with AppsHost(booking, answer={"value": 3}) as host, host.open("book") as session:
        assert session.result.structured_content == {"action": "accept", "days": 3}
    assert [(q.message, q.page) for q in host.questions] == [
        ("How many days?", "ui://booking/days")
    ]


async def test_the_form_asks_where_no_page_can(booking):
    """In the host's own form, when its client does not declare MCP Apps."""
    answers = {"answer": lambda _: {"action": "decline"}, "apps": "none"}
    async with AppsHost(booking, **answers) as host, host.open("book") as session:
        assert session.result.structured_content["action"] == "decline"
    assert [question.page for question in host.questions] == [None]


ANSWERS = [
    ({}, "value: Required property is missing"),
    ({"value": "three"}, "value: Expected an integer"),
    ({"value": None}, "value: Expected an integer"),
    (3, "it takes the fields, not int"),
    ("three", "it takes the fields, not str"),
    ([3], "it takes the fields, not list"),
    (lambda _: None, "it takes the fields, not NoneType"),
    ({"action": "accept"}, "value: Required property is missing"),
    (ElicitResult(action="accept", content={"value": "3"}), "value: Expected an integer"),
    ({"action": "later"}, "value: Required property is missing"),
]


@pytest.mark.parametrize(("answer", "problem"), ANSWERS)
@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("apps", ["apps", "none"])
async def test_an_answer_that_does_not_fit(booking, answer, problem, era, apps):
    """Whether a page or the form asks, in either era: question, option, fault and remedy."""
    async with AppsHost(booking, answer=answer, era=era, apps=apps) as host:
        with pytest.raises((MCPError, ToolError)) as caught:
            await host.client.call_tool("book")
    said = str(caught.value)
    assert "the question 'How many days?': `answer=" in said
    assert problem in said
    assert "for example `answer={'value': 1}`" in said
    assert "[elicit-answer]" in said
    assert "schema[" not in said


@pytest.mark.parametrize("era", ["modern", "legacy"])
async def test_content_of_a_client_that_does_not_fit(booking, era):
    """The same for `elicitation=`, which a contract has too."""
    async with open_client(booking, era=era, elicitation={"days": 3}) as client:
        with pytest.raises(
            (MCPError, ToolError), match=r"`elicitation=\{'days': 3\}` does not fit"
        ):
            await client.call_tool("book")


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ({"value": 3}, "accept"),
        ({"action": "accept", "content": {"value": 3}}, "accept"),
        (ElicitResult(action="accept", content={"value": 3}), "accept"),
        ({"action": "decline"}, "decline"),
        (ElicitResult(action="cancel"), "cancel"),
    ],
)
@pytest.mark.parametrize("apps", ["apps", "none"])
async def test_every_way_to_answer(booking, answer, action, apps):
    """Fields, a whole result, and the SDK's own."""
    async with AppsHost(booking, answer=answer, apps=apps) as host:
        assert (await host.client.call_tool("book")).data["action"] == action
    async with open_client(booking, apps=apps, elicitation=answer) as client:
        assert (await client.call_tool("book")).data["action"] == action


async def test_the_view_offers_tools(weather):
    """The host calls a tool of the page, under the name it is known by here."""

    class Drawing(ScriptedView):
        def __init__(self, send):
            super().__init__(send)
            self.offer_tool("draw", lambda color="red": {"color": color})

    opening = AppsHost(weather(), view=Drawing)
    async with opening as host, host.open("get_weather", {"city": "Oslo"}) as session:
        (tool,) = await session.bridge.app_tools.list()
        assert tool.tool.name == "draw"


async def test_a_client_that_is_there_already(weather):
    """Other people's clients, and so servers in any language."""
    async with (
        Client(weather(), extensions=[apps_client_extension()]) as client,
        AppsHost(client) as host,
        host.open("get_weather", {"city": "Oslo"}) as session,
    ):
        assert session.result.structured_content == {"city": "Oslo"}


async def test_a_page_that_cannot_be_shown():
    """The reason has a code."""
    from fastmcp import FastMCP

    mcp = FastMCP("broken")

    @mcp.tool(meta={"ui": {"resourceUri": "https://example.com/"}})
    def show() -> str:
        return "shown"

    async with AppsHost(mcp) as host:
        with pytest.raises((PageUnavailableError, AssertionError)):
            await host.open("show")


async def test_a_refused_call_has_no_result(host):
    """Asking for the result of a call that the server refused fails with its words."""
    session = await host.open("get_weather", {"city": "Oslo"})
    session._outcome = ValueError("refused")
    with pytest.raises(ToolFailedError, match="refused"):
        _ = session.result
