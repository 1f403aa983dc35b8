import asyncio

import pytest

from mcp_apps_plugin.host import (
    AppBridge,
    AppToolRefusedError,
    BridgeClosedError,
    Callbacks,
    Limits,
    ViewAnswerError,
    ViewTimeoutError,
)
from mcp_apps_plugin.protocol.jsonrpc import Response

OFFERS = {"tools": {"listChanged": True}}


def tool(name, **extra):
    return {"name": name, "inputSchema": {"type": "object"}, **extra}


READER = tool("read", annotations={"readOnlyHint": True})
WRITER = tool("write")


@pytest.fixture
def offering(client, show):
    """Show a page that offers a reader and a writer."""

    def with_options(**options):
        return show(client, app=OFFERS, **options)

    return with_options


def answer_tools(view, *tools):
    view.answers["tools/list"] = {"tools": list(tools)}
    view.answers["tools/call"] = lambda p: {"content": [{"type": "text", "text": p["name"]}]}


async def test_tools_of_a_page_are_listed_under_a_name_of_their_own(offering):
    """The prefix keeps them apart from every tool of a server."""
    async with offering() as (bridge, view):
        answer_tools(view, READER, WRITER, tool("bad name"), tool("x" * 65))
        found = await bridge.app_tools.list()
        assert [(t.name, t.read_only) for t in found] == [
            ("app__weather__read", True),
            ("app__weather__write", False),
        ]


async def test_pages_are_followed_and_cut(offering):
    """Several pages of a list, and no more tools than the limit."""
    async with offering(limits=Limits(app_tools=3)) as (bridge, view):

        def page(params):
            start = int(params.get("cursor", 0))
            return {
                "tools": [tool(f"t{start}"), tool(f"t{start + 1}")],
                "nextCursor": str(start + 2),
            }

        view.answers["tools/list"] = page
        assert [t.tool.name for t in await bridge.app_tools.list()] == ["t0", "t1", "t2"]


async def test_a_list_without_end_is_left(offering):
    """A page that always has one more page is not followed for ever."""
    async with offering() as (bridge, view):
        view.answers["tools/list"] = {"tools": [], "nextCursor": "more"}
        assert await bridge.app_tools.list() == []
        assert view.methods().count("tools/list") == 10


async def test_the_first_answer_counts(client):
    """A second one to the same id, before anybody saw the first, changes nothing."""
    async with AppBridge(client, None) as bridge:
        asking = asyncio.create_task(bridge._calls.request("tools/list", {}, 5))
        await anext(bridge.outgoing())
        for tools in ([], [WRITER]):
            bridge._calls.resolve(Response(0, {"tools": tools}, None))
        bridge._calls.abandon_all()
        assert await asking == {"tools": []}


async def test_only_what_is_marked_as_reading_runs_unasked(offering):
    """Without a callback, and only what was listed."""
    async with offering() as (bridge, view):
        answer_tools(view, READER, WRITER)
        with pytest.raises(AppToolRefusedError, match="no tool that the page listed"):
            await bridge.app_tools.call("app__weather__read", {})
        await bridge.app_tools.list()
        result = await bridge.app_tools.call("app__weather__read", {"a": 1})
        assert result.content[0].text == "read"
        with pytest.raises(AppToolRefusedError, match="not agreed to"):
            await bridge.app_tools.call("app__weather__write", {})
        with pytest.raises(AppToolRefusedError):
            await bridge.app_tools.call("read", {})
        assert view.methods().count("tools/call") == 1


