import asyncio

import mcp_types
import pytest

from mcp_apps_plugin.host import (
    AppBridge,
    BridgeClosedError,
    BridgeOrderError,
    Callbacks,
    Limits,
    Reason,
    ResolvedPage,
    Stage,
    ViewTimeoutError,
)
from mcp_apps_plugin.protocol.metadata import Csp, Permissions

INITIALIZED = "ui/notifications/initialized"


async def test_the_handshake_says_who_the_host_is_and_what_it_can(client, show):
    """The four fields that real views require, with only what is wired."""
    async with show(client, ready=False, context={"theme": "dark"}) as (bridge, view):
        assert bridge.stage is Stage.LOADING
        answer = await view.initialize()
        assert bridge.stage is Stage.INITIALIZING
        assert answer["protocolVersion"] == "2026-01-26"
        assert answer["hostInfo"].keys() == {"name", "version"}
        assert answer["hostCapabilities"] == {
            "serverTools": {},
            "serverResources": {},
            "sandbox": {},
        }
        assert answer["hostContext"]["theme"] == "dark"
        assert answer["hostContext"]["toolInfo"]["tool"]["name"] == "weather"
        await view.notify(INITIALIZED)
        assert bridge.stage is Stage.READY
        assert (bridge.app_info.name, bridge.view_capabilities.tools) == ("page", None)


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"appInfo": {"name": "p"}, "appCapabilities": {}, "protocolVersion": "1"},
        {"clientInfo": {"name": "p", "version": "1"}, "capabilities": {}, "protocolVersion": "1"},
        {
            "appInfo": {"name": "p", "version": "1"},
            "appCapabilities": {"tools": True},
            "protocolVersion": "1",
        },
        [],
    ],
)
async def test_a_handshake_of_another_shape_is_refused(client, show, params):
    """As the official host does, with the places that are wrong and none of the values."""
    async with show(client, ready=False) as (bridge, view):
        error = await view.error("ui/initialize", params)
        assert error["code"] == -32602
        assert bridge.stage is Stage.LOADING


async def test_any_version_is_answered_with_ours(client, show):
    """A view that speaks another version learns ours and decides for itself."""
    async with show(client, ready=False) as (_, view):
        params = {
            "appInfo": {"name": "p", "version": "1"},
            "appCapabilities": {"availableDisplayModes": ["inline", "theatre"]},
            "protocolVersion": "2031-01-01",
        }
        assert (await view.result("ui/initialize", params))["protocolVersion"] == "2026-01-26"


async def test_nothing_is_sent_before_the_view_is_initialized(client, show):
    """Whatever is known earlier waits, and then comes in order."""
    async with show(client, ready=False) as (bridge, view):
        await bridge.tool_input_partial({"c": 1})
        await bridge.tool_input_partial({"ci": 2})
        await bridge.update_context(theme="dark")
        await view.initialize()
        await bridge.update_context(theme="light", locale="nb-NO")
        await bridge.update_context(locale="en-GB")
        running = asyncio.create_task(bridge.run_tool({"city": "Oslo"}))
        await running
        assert view.methods() == []
        await view.notify(INITIALIZED)
        await view.settle()
        assert view.methods() == [
            "ui/notifications/tool-input",
            "ui/notifications/tool-result",
            "ui/notifications/host-context-changed",
        ]
        assert await view.expect("ui/notifications/host-context-changed") == {
            "theme": "light",
            "locale": "en-GB",
        }


async def test_partial_inputs_come_before_the_input_and_stop_with_it(client, show):
    """The latest partial waits for the view; none follows the whole input."""
    async with show(client, ready=False) as (bridge, view):
        await bridge.tool_input_partial({"c": "O"})
        await bridge.tool_input_partial({"c": "Os"})
        await view.handshake()
        await bridge.tool_input_partial({"c": "Osl"})
        await bridge.tool_input({"c": "Oslo"})
        assert await bridge.tool_input_partial({"c": "late"}) is False
        await view.settle()
        arguments = [m["params"]["arguments"]["c"] for m in view.heard if "method" in m]
        assert arguments == ["Os", "Osl", "Oslo"]


async def test_a_result_waits_for_the_input(client, show):
    """A result that is ready first is held back; the input comes before it even when empty."""
    async with show(client) as (bridge, view):
        result = await client.call_tool_mcp("weather", {})
        await bridge.tool_result(result)
        await view.settle()
        assert view.methods() == []
        await bridge.tool_input()
        await view.settle()
        assert await view.expect("ui/notifications/tool-input") == {"arguments": {}}
        assert view.methods() == ["ui/notifications/tool-input", "ui/notifications/tool-result"]


