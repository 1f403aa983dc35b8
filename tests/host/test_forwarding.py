import asyncio

import mcp_types
import pytest
from fastmcp import Client, Context, FastMCP, FastMCPApp
from fastmcp.server.providers.addressing import hashed_backend_name

from mcp_apps_plugin.host import Callbacks, Limits, Reason, ServerChanges


async def call(view, name, arguments=None, **meta):
    params = {"name": name, "arguments": arguments or {}}
    return await view.ask("tools/call", params | ({"_meta": meta} if meta else {}))


async def test_a_page_calls_what_its_server_opened_to_it(served, client, show):
    """The server's result comes back, without its type."""
    async with show(client) as (_, view):
        result = (await call(view, "refresh", {"city": "Bergen"}))["result"]
        assert result["structuredContent"]["city"] == "Bergen"
        assert "resultType" not in result
        assert served.calls == [("refresh", {"city": "Bergen"})]


@pytest.mark.parametrize("name", ["delete_everything", "nonsense", "no_such_tool", "", "refresh "])
async def test_nothing_else_reaches_the_server(served, client, show, name):
    """Model-only tools, malformed visibility and unlisted names: the same refusal for all."""
    async with show(client) as (bridge, view):
        error = (await call(view, name))["error"]
        assert error["code"] == -32000
        assert "not available" in error["message"]
        assert served.calls == []
        assert bridge.refusals.counts[Reason.TOOL_NOT_VISIBLE] == 1


async def test_the_tools_of_another_server_are_out_of_reach(client, show, serve, mode):
    """Two servers in one host: a page of one calls nothing of the other."""
    other = serve("other")

    @other.mcp.tool
    def only_there() -> str:
        return "there"

    async with (
        Client(other.mcp, mode=mode) as second,
        show(client) as (_, view),
        show(second) as (_, other_view),
    ):
        assert "error" in await call(view, "only_there")
        assert "result" in await call(other_view, "only_there")
        mine = (await call(view, "refresh"))["result"]["structuredContent"]["server"]
        theirs = (await call(other_view, "refresh"))["result"]["structuredContent"]["server"]
        assert (mine, theirs) == ("weather", "other")
        assert [name for name, _ in other.calls] == ["only_there", "refresh"]


async def test_the_aliases_of_fastmcps_own_apps_work(mode, show):
    """A backend tool is called by its hashed name, as visible as the tool behind it."""
    app = FastMCPApp("Dash")

    @app.tool()
    def save(x: int) -> str:
        return f"saved {x}"

    mcp = FastMCP("x", providers=[app])

    @mcp.tool(meta={"ui": {"visibility": ["model"]}})
    def weather() -> str:
        return ""

    async with Client(mcp, mode=mode) as client, show(client) as (_, view):
        name = hashed_backend_name("Dash", "save")
        answer = await call(view, name, {"x": 1})
        assert answer["result"]["content"][0]["text"] == "saved 1"
        assert "error" in await call(view, f"{name[:-5]}xsave")
        assert "error" in await call(view, "__0123456789ab_save")


async def test_reserved_metadata_stops_at_the_host(served, client, show):
    """A page cannot speak for the host or raise its capabilities; other keys go on."""
    async with show(client) as (_, view):
        capabilities = {"elicitation": {}, "sampling": {}}
        await call(
            view,
            "refresh",
            **{
                "io.modelcontextprotocol/clientCapabilities": capabilities,
                "IO.ModelContextProtocol/protocolVersion": "1999",
                "dev.mcp/x": 1,
                "com.mcp.tools/x": 1,
                "modelcontextprotocol.io/x": 1,
                "traceparent": "00-0",
                "fastmcp": {"version": "0"},
                "progressToken": 99,
                "example.com/mine": {"a": 1},
            },
        )
        seen = served.metas[0]
        assert seen["example.com/mine"] == {"a": 1}
        assert "sampling" not in str(seen)
        assert not {"dev.mcp/x", "com.mcp.tools/x", "modelcontextprotocol.io/x"} & seen.keys()
        assert "1999" not in str(seen)
        assert seen.get("fastmcp", {}).get("version") is None
        assert seen.get("progressToken") != 99
        assert seen.get("traceparent") != "00-0"


async def test_progress_comes_back_under_the_views_own_token(client, show):
    """Two hops, two tokens; the view sees only its own."""
    async with show(client) as (_, view):
        await call(view, "counts", {"label": "a"}, progressToken="mine")
        seen = [m["params"] for m in view.heard if m.get("method") == "notifications/progress"]
        assert [p["message"] for p in seen] == ["a0", "a1", "a2"]
        assert {p["progressToken"] for p in seen} == {"mine"}
        assert {p["total"] for p in seen} == {3}


