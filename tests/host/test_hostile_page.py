"""Ten thousand messages of a page that means harm, against one bridge and two real servers."""

import asyncio
import contextlib
import gc
import json
import random
import tracemalloc
from collections import Counter

import pytest
from fastmcp import Client

from mcp_apps_plugin.host import AppBridge, Callbacks, Limits, Reason

MESSAGES = 10_000
WARM_UP = 2_000
BYTES = 100_000
SEED = 20260728
METHODS = [
    "ui/initialize",
    "ui/open-link",
    "ui/message",
    "ui/update-model-context",
    "ui/request-display-mode",
    "ui/download-file",
    "sampling/createMessage",
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "ping",
    "initialize",
    "logging/setLevel",
    "completion/complete",
    "elicitation/create",
    "ui/resource-teardown",
    "server/discover",
    "",
]
NOTIFICATIONS = [
    "ui/notifications/initialized",
    "ui/notifications/size-changed",
    "ui/notifications/request-teardown",
    "ui/notifications/tool-result",
    "ui/notifications/sandbox-resource-ready",
    "ui/notifications/sandbox-wheel",
    "notifications/message",
    "notifications/progress",
    "notifications/tools/list_changed",
    "notifications/initialized",
    "notifications/roots/list_changed",
]
FORBIDDEN_TOOLS = [
    "delete_everything",
    "nonsense",
    "only_there",
    "no_such",
    "__proto__",
    "weather\0",
]
FORBIDDEN_URIS = [
    "data://secret",
    "data://secret/x",
    "file:///etc/passwd",
    "http://169.254.169.254/latest",
    "UI://weather/page",
    "ui:/weather/page",
    " ui://weather/page",
    "javascript:alert(1)",
]
RESERVED = {
    "io.modelcontextprotocol/clientCapabilities": {"sampling": {}, "roots": {}},
    "io.modelcontextprotocol/clientInfo": {"name": "admin", "version": "1"},
    "io.modelcontextprotocol/protocolVersion": "1999-01-01",
    "dev.mcp/admin": True,
    "fastmcp": {"version": "0.0.1"},
    "traceparent": "00-evil",
}


