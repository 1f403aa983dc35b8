import asyncio
import json

import pytest

from mcp_apps_plugin.host import Limits, Reason
from mcp_apps_plugin.host.limits import RateLimit, size_problem
from mcp_apps_plugin.protocol import jsonrpc

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    "message",
    [
        None,
        "ping",
        b"ping",
        7,
        [PING],
        {},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": "x" * 300, "method": "ping"},
        {"jsonrpc": "2.0", "id": {}, "method": "ping"},
        {"jsonrpc": "2.0", "method": 5},
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
        {"jsonrpc": "2.0", "result": {}},
    ],
)
async def test_what_is_no_message_is_dropped(client, show, message):
    """Nothing is answered where an answer would reach nobody, and the next message is served."""
    async with show(client) as (bridge, view):
        before = len(view.heard)
        await bridge.receive(message)
        assert len(view.heard) == before
        assert bridge.refusals.counts == {Reason.MALFORMED: 1}
        assert await view.result("ping") == {}


@pytest.mark.parametrize("identifier", [0, "", "x", -1, 2**53])
async def test_every_id_is_answered_as_it_came(client, show, identifier):
    """0 and the empty string are ids like any other."""
    async with show(client) as (_, view):
        await view.send("ping", None, identifier)
        assert (await view.answer_to(identifier))["result"] == {}


async def test_a_method_that_is_no_string_is_answered(client, show):
    """With an id there is somebody to tell."""
    async with show(client) as (bridge, view):
        await bridge.receive({"jsonrpc": "2.0", "id": "m", "method": ["ping"]})
        assert (await view.answer_to("m"))["error"]["code"] == -32600


@pytest.mark.parametrize("method", ["initialize", "logging/setLevel", "tools/delete", "", "ui/x"])
async def test_unknown_methods(client, show, method):
    """MCP's own `initialize` is none of this channel's."""
    async with show(client) as (bridge, view):
        assert (await view.error(method))["code"] == -32601
        await view.notify(method)
        assert bridge.refusals.counts == {Reason.UNKNOWN_METHOD: 2}


@pytest.mark.parametrize("params", [None, [], "x", 1])
async def test_params_are_an_object_or_absent(client, show, params):
    """An explicit null is refused too, as the official host does."""
    async with show(client) as (bridge, view):
        message = {"jsonrpc": "2.0", "id": "p", "method": "tools/list", "params": params}
        await bridge.receive(message)
        assert (await view.answer_to("p"))["error"]["code"] == -32602
        await bridge.receive(
            {"jsonrpc": "2.0", "method": "notifications/message", "params": params}
        )
        await bridge.receive(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        )
        await view.settle()
        assert bridge.refusals.counts == {Reason.INVALID_PARAMS: 3}


async def test_what_was_sent_is_not_sent_back(client, show):
    """An error names places and kinds, never values."""
    async with show(client) as (_, view):
        error = await view.error("tools/call", {"name": {"secret": "s3cr3t"}})
        assert error["code"] == -32602
        assert "name" in error["message"]
        assert "s3cr3t" not in str(error)


async def test_messages_have_a_largest_size_and_depth(client, show):
    """Requests past it are answered, the rest dropped."""
    async with show(client, limits=Limits(message_bytes=1000, message_depth=10)) as (bridge, view):
        assert (await view.error("ping", {"x": "y" * 1000}))["code"] == -32600
        assert (await view.error("ping", {"x": ["y"] * 500}))["code"] == -32600
        deep = {}
        for _ in range(50):
            deep = {"d": deep}
        assert (await view.error("ping", deep))["code"] == -32600
        await view.notify("notifications/message", {"level": "info", "data": "y" * 1000})
        assert bridge.refusals.counts == {Reason.TOO_LARGE: 4}
        assert await view.result("ping", {"x": "y" * 100}) == {}


async def test_text_is_measured_before_it_is_parsed(client, show):
    """Too large, no JSON, too deep, no Unicode: counted and dropped."""
    async with show(client, limits=Limits(message_bytes=100_000)) as (bridge, view):
        await bridge.receive_text(json.dumps(PING))
        assert (await view.answer_to(1))["result"] == {}
        await bridge.receive_text(json.dumps(PING | {"id": 2}).encode())
        assert (await view.answer_to(2))["result"] == {}
        await bridge.receive_text("x" * 100_001)
        await bridge.receive_text("{")
        await bridge.receive_text(b"\xff\xfe\xff")
        await bridge.receive_text("[" * 50_000)
        await bridge.receive_text('{"jsonrpc": "2.0", "method": "ping", "params": {"x": NaN}}')
        await bridge.receive_text(
            '{"jsonrpc": "2.0", "method": "ping", "params": {"x": "\\ud800"}}'
        )
        assert bridge.refusals.counts == {Reason.TOO_LARGE: 3, Reason.MALFORMED: 3}
        await bridge.close()
        await bridge.receive_text(json.dumps(PING))