async def test_the_result_is_relayed_whole_but_for_its_type(client, show):
    """Nulls inside the data stay, `resultType` goes."""
    async with show(client) as (bridge, view):
        returned = await bridge.run_tool({"city": "Oslo"})
        result = await view.expect("ui/notifications/tool-result")
        assert result["structuredContent"] == {"city": "Oslo", "celsius": None, "server": "weather"}
        assert returned.structured_content == result["structuredContent"]
        assert "resultType" not in result
        assert result["content"][0]["type"] == "text"


async def test_a_failed_tool_is_a_result(client, show):
    """`isError` is for the view to show; nothing was cancelled."""
    async with show(client, "fails") as (bridge, view):
        await bridge.run_tool()
        assert (await view.expect("ui/notifications/tool-result"))["isError"] is True


async def test_a_failed_call_is_a_cancellation(client, show):
    """What never came back is cancelled, with the server's own words or none."""
    async with show(client) as (bridge, view):
        bridge.tool = bridge.tool.model_copy(update={"name": "gone"})
        await client.close()
        with pytest.raises(RuntimeError):
            await bridge.run_tool()
        cancelled = await view.expect("ui/notifications/tool-cancelled")
        assert cancelled == {"reason": "The call failed."}


async def test_a_cancelled_call_is_told_and_stops_the_server(served, client, show):
    """Cancelling the host's task cancels the server's work and tells the view."""
    async with show(client, "waits") as (bridge, view):
        running = asyncio.create_task(bridge.run_tool())
        await view.expect("ui/notifications/tool-input")
        await served.called.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        cancelled = await view.expect("ui/notifications/tool-cancelled")
        assert cancelled == {"reason": "The call was cancelled."}
        async with asyncio.timeout(5):
            await served.cancelled.wait()


async def test_a_call_may_be_cancelled_before_its_input_is_whole(client, show):
    """The model stopped in the middle: no input, and no result after it."""
    async with show(client) as (bridge, view):
        await bridge.tool_input_partial({"c": "O"})
        await bridge.tool_cancelled("stopped")
        await view.settle()
        assert view.methods() == [
            "ui/notifications/tool-input-partial",
            "ui/notifications/tool-cancelled",
        ]
        with pytest.raises(BridgeOrderError, match="after the call was cancelled"):
            await bridge.tool_input({})


async def test_each_is_told_once(client, show):
    """A second input or outcome is the embedder's mistake, said at once."""
    async with show(client) as (bridge, view):
        await bridge.run_tool()
        with pytest.raises(BridgeOrderError, match="tool input: was given twice"):
            await bridge.tool_input({})
        with pytest.raises(BridgeOrderError, match="tool outcome: was given twice"):
            await bridge.tool_cancelled()
        await view.settle()
        assert len(view.methods()) == 2


async def test_a_view_mounted_twice_is_answered_twice_and_told_once(client, show):
    """A framework's double mount gets two handshakes, and no data twice."""
    async with show(client, ready=False) as (bridge, view):
        await bridge.run_tool()
        await view.initialize()
        await view.initialize()
        await view.notify(INITIALIZED)
        await view.notify(INITIALIZED)
        await view.handshake()
        await view.settle()
        assert view.methods() == ["ui/notifications/tool-input", "ui/notifications/tool-result"]


async def test_a_page_loaded_anew_is_told_again(client, show):
    """A new document is a new view: it gets the page, the handshake and the data once more."""
    async with show(client, ready=False) as (bridge, view):
        await bridge.run_tool()
        for _ in range(2):
            await view.notify("ui/notifications/sandbox-proxy-ready", {})
            await view.handshake()
        await view.settle()
        assert (
            view.methods()
            == [
                "ui/notifications/sandbox-resource-ready",
                "ui/notifications/tool-input",
                "ui/notifications/tool-result",
            ]
            * 2
        )
        resource = await view.expect("ui/notifications/sandbox-resource-ready")
        assert resource["html"].startswith("<!doctype html>")
        assert resource["sandbox"] == "allow-scripts"