async def test_progress_of_two_views_does_not_cross(client, show):
    """Several bridges on one client, same token, at the same time."""
    async with show(client) as (_, first), show(client) as (_, second):
        await asyncio.gather(
            call(first, "counts", {"label": "f"}, progressToken=1),
            call(second, "counts", {"label": "s"}, progressToken=1),
        )
        for view, label in ((first, "f"), (second, "s")):
            seen = [m["params"] for m in view.heard if m.get("method") == "notifications/progress"]
            assert [p["message"] for p in seen] == [f"{label}{n}" for n in range(3)]


async def test_progress_may_say_little(served, client, show):
    """No total and no message are left out; nothing is reported for a call that is over."""
    from mcp_apps_plugin.host.forwarding import _Progress

    @served.mcp.tool
    async def steps(ctx: Context) -> str:
        await ctx.report_progress(1)
        return ""

    async with show(client) as (bridge, view):
        await call(view, "steps", progressToken=7)
        heard = await view.expect("notifications/progress")
        assert heard == {"progressToken": 7, "progress": 1}
        late = _Progress(bridge._outbox, 7)
        late.open = False
        await late(2, None, None)
        await view.settle()
        assert view.methods().count("notifications/progress") == 1


async def test_without_a_token_there_is_no_progress(client, show):
    """A token that is none is none."""
    async with show(client) as (_, view):
        await call(view, "counts")
        await call(view, "counts", progressToken=True)
        await call(view, "counts", progressToken={"a": 1})
        assert "notifications/progress" not in view.methods()


async def test_a_view_can_cancel_its_call(served, client, show):
    """The server's work stops, and no answer follows."""
    async with show(client) as (_, view):
        identifier = await view.send("tools/call", {"name": "waits", "arguments": {}})
        await served.called.wait()
        await view.notify("notifications/cancelled", {"requestId": "another"})
        await view.notify("notifications/cancelled", {"requestId": identifier, "reason": "x"})
        async with asyncio.timeout(5):
            await served.cancelled.wait()
        await view.settle()
        assert all(m.get("id") != identifier for m in view.heard)


async def test_the_user_can_refuse_a_call(served, client, show):
    """`approve_tool_call` sees tool and arguments; a no never reaches the server."""
    asked = []

    async def approve(tool, arguments):
        asked.append((tool.name, arguments))
        return arguments.get("city") == "Oslo"

    async with show(client, callbacks=Callbacks(approve_tool_call=approve)) as (bridge, view):
        assert "result" in await call(view, "refresh", {"city": "Oslo"})
        assert (await call(view, "refresh", {"city": "Rome"}))["error"]["code"] == -32000
        assert [arguments["city"] for _, arguments in asked] == ["Oslo", "Rome"]
        assert len(served.calls) == 1
        assert bridge.refusals.counts[Reason.DECLINED] == 1


async def test_a_failing_tool_stays_a_result_and_a_refusal_an_error(client, show):
    """`isError` is relayed; a server's error keeps its code."""
    async with show(client) as (_, view):
        assert (await call(view, "fails"))["result"]["isError"] is True
        error = await view.error("resources/read", {"uri": "ui://weather/nothing"})
        assert error["code"] == -32602
        assert "ui://weather/nothing" in error["message"]


async def test_the_page_sees_only_final_results(served, mode, show):
    """A call that asks the user runs its rounds between host and server."""

    async def answer(*_):
        return {"manager": "lee"}

    async with (
        Client(served.mcp, mode=mode, elicitation_handler=answer) as client,
        show(client) as (_, view),
    ):
        result = (await call(view, "asks"))["result"]
        assert result["content"][0]["text"] == "accept lee"
        assert "requestState" not in str(view.heard)
        assert "input_required" not in str(view.heard)


@pytest.mark.parametrize(
    "uri",
    ["data://secret", "file:///etc/passwd", "http://a.example", "UI://weather/page", "", "ui:x"],
)
async def test_a_page_reads_pages_only(served, client, show, uri):
    """The server's data is not the page's to read."""
    async with show(client) as (bridge, view):
        served.reads.clear()
        assert (await view.error("resources/read", {"uri": uri}))["code"] == -32000
        assert served.reads == []
        assert bridge.refusals.counts[Reason.NOT_READABLE] == 1


async def test_a_page_reads_pages_and_what_the_embedder_allows(client, show):
    """`ui://` by default, more on request."""
    async with show(client) as (_, view):
        read = await view.result("resources/read", {"uri": "ui://weather/page"})
        assert read["contents"][0]["text"].startswith("<!doctype html>")
        assert "resultType" not in read
    async with show(client, read_schemes=("ui", "data")) as (_, view):
        read = await view.result("resources/read", {"uri": "data://secret"})
        assert read["contents"][0]["text"] == "secret"