@pytest.mark.parametrize("letter", ["x", "ü", "字", "😀", "\ud800"])
async def test_the_size_of_text_is_counted_in_bytes(client, show, letter):
    """Text beyond ASCII takes more bytes than it has letters, as text and as bytes alike."""
    width = len(letter.encode(errors="surrogatepass"))
    async with show(client, limits=Limits(message_bytes=12_000)) as (bridge, _):
        for text in (letter * (12_000 // width), letter * (12_000 // width + 1)):
            await bridge.receive_text(text)
            await bridge.receive_text(text.encode(errors="surrogatepass"))
        # What fits was parsed, and is no JSON.
        assert bridge.refusals.counts == {Reason.MALFORMED: 2, Reason.TOO_LARGE: 2}


async def test_messages_come_at_a_bearable_rate(client, show):
    """Past the burst, requests are answered with an error until time has passed."""
    limits = Limits(messages_per_second=50, message_burst=10)
    async with show(client, limits=limits) as (bridge, view):
        answers = [await view.ask("ping") for _ in range(30)]
        refused = [a for a in answers if "error" in a]
        assert 10 <= len(refused) <= 25
        assert {a["error"]["code"] for a in refused} == {-32000}
        assert bridge.refusals.counts == {Reason.TOO_MANY: len(refused)}


def test_the_bucket_fills_with_time():
    """A burst, then one for each share of a second, never more than the burst."""
    now = [0.0]
    rate = RateLimit(10, 3, clock=lambda: now[0])
    assert [rate.take() for _ in range(4)] == [True, True, True, False]
    now[0] += 0.1
    assert [rate.take() for _ in range(2)] == [True, False]
    now[0] += 100
    assert [rate.take() for _ in range(4)] == [True, True, True, False]


async def test_a_page_that_logs_faster_than_it_is_heard(client, show):
    """What waits to be heard is bounded; the rest is dropped and counted."""
    from mcp_apps_plugin.host import Callbacks

    async def on_log(_):
        await asyncio.Event().wait()

    limits = Limits(open_requests=5)
    async with show(client, callbacks=Callbacks(on_log=on_log), limits=limits) as (bridge, view):
        for _ in range(8):
            await view.notify("notifications/message", {"level": "info", "data": 1})
        assert bridge.refusals.counts == {Reason.TOO_MANY: 3}
        assert await view.result("ping") == {}


async def test_answers_nobody_asked_for_are_dropped(client, show):
    """Ids never given out, and ids answered before."""
    async with show(client) as (bridge, view):
        for identifier in (0, 1, "0", -1, 2**70):
            await bridge.receive({"jsonrpc": "2.0", "id": identifier, "result": {}})
        await bridge.receive({"jsonrpc": "2.0", "id": 0, "error": {"code": 1, "message": "x"}})
        assert bridge.refusals.counts == {Reason.UNKNOWN_ANSWER: 6}
        assert await view.result("ping") == {}


async def test_a_flood_does_not_flood_the_log(client, show, caplog):
    """One warning for each reason; a page writes no lines of its own."""
    async with show(client) as (bridge, view):
        for _ in range(50):
            await view.notify("evil\nINFO all is well")
        warnings = [r for r in caplog.records if r.levelname == "WARNING"]
        assert len(warnings) == 1
        assert "\n" not in warnings[0].getMessage()
        assert bridge.refusals.counts == {Reason.UNKNOWN_METHOD: 50}


async def test_the_embedder_hears_of_refusals(client, show):
    """Reason and detail, as they happen, cut to size."""
    from mcp_apps_plugin.host import Callbacks

    heard = []
    callbacks = Callbacks(on_refused=lambda reason, detail: heard.append((reason, detail)))
    async with show(client, callbacks=callbacks) as (_, view):
        await view.notify("x" * 1000)
        assert heard == [(Reason.UNKNOWN_METHOD, "x" * 200)]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({1: 2}, "key that is no string"),
        ({"a": {2}}, "set"),
        (float("nan"), "JSON has not"),
        (float("inf"), "JSON has not"),
        (2**65, "too large"),
        ("\ud800", "no Unicode"),
        (["a" * 99] * 2, "larger"),
    ],
)
def test_what_is_no_json_is_found(value, words):
    """Whatever an embedder hands in, only JSON goes on."""
    assert words in size_problem(value, 100, 10)


def test_ordinary_json_is_let_through():
    """Every kind of value, and text that is not ASCII."""
    value = {"a": [1, 1.5, True, None, "ø", {"b": []}], "c": -(2**63)}
    assert size_problem(value, 1000, 10) is None


def test_messages_are_built_as_peers_expect_them():
    """`params` always, `data` only where there is some."""
    assert jsonrpc.notification("x") == {"jsonrpc": "2.0", "method": "x", "params": {}}
    assert "data" not in jsonrpc.error(0, -1, "x")["error"]
    assert jsonrpc.error(0, -1, "x", {"a": 1})["error"]["data"] == {"a": 1}