async def test_a_page_cannot_be_loaded_without_end(client, show):
    """A proxy that never stops to announce itself is not sent the page for ever."""
    async with show(client, ready=False) as (bridge, view):
        for _ in range(40):
            await view.notify("ui/notifications/sandbox-proxy-ready")
        await view.settle()
        assert view.methods().count("ui/notifications/sandbox-resource-ready") == 16
        assert bridge.refusals.counts[Reason.TOO_MANY] == 24


async def test_requests_before_the_handshake_are_refused(served, client, show):
    """Only a ping is answered earlier; the error says what to do."""
    async with show(client, ready=False) as (bridge, view):
        assert await view.result("ping") == {}
        error = await view.error("tools/call", {"name": "refresh", "arguments": {}})
        assert (error["code"], "handshake" in error["message"]) == (-32000, True)
        await view.notify("ui/notifications/size-changed", {"height": 1})
        await view.notify(INITIALIZED)
        assert served.calls == []
        assert bridge.stage is Stage.LOADING
        assert bridge.refusals.counts[Reason.BEFORE_HANDSHAKE] == 3


async def test_a_view_is_asked_before_it_ends(client, show):
    """Teardown is a request; the view's answer is awaited, then everything is closed."""
    async with show(client) as (bridge, view):
        assert await bridge.teardown(reason="done") is True
        assert await view.expect("ui/resource-teardown") == {"reason": "done"}
        assert bridge.stage is Stage.CLOSED
        await bridge.close()
        await view.notify(INITIALIZED)
        with pytest.raises(BridgeClosedError):
            await bridge.wait_ready()


@pytest.mark.parametrize("answer", [None, {"code": -32601, "message": "Method not found"}])
async def test_a_view_that_will_not_end_is_ended(client, show, answer):
    """Silence and errors only mean that nobody agreed."""
    async with show(client) as (bridge, view):
        view.answers["ui/resource-teardown"] = answer
        assert await bridge.teardown(0.05) is False
        assert bridge.stage is Stage.CLOSED


async def test_a_view_that_never_came_is_not_asked(client, show):
    """Before the handshake there is nobody to ask."""
    async with show(client, ready=False) as (bridge, view):
        waiting = asyncio.create_task(bridge.wait_ready())
        await asyncio.sleep(0)
        assert await bridge.teardown() is False
        assert view.methods() == []
        with pytest.raises(BridgeClosedError):
            await waiting


async def test_the_host_can_wait_for_the_view(client, show):
    """Until it is ready, or as long as it is given."""
    async with show(client, ready=False) as (bridge, view):
        with pytest.raises(ViewTimeoutError, match=r"handshake after 0\.01 s"):
            await bridge.wait_ready(0.01)
        await view.handshake()
        await bridge.wait_ready(1)


async def test_teardown_cancels_what_the_view_had_running(served, client, show):
    """Calls of a view that is gone are cancelled on the server too."""
    async with show(client) as (bridge, view):
        await view.send("tools/call", {"name": "waits", "arguments": {}})
        await served.called.wait()
        await bridge.teardown()
        async with asyncio.timeout(5):
            await served.cancelled.wait()


async def test_the_embedder_may_end_the_view_from_a_callback(client, show):
    """`request-teardown` handled by `teardown()` itself: nothing waits for itself."""
    bridges = []

    async def end():
        await bridges[0].teardown(reason="asked for")

    async with show(client, callbacks=Callbacks(on_request_teardown=end)) as (bridge, view):
        bridges.append(bridge)
        await view.notify("ui/notifications/request-teardown", {})
        assert await view.expect("ui/resource-teardown") == {"reason": "asked for"}
        await view.until_closed()
        assert bridge.stage is Stage.CLOSED


async def test_messages_can_go_through_a_callback(client):
    """`send` gets what `outgoing` would yield, may call the bridge, and may fail."""
    tool = next(t for t in await client.list_tools() if t.name == "weather")
    sent, broken = [], asyncio.Event()

    async def send(message):
        sent.append(message)
        if message.get("id") == 0 and "result" in message:
            await bridge.receive({"jsonrpc": "2.0", "method": INITIALIZED})
        if message.get("method") == "ui/notifications/tool-result":
            broken.set()
            raise ConnectionError

    async with AppBridge(client, tool, send=send) as bridge:
        params = {
            "appInfo": {"name": "p", "version": "1"},
            "appCapabilities": {},
            "protocolVersion": "2026-01-26",
        }
        await bridge.receive(
            {"jsonrpc": "2.0", "id": 0, "method": "ui/initialize", "params": params}
        )
        await bridge.wait_ready(5)
        await bridge.run_tool()
        async with asyncio.timeout(5):
            await broken.wait()
        await bridge.update_context(theme="dark")
    assert [m.get("method") for m in sent] == [
        None,
        "ui/notifications/tool-input",
        "ui/notifications/tool-result",
    ]


