"""What a window can have done, without a browser: clients, eras, mounts, pages, questions."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from mcp_apps_plugin.protocol.constants import EXTENSION_ID, MIME_TYPE

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "ui/initialize",
    "params": {
        "appInfo": {"name": "test", "version": "1"},
        "appCapabilities": {"elicitation": {}},
        "protocolVersion": "2026-01-26",
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "ui/notifications/initialized"}


async def shake_hands(window, view):
    """Be the page; return what the host says about itself."""
    await window.say("view", view=view, message=INITIALIZE)
    answer = await window.hear("to_view", view=view)
    await window.say("view", view=view, message=INITIALIZED)
    return answer["message"]["result"]


async def page_hears(window, view, method):
    """Wait until the page is told something."""
    while True:
        message = (await window.hear("to_view", view=view))["message"]
        if message.get("method") == method:
            return message["params"]


@pytest.mark.parametrize(
    ("era", "first", "protocol"),
    [("modern", "server/discover", "2026-07-28"), ("legacy", "initialize", "2025-11-25")],
)
async def test_both_eras(window, era, first, protocol):
    """The client begins as its era does, and every page works the same."""
    server = await window.connect(era=era)
    assert (server["name"], server["protocol"]) == ("Gallery", protocol)
    assert window.sent(first)
    await window.run("show", text="hi")
    shown = await window.hear("show")
    context = (await shake_hands(window, shown["frame"]["view"]))["hostContext"]
    assert (context["theme"], context["locale"]) == ("dark", "de-DE")
    result = await page_hears(window, shown["frame"]["view"], "ui/notifications/tool-result")
    assert result["structuredContent"]["text"] == "hi"


@pytest.mark.parametrize("apps", [True, False])
async def test_with_and_without_apps(window, apps):
    """A client without Apps declares nothing and shows no page; the text is there for both."""
    server = await window.connect(apps=apps)
    await window.run("show", text="hi")
    outcome = await window.outcome()
    assert "hi" in outcome["result"]["content"][0]["text"]
    assert any(message["type"] == "show" for message in window.heard) is apps
    (discover, *_) = window.sent("server/discover")
    meta = discover["params"]["_meta"]
    extensions = meta["io.modelcontextprotocol/clientCapabilities"].get("extensions", {})
    assert extensions.get(EXTENSION_ID, {}).get("mimeTypes", []) == [MIME_TYPE] * apps
    assert [tool["name"] for tool in server["tools"] if tool["page"]] == ["show"]


async def test_tools_are_told_with_what_they_are_for(window):
    """Model, page, or both; and which shows a page."""
    tools = {tool["name"]: tool for tool in (await window.connect())["tools"]}
    assert (tools["helper"]["model"], tools["helper"]["app"]) == (False, True)
    assert (tools["wipe"]["model"], tools["wipe"]["app"]) == (True, False)
    assert tools["show"]["page"] == "ui://gallery/page"


async def test_under_a_namespace_and_back(window):
    """The server is mounted, and its page with it; without the name it is itself again."""
    await window.connect()
    await window.say("mount", namespace="shop")
    server = (await window.hear("server", state="ready", namespace="shop"))["server"]
    assert "shop_show" in {tool["name"] for tool in server["tools"]}
    await window.run("shop_show", text="hi")
    shown = await window.hear("show")
    assert shown["frame"]["page"]["uri"] == "ui://shop/gallery/page"
    assert "http://127.0.0.1:9" in shown["frame"]["page"]["policy"]
    await window.say("mount", namespace="")
    assert (await window.hear("server", state="ready", namespace=""))["server"]


async def test_a_page_is_refused_what_is_not_its_own(window):
    """A tool for the model alone is answered with an error, and the window is told why."""
    await window.connect()
    await window.run("show", text="hi")
    view = (await window.hear("show"))["frame"]["view"]
    await shake_hands(window, view)
    call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "wipe"}}
    await window.say("view", view=view, message=call)
    refused = await window.hear("refused")
    assert refused["reason"] == "tool-not-visible"
    assert [sent["params"]["name"] for sent in window.sent("tools/call")] == ["show"]


async def test_a_result_is_shown_without_a_call(window):
    """After a change of the page alone, the tool does not run again."""
    await window.connect()
    known = {"content": [{"type": "text", "text": "x"}], "structuredContent": {"text": "kept"}}
    surroundings = {"theme": "light"}
    await window.say(
        "run", tool="show", arguments={"text": "a"}, surroundings=surroundings, result=known
    )
    view = (await window.hear("show"))["frame"]["view"]
    await shake_hands(window, view)
    told = await page_hears(window, view, "ui/notifications/tool-result")
    assert told["structuredContent"] == {"text": "kept"}
    assert not window.sent("tools/call")


@pytest.mark.parametrize("elicitation", [True, False])
async def test_a_form_answers_a_question(window, elicitation):
    """With a page beside it or alone: the same result."""
    await window.connect(elicitation=elicitation)
    await window.run("assign", account="Acme")
    asked = await window.hear("ask", kind="elicitation")
    assert (asked["frame"] is not None) is elicitation
    assert asked["message"] == "Who looks after Acme?"
    assert set(asked["schema"]["properties"]) == {"manager", "days"}
    content = {"manager": "Bob", "days": 2}
    answer = {"action": "accept", "content": content}
    await window.say("answer", question=asked["question"], value=answer)
    outcome = await window.outcome()
    assert outcome["result"]["content"][0]["text"] == "Acme: Bob on 2 days"


async def test_a_page_answers_a_question(window):
    """The page is asked by its bridge, and the window closes the question."""
    await window.connect()
    await window.run("assign", account="Acme")
    asked = await window.hear("ask", kind="elicitation")
    view = asked["frame"]["view"]
    assert "elicitation" in (await shake_hands(window, view))["hostCapabilities"]
    while True:
        message = (await window.hear("to_view", view=view))["message"]
        if message.get("method") == "elicitation/create":
            break
    result = {"action": "accept", "content": {"manager": "Ada", "days": 3}}
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
    await window.say("view", view=view, message=answer)
    await window.hear("asked", question=asked["question"])
    outcome = await window.outcome()
    assert outcome["result"]["content"][0]["text"] == "Acme: Ada on 3 days"


@pytest.mark.parametrize(("value", "said"), [({"action": "decline"}, "decline"), (None, "cancel")])
async def test_a_question_can_be_left(window, value, said):
    """To decline is said; to close is to cancel."""
    await window.connect(elicitation=False)
    await window.run("assign", account="Acme")
    asked = await window.hear("ask", kind="elicitation")
    await window.say("answer", question=asked["question"], value=value)
    assert (await window.outcome())["result"]["content"][0]["text"] == f"Acme: {said}"


async def test_a_call_can_be_cancelled(window):
    """A call that waits for its user is given up."""
    await window.connect(elicitation=False)
    await window.run("assign", account="Acme")
    await window.hear("ask", kind="elicitation")
    await window.say("cancel")
    assert (await window.outcome())["error"] == "Cancelled."


async def test_logs_of_server_and_process(window):
    """What the server logs, and what it prints, are both there."""
    await window.connect(era="legacy")
    await window.run("chat")
    await window.hear("log", source="process", data="from the server's print")
    logged = await window.hear("log", source="server")
    assert "from the server's log" in str(logged["data"])


async def test_nonsense_is_not_listened_to(window):
    """A message that is none changes nothing."""
    await window.connect()
    await window.say("delete_everything")
    await window.say("run", tool=5)
    await window.say("view", view=77, message={"jsonrpc": "2.0", "method": "x"})
    await window.run("nothing")
    assert "no tool" in (await window.outcome())["error"]


async def test_windows_do_not_cross(gallery, another_window):
    """Two windows are two clients: each hears of its own page."""
    async with AsyncExitStack() as stack:
        one, two = [await stack.enter_async_context(another_window(gallery)) for _ in range(2)]
        await asyncio.gather(one.connect(), two.connect(era="legacy"))
        await one.run("show", text="one")
        await two.run("show", text="two")
        for window, text in ((one, "one"), (two, "two")):
            view = (await window.hear("show"))["frame"]["view"]
            await shake_hands(window, view)
            told = await page_hears(window, view, "ui/notifications/tool-result")
            assert told["structuredContent"]["text"] == text