class HostilePage:
    """Makes messages up, from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.next_id = 0
        self.made = Counter()

    def message(self):
        """Make one message, and say which kind it is."""
        kinds = {
            "garbage": (2, self._garbage),
            "any params": (3, self._any_params),
            "bad envelope": (2, self._bad_envelope),
            "unasked answer": (2, self._unasked_answer),
            "forbidden tool": (4, self._forbidden_tool),
            "forbidden read": (3, self._forbidden_read),
            "reserved meta": (3, self._reserved_meta),
            "notification": (3, self._notification),
            "cancellation": (1, self._cancellation),
            "link": (1, self._link),
            "huge": (1, self._huge),
            "deep": (1, self._deep),
        }
        kind = self.random.choices(list(kinds), [weight for weight, _ in kinds.values()])[0]
        self.made[kind] += 1
        return kinds[kind][1]()

    def value(self, depth=3):
        """Make any value that JSON has, and some that it has not."""
        pick = self.random.random()
        if depth and pick < 0.2:
            return [self.value(depth - 1) for _ in range(self.random.randrange(4))]
        if depth and pick < 0.4:
            return {self._text(): self.value(depth - 1) for _ in range(self.random.randrange(4))}
        odd = [None, True, False, 0, -1, 1.5, 2**70, float("nan"), "", "\ud800", "x", [], {}]
        return self.random.choice([*odd, self._text(), self.random.randrange(10**6)])

    def _text(self):
        alphabet = "abc/:.\n\0ø\u202e'\"<>{}\\ "
        return "".join(self.random.choices(alphabet, k=self.random.randrange(12)))

    def _id(self):
        self.next_id += 1
        return self.next_id

    def _request(self, method, params):
        return {"jsonrpc": "2.0", "id": self._id(), "method": method, "params": params}

    def _garbage(self):
        return self.value()

    def _any_params(self):
        keys = ["name", "uri", "url", "content", "role", "mode", "cursor", "_meta", "arguments"]
        params = {self.random.choice(keys): self.value() for _ in range(3)}
        if self.random.random() < 0.2:
            params = self.value()
        return self._request(self.random.choice(METHODS), params)

    def _bad_envelope(self):
        message = self._request(self.random.choice(METHODS), {})
        message[self.random.choice(["jsonrpc", "id", "method", "params"])] = self.value()
        if self.random.random() < 0.3:
            del message[self.random.choice(["jsonrpc", "id", "method", "params"])]
        return message

    def _unasked_answer(self):
        body = self.random.choice(
            [{"result": self.value()}, {"error": self.value()}, {"result": {}}]
        )
        return {"jsonrpc": "2.0", "id": self.random.choice([0, 1, 2, "0", 10**9])} | body

    def _forbidden_tool(self):
        params = {"name": self.random.choice(FORBIDDEN_TOOLS), "arguments": {"a": self._text()}}
        return self._request("tools/call", params)

    def _forbidden_read(self):
        return self._request("resources/read", {"uri": self.random.choice(FORBIDDEN_URIS)})

    def _reserved_meta(self):
        meta = dict(self.random.sample(sorted(RESERVED.items()), 3)) | {"progressToken": self._id()}
        params = {"name": "refresh", "arguments": {"city": "Oslo"}, "_meta": meta}
        return self._request("tools/call", params)

    def _notification(self):
        method = self.random.choice(NOTIFICATIONS)
        params = self.random.choice([{}, {"height": self.value()}, {"level": "info", "data": 1}])
        return {"jsonrpc": "2.0", "method": method, "params": params}

    def _cancellation(self):
        params = {"requestId": self.random.choice([self.value(), 10**9])}
        return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}

    def _link(self):
        url = self.random.choice(["javascript:alert(1)", "file:///x", "data:,x", self._text()])
        return self._request("ui/open-link", {"url": url})

    def _huge(self):
        return self._request(
            "tools/call", {"name": "refresh", "arguments": {"city": "x" * 300_000}}
        )

    def _deep(self):
        value = {}
        for _ in range(self.random.choice([70, 3000])):
            value = {"d": value}
        return self._request(self.random.choice(["ui/message", "tools/call"]), value)


def is_answerable(message):
    """Whether a message is a request that must be answered, whatever is in it."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    identifier = message.get("id")
    known = isinstance(identifier, str | int) and not isinstance(identifier, bool)
    return known and isinstance(message.get("method"), str)


async def shake_hands(bridge):
    params = {
        "appInfo": {"name": "p", "version": "1"},
        "appCapabilities": {"tools": {}},
        "protocolVersion": "2026-01-26",
    }
    hello = {"jsonrpc": "2.0", "id": "hello", "method": "ui/initialize", "params": params}
    await bridge.receive(hello)
    await bridge.receive({"jsonrpc": "2.0", "method": "ui/notifications/initialized"})
    await bridge.wait_ready(5)


@pytest.fixture
async def besieged(served, serve, mode):
    """A bridge whose every callback is wired, what came out of it, and a second server."""
    other = serve("other")

    @other.mcp.tool
    def only_there() -> str:
        return "there"

    async def agree(*_):
        return True

    callbacks = Callbacks(
        on_open_link=agree,
        on_message=agree,
        on_model_context=agree,
        on_download=agree,
        on_size=agree,
        on_log=agree,
        on_request_teardown=agree,
    )
    answers = Counter()

    async def take(message):
        json.dumps(message, allow_nan=False).encode()
        answers[message["method"] if "method" in message else message["id"]] += 1

    async with Client(served.mcp, mode=mode) as client, Client(other.mcp, mode=mode) as second:
        tool = next(t for t in await client.list_tools() if t.name == "weather")
        # Not the rate, which has its own turn below: here every message is to be looked at.
        limits = Limits(messages_per_second=1e9, message_burst=10**9, message_bytes=BYTES)
        async with (
            AppBridge(client, tool, callbacks=callbacks, send=take, limits=limits) as bridge,
            AppBridge(second, tool, send=take) as neighbour,
        ):
            await shake_hands(bridge)
            await shake_hands(neighbour)
            yield bridge, other, answers, Counter()