async def test_the_user_decides(offering):
    """With a callback it is asked for every call, for those that read as well."""
    asked = []

    async def approve(asked_for, arguments):
        asked.append((asked_for.name, arguments))
        return asked_for.name == "write"

    async with offering(callbacks=Callbacks(approve_app_tool=approve)) as (bridge, view):
        answer_tools(view, READER, WRITER)
        await bridge.app_tools.list()
        await bridge.app_tools.call("app__weather__write", {"a": 1})
        with pytest.raises(AppToolRefusedError):
            await bridge.app_tools.call("app__weather__read", {})
        assert asked == [("write", {"a": 1}), ("read", {})]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"code": -32603, "message": "bad input"}, -32603),
        ({"code": "x", "message": 7}, None),
        ({"content": "text"}, None),
        ({"content": [{"type": "video"}]}, None),
    ],
)
async def test_an_answer_that_is_none_is_an_error(offering, answer, code):
    """Errors of the page keep their code; results are checked for their shape."""
    async with offering() as (bridge, view):
        answer_tools(view, READER)
        await bridge.app_tools.list()
        view.answers["tools/call"] = answer
        with pytest.raises(ViewAnswerError) as raised:
            await bridge.app_tools.call("app__weather__read", {})
        assert raised.value.rpc_code == code


async def test_a_page_that_does_not_answer_is_told_that_nobody_waits(offering):
    """The timeout is the host's; the page gets a cancellation; a late answer is dropped."""
    async with offering(limits=Limits(app_tool_seconds=0.05)) as (bridge, view):
        answer_tools(view, READER)
        await bridge.app_tools.list()
        view.answers["tools/call"] = None
        with pytest.raises(ViewTimeoutError, match="tools/call"):
            await bridge.app_tools.call("app__weather__read", {})
        cancelled = await view.expect("notifications/cancelled")
        await bridge.receive({"jsonrpc": "2.0", "id": cancelled["requestId"], "result": {}})
        assert bridge.refusals.counts["unknown-answer"] == 1


async def test_a_host_that_gives_up_tells_the_page(offering):
    """Cancelling the host's task cancels the page's."""
    async with offering() as (bridge, view):
        answer_tools(view, READER)
        await bridge.app_tools.list()
        view.answers["tools/call"] = None
        calling = asyncio.create_task(bridge.app_tools.call("app__weather__read", {}))
        await view.expect("tools/call")
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await view.expect("notifications/cancelled")


async def test_tools_go_with_the_page(offering):
    """A call in the middle fails when the page goes, later ones at once."""
    async with offering() as (bridge, view):
        answer_tools(view, READER)
        await bridge.app_tools.list()
        view.answers["tools/call"] = None
        calling = asyncio.create_task(bridge.app_tools.call("app__weather__read", {}))
        await view.expect("tools/call")
        await bridge.close()
        with pytest.raises(BridgeClosedError):
            await calling
        with pytest.raises(BridgeClosedError):
            await bridge.app_tools.call("app__weather__read", {})
        assert await bridge.app_tools.list() == []


async def test_a_page_that_offers_none_is_not_asked(client, show):
    """Undeclared, or not initialized yet: nothing is sent."""
    async with show(client) as (bridge, view):
        assert await bridge.app_tools.list() == []
    async with show(client, ready=False) as (bridge, view):
        await view.initialize(**OFFERS)
        assert await bridge.app_tools.list() == []
        assert view.methods() == []


async def test_changes_are_told_at_most_once_a_second(offering, monkeypatch):
    """Many in a row are two: the first, and one for what came after it."""
    monkeypatch.setattr("mcp_apps_plugin.host.page_tools.CHANGES_SECONDS", 0.05)
    told, lists = [], []

    async def on_changed():
        told.append(1)
        lists.append(await bridge.app_tools.list())

    async with offering(callbacks=Callbacks(on_app_tools_changed=on_changed)) as (bridge, view):
        answer_tools(view, READER)
        for _ in range(20):
            await view.notify("notifications/tools/list_changed", {})
        await asyncio.sleep(0.2)
        assert len(told) == 2
        assert len(lists[0]) == 1


async def test_too_large_an_answer_is_an_error(offering):
    """Not read, and nobody waits for it any longer."""
    async with offering(limits=Limits(message_bytes=10_000)) as (bridge, view):
        view.answers["tools/list"] = {"tools": [], "pad": "x" * 20_000}
        with pytest.raises(ViewAnswerError, match="larger than"):
            await bridge.app_tools.list()