async def test_lists_show_what_the_page_may_use(client, show):
    """Tools by visibility, resources by scheme, prompts as they are."""
    async with show(client) as (_, view):
        tools = {t["name"] for t in (await view.result("tools/list"))["tools"]}
        assert {"weather", "refresh"} <= tools
        assert not {"delete_everything", "nonsense"} & tools
        resources = (await view.result("resources/list"))["resources"]
        assert [r["uri"] for r in resources] == ["ui://weather/page"]
        assert (await view.result("resources/templates/list"))["resourceTemplates"] == []
        assert [p["name"] for p in (await view.result("prompts/list"))["prompts"]] == ["hello"]
    async with show(client, read_schemes=("data",)) as (_, view):
        templates = (await view.result("resources/templates/list"))["resourceTemplates"]
        assert [t["uriTemplate"] for t in templates] == ["data://secret/{name}"]


async def test_only_so_many_requests_are_open_at_once(served, client, show):
    """More are refused at once, and finished ones make room."""
    async with show(client, limits=Limits(open_requests=3)) as (bridge, view):
        first = [
            await view.send("tools/call", {"name": "waits", "arguments": {}}) for _ in range(3)
        ]
        assert (await call(view, "refresh"))["error"]["code"] == -32000
        assert bridge.refusals.counts[Reason.TOO_MANY] == 1
        served.release.set()
        for identifier in first:
            assert "result" in await view.answer_to(identifier)
        await view.settle()
        assert "result" in await call(view, "refresh")


async def test_names_at_random_cost_the_server_one_list(client, show, monkeypatch):
    """An unknown name is looked up again, but not each time."""
    lists = []
    listed = client.list_tools

    async def counted():
        lists.append(1)
        return await listed()

    async with show(client) as (_, view):
        monkeypatch.setattr(client, "list_tools", counted)
        for n in range(50):
            await call(view, f"guess{n}")
        assert len(lists) == 1


async def test_changes_of_the_server_reach_every_view_and_the_next_decision(serve, mode, show):
    """`list_changed` is passed on to each bridge, and a new tool is callable then."""
    served = serve("weather")
    changes = ServerChanges()

    @served.mcp.tool
    async def opens(ctx: Context) -> str:
        served.mcp.tool(late)
        await ctx.send_notification(mcp_types.ToolListChangedNotification())
        return ""

    def late() -> str:
        return "late"

    async with (
        Client(served.mcp, mode=mode, message_handler=changes) as client,
        changes.listening(client),
        show(client, changes=changes) as (_, view),
        show(client, changes=changes) as (_, other),
        show(client, ready=False, changes=changes) as (_, sleeping),
        show(client) as (_, deaf),
    ):
        assert "error" in await call(view, "late")
        await call(view, "opens")
        await view.expect("notifications/tools/list_changed")
        await other.expect("notifications/tools/list_changed")
        assert "result" in await call(view, "late")
        assert sleeping.methods() == []
        answer = await sleeping.handshake()
        assert answer["hostCapabilities"]["serverTools"] == {"listChanged": True}
        await sleeping.expect("notifications/tools/list_changed")
        assert deaf.methods() == []


async def test_a_modern_server_is_listened_to(show):
    """Changes come on a stream of their own, from the SDK's server without FastMCP."""
    from mcp.server.mcpserver import Context as SdkContext
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("sdk")

    @server.tool(meta={"ui": {"visibility": ["app", "model"]}})
    async def weather(ctx: SdkContext) -> str:
        await ctx.notify_tools_changed()
        await ctx.notify_prompts_changed()
        await ctx.notify_resources_changed()
        return ""

    changes = ServerChanges()
    async with (
        Client(server) as client,
        changes.listening(client),
        show(client, changes=changes) as (_, view),
    ):
        await client.call_tool("weather", {})
        for kind in ("tools", "prompts", "resources"):
            await view.expect(f"notifications/{kind}/list_changed")


async def test_a_stream_of_changes_that_drops_ends_nothing(caplog):
    """It is logged; the block goes on."""
    from mcp.client.subscriptions import SubscriptionLost

    class Dropped:
        def __aiter__(self):
            return self

        async def __anext__(self):
            message = "gone"
            raise SubscriptionLost(message)

    await ServerChanges()._pass_on(Dropped())
    assert "change notifications ended: gone" in caplog.text

    async def ended():
        return
        yield

    caplog.clear()
    await ServerChanges()._pass_on(ended())
    assert caplog.text == ""


async def test_the_clients_own_message_handler_still_hears(served):
    """`ServerChanges` stands in front of another handler, not in its place."""
    heard = []

    async def handler(message):
        heard.append(type(message).__name__)

    @served.mcp.tool
    async def opens(ctx: Context) -> str:
        await ctx.send_notification(mcp_types.ToolListChangedNotification())
        return ""

    changes = ServerChanges(handler)
    async with Client(served.mcp, message_handler=changes) as client:
        await client.call_tool("opens", {})
        await changes(ConnectionError())  # what a client hands over when its transport fails
        assert heard == ["ToolListChangedNotification", "ConnectionError"]