@pytest.mark.slow
async def test_ten_thousand_hostile_messages(besieged, served, mode):
    """Nothing forbidden reaches a server, every request is answered once, memory stays flat."""
    bridge, other, answers, reached = besieged
    page = HostilePage(SEED)
    expected = Counter()
    memory = []
    if mode == "auto":
        tracemalloc.start()
    try:
        for number in range(MESSAGES):
            message = page.message()
            text = None
            if number % 7 == 3:
                with contextlib.suppress(ValueError, RecursionError):
                    text = json.dumps(message)
            if is_answerable(message) and (text is None or len(text) <= BYTES):
                expected[message["id"]] += 1  # text too large is not parsed: nobody knows its id
            if text is None:
                await bridge.receive(message)
            else:
                await bridge.receive_text(text)
            if number % 16 == 0:
                await quiet(bridge)  # room for all, so that none is refused for want of it
                count_reached(served, reached)
            if number in (WARM_UP, MESSAGES - 1):
                await quiet(bridge)
                count_reached(served, reached)
                if mode == "auto":
                    memory.append(held_by_others())
    finally:
        tracemalloc.stop()

    print("\nmade:", dict(page.made))
    print("refused:", {reason.value: count for reason, count in bridge.refusals.counts.items()})
    print("reached the server:", dict(reached), "and the other:", other.calls, other.reads)
    print(f"answered: {sum(answers[i] for i in expected)} of {sum(expected.values())}")
    assert reached == {"refresh Oslo": page.made["reserved meta"]}
    assert other.calls == other.reads == []
    assert [i for i in expected if answers[i] != expected[i]] == []
    assert bridge.refusals.counts[Reason.TOOL_NOT_VISIBLE] >= page.made["forbidden tool"]
    assert bridge.refusals.counts[Reason.NOT_READABLE] >= page.made["forbidden read"]

    await bridge.receive({"jsonrpc": "2.0", "id": "still up", "method": "ping"})
    result = await bridge.run_tool({"city": "Bergen"})
    await quiet(bridge)
    assert result.structured_content["city"] == "Bergen"
    assert answers["still up"] == 1
    assert answers["ui/notifications/tool-result"] == 1
    if memory:
        print(f"memory: {memory[0]} bytes after {WARM_UP} messages, {memory[1]} after {MESSAGES}")
        assert memory[1] - memory[0] < 200_000


def count_reached(served, reached):
    """Count what reached the server and forget it, so that the books do not grow."""
    for name, arguments in served.calls:
        reached[f"{name} {arguments.get('city')}"] += 1
    reached.update(f"read {uri}" for uri in served.reads)
    stolen = [w for w in ("admin", "1999", "evil", "0.0.1") if w in str(served.metas)]
    reached.update(f"meta {word}" for word in stolen)
    for book in (served.calls, served.reads, served.metas):
        book.clear()


def held_by_others():
    """Return the bytes that Python holds, without what this file made."""
    gc.collect()
    snapshot = tracemalloc.take_snapshot()
    others = snapshot.filter_traces(
        [tracemalloc.Filter(inclusive=False, filename_pattern=__file__)]
    )
    return sum(trace.size for trace in others.traces)


async def quiet(bridge):
    """Wait until everything is answered and sent."""
    async with asyncio.timeout(60):
        # There is no event for it, and need be none: only a test wants to know.
        while len(bridge._dispatcher._answering) or bridge._outbox._waiting:  # noqa: ASYNC110
            await asyncio.sleep(0)
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_flood_is_held_back(served, mode):
    """At the ordinary limits, most of a flood of good requests is refused at once, and counted."""
    answers = Counter()

    async def take(message):
        answers["error" if "error" in message else "result"] += 1

    async with Client(served.mcp, mode=mode) as client:
        tool = next(t for t in await client.list_tools() if t.name == "weather")
        async with AppBridge(client, tool, send=take) as bridge:
            await shake_hands(bridge)
            params = {"name": "refresh", "arguments": {"city": "Oslo"}}
            for number in range(5000):
                message = {"id": number, "method": "tools/call", "params": params}
                await bridge.receive({"jsonrpc": "2.0", **message})
            await quiet(bridge)
            assert sum(answers.values()) == 5001
            assert len(served.calls) == answers["result"] - 1
            assert len(served.calls) < 2500
            assert bridge.refusals.counts == {Reason.TOO_MANY: answers["error"]}
            print(f"\nof 5000 calls {len(served.calls)} reached the server")