async def test_the_page_goes_to_the_proxy_with_what_it_was_granted(client, view_of):
    """Policy and permissions as the page declared them, told to proxy and view alike."""
    page = ResolvedPage(
        uri="ui://a/b",
        html="<!doctype html>",
        csp=Csp(connect_domains=("https://a.example",)),
        permissions=Permissions(camera=True),
        domain=None,
        prefers_border=None,
        policy="",
    )
    bridge = AppBridge(client, None, page=page)
    async with view_of(bridge) as view:
        await view.notify("ui/notifications/sandbox-proxy-ready", {})
        resource = await view.expect("ui/notifications/sandbox-resource-ready")
        assert resource["csp"]["connectDomains"] == ["https://a.example"]
        assert resource["permissions"] == {"camera": {}}
        granted = (await view.handshake())["hostCapabilities"]["sandbox"]
        assert granted == {key: resource[key] for key in ("csp", "permissions")}


async def test_a_bridge_without_a_page_shows_none(client, view_of):
    """A proxy that asks is not answered, and what the host calls itself is the embedder's word."""
    info = mcp_types.Implementation(name="mine", version="2", title="Mine")
    bridge = AppBridge(client, None, host_info=info)
    async with view_of(bridge) as view:
        await view.notify("ui/notifications/sandbox-proxy-ready", {})
        initialized = await view.handshake()
        assert view.methods() == []
        assert initialized["hostInfo"] == {"name": "mine", "version": "2", "title": "Mine"}
        assert "sandbox" not in initialized["hostCapabilities"]
        await bridge.close()
        await bridge.restart()
        assert bridge.stage is Stage.CLOSED


def test_a_host_run_from_a_source_tree_has_a_name_too(monkeypatch):
    """The version of a package that is not installed is nobody's to know."""
    from importlib import metadata

    from mcp_apps_plugin.host.handshake import default_host_info

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    info = default_host_info()
    assert (info.name, info.version) == ("mcp-apps-plugin", "0")
    monkeypatch.setattr(metadata, "version", lambda _: "1.2.3")
    assert default_host_info().version == "1.2.3"


def test_a_server_without_tools_or_resources_offers_none_to_the_view():
    """What the server did not declare, the host does not promise."""
    from mcp.server.lowlevel import Server

    from mcp_apps_plugin.host.handshake import host_capabilities

    declared = Server("empty").get_capabilities()
    capabilities = host_capabilities(
        Callbacks(), declared, None, hears_changes=True, elicitation=False
    )
    assert capabilities == {}


async def test_a_slow_embedder_is_not_waited_for_without_end(client, monkeypatch):
    """Closing gives what waits a moment, and then goes."""
    monkeypatch.setattr("mcp_apps_plugin.host.outbox.FLUSH_SECONDS", 0.01)
    stuck = asyncio.Event()

    async def send(_):
        stuck.set()
        await asyncio.Event().wait()

    bridge = AppBridge(client, None, send=send)
    await bridge.receive({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    await stuck.wait()
    async with asyncio.timeout(5):
        await bridge.close()


async def test_who_sends_waits_for_an_embedder_that_does_not_take(client):
    """The outbox is bounded: what may be lost is, what may not waits for room."""
    bridge = AppBridge(client, None, limits=Limits(outgoing_messages=2))
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    await bridge.receive(ping)
    await bridge.receive(ping)
    await bridge._outbox.offer({"lost": True})
    waiting = asyncio.create_task(bridge.receive(ping))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    taken = [message async for message in _some(bridge.outgoing(), 3)]
    await waiting
    await bridge.close()
    assert taken == [{"jsonrpc": "2.0", "id": 1, "result": {}}] * 3


async def _some(messages, count):
    async for message in messages:
        yield message
        count -= 1
        if not count:
            return


async def test_a_bridge_without_a_tool_runs_none(client):
    """A page without a tool has nothing to run."""
    async with AppBridge(client, None) as bridge:
        with pytest.raises(ValueError, match="without a tool"):
            await bridge.run_tool()
