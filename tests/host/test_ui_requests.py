import asyncio

import mcp_types
import pytest

from mcp_apps_plugin.host import Callbacks, Reason

TEXT = {"type": "text", "text": "hello"}
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


async def yes(*_):
    return True


async def no(*_):
    return False


async def breaks(*_):
    message = "/home/someone/secret"
    raise OSError(message)


EVERY_REQUEST = [
    ("on_open_link", "ui/open-link", {"url": "https://a.example/x?y#z"}),
    ("on_message", "ui/message", {"role": "user", "content": [TEXT]}),
    ("on_model_context", "ui/update-model-context", {"content": [TEXT]}),
    (
        "on_download",
        "ui/download-file",
        {"contents": [{"type": "resource", "resource": {"uri": "file:///a.txt", "text": "x"}}]},
    ),
]


@pytest.mark.parametrize(("callback", "method", "params"), EVERY_REQUEST)
async def test_a_request_is_offered_exactly_when_its_callback_is_there(
    client, show, callback, method, params
):
    """The capability, the answer, a refusal and a failure of each."""
    name = {
        "on_open_link": "openLinks",
        "on_message": "message",
        "on_model_context": "updateModelContext",
        "on_download": "downloadFile",
    }[callback]
    async with show(client, ready=False) as (_, view):
        assert name not in (await view.handshake())["hostCapabilities"]
        assert (await view.error(method, params))["code"] == -32601
    async with show(client, ready=False, callbacks=Callbacks(**{callback: yes})) as (_, view):
        assert name in (await view.handshake())["hostCapabilities"]
        assert await view.result(method, params) == {}
        assert (await view.error(method, [1]))["code"] == -32602
    async with show(client, callbacks=Callbacks(**{callback: no})) as (bridge, view):
        answer = await view.ask(method, params)
        if name == "updateModelContext":
            assert answer["error"]["code"] == -32000
        else:
            assert answer["result"] == {"isError": True}
        assert bridge.refusals.counts[Reason.DECLINED] == 1
    async with show(client, callbacks=Callbacks(**{callback: breaks})) as (_, view):
        error = await view.error(method, params)
        assert error["code"] == -32603
        assert "secret" not in str(error)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ui://weather/page",
        "https://good.example@evil.example/",
        "https:///x",
        "//a.example",
        "a.example",
        "",
        " https://a.example",
        "https://a.example\\@b.example",
        "https://[::1",
        "https://a.example/" + "x" * 9000,
    ],
)
async def test_links_that_are_not_opened(client, show, url):
    """The scheme is on the list, and nothing hides where it leads."""
    opened = []

    async def open_link(link):
        opened.append(link)
        return True

    async with show(client, callbacks=Callbacks(on_open_link=open_link)) as (bridge, view):
        assert await view.result("ui/open-link", {"url": url}) == {"isError": True}
        assert opened == []
        assert bridge.refusals.counts[Reason.LINK] == 1


async def test_links_are_opened_as_they_were_checked(client, show):
    """The very string that was checked; schemes are the embedder's to choose."""
    opened = []

    async def open_link(link):
        opened.append(link)
        return True

    callbacks = Callbacks(on_open_link=open_link)
    async with show(client, callbacks=callbacks) as (_, view):
        for url in ("https://A.example/%20", "mailto:a@b.example", "http://127.0.0.1:8000/"):
            assert await view.result("ui/open-link", {"url": url}) == {}
    async with show(client, callbacks=callbacks, link_schemes=("slack",)) as (_, view):
        assert await view.result("ui/open-link", {"url": "slack://x"}) == {}
        assert await view.result("ui/open-link", {"url": "https://a.example"}) == {"isError": True}
    assert opened == [
        "https://A.example/%20",
        "mailto:a@b.example",
        "http://127.0.0.1:8000/",
        "slack://x",
    ]


async def test_messages_are_the_users_and_of_the_declared_kinds(client, show):
    """A list or one block; other roles are malformed, other content declined."""
    taken = []

    async def on_message(params):
        taken.append([block.type for block in params.content])
        return True

    async with show(client, ready=False, callbacks=Callbacks(on_message=on_message)) as (_, view):
        capabilities = (await view.handshake())["hostCapabilities"]
        assert capabilities["message"] == {"text": {}}
        assert await view.result("ui/message", {"role": "user", "content": TEXT}) == {}
        for bad in (
            {"role": "assistant", "content": [TEXT]},
            {"role": "user", "content": "hello"},
            {"role": "user", "content": []},
            {"role": "user", "content": [{"type": "video"}]},
        ):
            assert (await view.error("ui/message", bad))["code"] == -32602
        declined = await view.result("ui/message", {"role": "user", "content": [TEXT, IMAGE]})
        assert declined == {"isError": True}
        assert taken == [["text"]]
    every = ("text", "image", "audio", "resource", "resourceLink")
    callbacks = Callbacks(on_message=on_message, message_modalities=every)
    link = {"type": "resource_link", "uri": "ui://a/b", "name": "b"}
    async with show(client, callbacks=callbacks) as (_, view):
        assert await view.result("ui/message", {"role": "user", "content": [IMAGE, link]}) == {}
        assert taken[-1] == ["image", "resource_link"]


async def test_the_last_context_counts(client, show):
    """Each replaces the one before; empty means none; declined leaves it as it was."""
    verdicts = iter([True, True, False, True])

    async def on_context(_):
        return next(verdicts)

    callbacks = Callbacks(on_model_context=on_context)
    async with show(client, ready=False, callbacks=callbacks) as (bridge, view):
        capabilities = (await view.handshake())["hostCapabilities"]
        assert capabilities["updateModelContext"] == {"text": {}, "structuredContent": {}}
        assert bridge.model_context is None
        update = "ui/update-model-context"
        assert await view.result(update, {"content": [TEXT]}) == {}
        assert await view.result(update, {"structuredContent": {"a": 1}}) == {}
        assert bridge.model_context.structured_content == {"a": 1}
        assert bridge.model_context.content == []
        assert (await view.error(update, {"content": [TEXT]}))["code"] == -32000
        assert (await view.error(update, {"content": [IMAGE]}))["code"] == -32000
        assert (await view.error(update, {"structuredContent": [1]}))["code"] == -32602
        assert bridge.model_context.structured_content == {"a": 1}
        assert await view.result(update, {}) == {}
        assert bridge.model_context.structured_content is None
    only_text = Callbacks(on_model_context=on_context, context_modalities=("text",))
    async with show(client, callbacks=only_text) as (_, view):
        assert (await view.error(update, {"structuredContent": {}}))["code"] == -32000


async def test_display_modes_both_sides_must_have(client, show):
    """The answer is the mode in force; a change is told too."""
    asked = []

    async def change(mode):
        asked.append(mode)
        return mode

    callbacks = Callbacks(on_display_mode=change)
    context = {"display_mode": "inline", "available_display_modes": ["inline", "fullscreen"]}
    declared = {"availableDisplayModes": ["inline", "fullscreen", "pip", "theatre"]}
    async with show(client, app=declared, callbacks=callbacks, context=context) as (bridge, view):
        ask = "ui/request-display-mode"
        assert await view.result(ask, {"mode": "pip"}) == {"mode": "inline"}
        assert await view.result(ask, {"mode": "inline"}) == {"mode": "inline"}
        assert asked == []
        assert await view.result(ask, {"mode": "fullscreen"}) == {"mode": "fullscreen"}
        changed = await view.expect("ui/notifications/host-context-changed")
        assert changed == {"displayMode": "fullscreen"}
        assert (await view.error(ask, {"mode": "theatre"}))["code"] == -32602
        assert asked == ["fullscreen"]
        await bridge.update_context(display_mode="inline")
        assert await view.result(ask, {"mode": "inline"}) == {"mode": "inline"}
    only_inline = {"availableDisplayModes": ["inline"]}
    async with show(client, app=only_inline, callbacks=callbacks, context=context) as (_, view):
        assert await view.result(ask, {"mode": "fullscreen"}) == {"mode": "inline"}


@pytest.mark.parametrize("outcome", ["inline", "theatre", None])
async def test_a_host_that_does_not_change_says_so(client, show, outcome):
    """Whatever the callback returns, the answer is a mode that is in force."""

    async def change(_):
        return outcome

    context = {"available_display_modes": ["inline", "fullscreen"]}
    callbacks = Callbacks(on_display_mode=change)
    async with show(client, callbacks=callbacks, context=context) as (_, view):
        answer = await view.result("ui/request-display-mode", {"mode": "fullscreen"})
        assert answer == {"mode": "inline"}
        assert view.methods() == []


async def test_display_modes_without_a_callback_stay(client, show):
    """Nobody can change it: the answer is what is."""
    async with show(client, context={"display_mode": "pip"}) as (_, view):
        answer = await view.result("ui/request-display-mode", {"mode": "fullscreen"})
        assert answer == {"mode": "pip"}
    async with show(client) as (_, view):
        answer = await view.result("ui/request-display-mode", {"mode": "fullscreen"})
        assert answer == {"mode": "inline"}


async def test_a_host_switches_to_no_mode_the_view_lacks(client, show):
    """A mode that the view did not declare is not forced on it."""
    declared = {"availableDisplayModes": ["inline"]}
    async with show(client, app=declared) as (_, view):
        bridge = view.bridge
        await bridge.update_context(display_mode="fullscreen", locale="nb")
        changed = await view.expect("ui/notifications/host-context-changed")
        assert changed == {"locale": "nb"}


async def test_downloads_come_decoded_and_named(client, show):
    """Text, base64 and links; names without folders."""
    files = []

    async def download(offered):
        files.extend(offered)
        return True

    def embedded(uri, **content):
        return {"type": "resource", "resource": {"uri": uri, **content}}

    async with show(client, callbacks=Callbacks(on_download=download)) as (_, view):
        contents = [
            embedded("file:///a/../../etc/pässwd.txt", text="ø", mimeType="text/plain"),
            embedded("file:///b.bin", blob="AP8="),
            {"type": "resource_link", "uri": "https://a.example/q4", "name": "../Q4.pdf"},
        ]
        assert await view.result("ui/download-file", {"contents": contents}) == {}
        assert [(f.name, f.data, f.url) for f in files] == [
            ("pässwd.txt", "ø".encode(), None),
            ("b.bin", b"\x00\xff", None),
            ("Q4.pdf", None, "https://a.example/q4"),
        ]
        assert files[0].mime_type == "text/plain"
        bad = [embedded("file:///b.bin", blob="no base64!")]
        assert (await view.error("ui/download-file", {"contents": bad}))["code"] == -32602
        assert (await view.error("ui/download-file", {"contents": []}))["code"] == -32602
        file = [{"type": "resource_link", "uri": "file:///etc/passwd", "name": "x"}]
        assert await view.result("ui/download-file", {"contents": file}) == {"isError": True}
        assert len(files) == 3


async def test_sampling_is_the_embedders_and_without_tools(client, show):
    """The page gets the model's words; it cannot bring tools."""
    asked = []

    async def sample(params):
        asked.append(params.messages[0].content.text)
        return mcp_types.CreateMessageResult(
            role="assistant", content=mcp_types.TextContent(text="hi"), model="m"
        )

    message = {"role": "user", "content": TEXT}
    params = {"messages": [message], "maxTokens": 10}
    async with show(client, ready=False, callbacks=Callbacks(on_sampling=sample)) as (_, view):
        assert (await view.handshake())["hostCapabilities"]["sampling"] == {}
        result = await view.result("sampling/createMessage", params)
        assert (result["model"], result["content"]["text"]) == ("m", "hi")
        assert "resultType" not in result
        tools = [{"name": "t", "inputSchema": {"type": "object"}}]
        error = await view.error("sampling/createMessage", params | {"tools": tools})
        assert error["code"] == -32602
        assert asked == ["hello"]
    async with show(client) as (_, view):
        assert (await view.error("sampling/createMessage", params))["code"] == -32601


async def test_sizes_and_logs_come_in_order(client, show):
    """One after the other, however slow the first; sizes within the container."""
    heard = []

    async def on_size(width, height):
        await asyncio.sleep(0.02 if not heard else 0)
        heard.append((width, height))

    async def on_log(entry):
        heard.append((entry.level, entry.data, entry.logger))

    callbacks = Callbacks(on_size=on_size, on_log=on_log)
    context = {"container_dimensions": {"width": 400, "maxHeight": 600}}
    async with show(client, ready=False, callbacks=callbacks, context=context) as (_, view):
        assert (await view.handshake())["hostCapabilities"]["logging"] == {}
        await view.notify("ui/notifications/size-changed", {"width": 400, "height": 9000})
        await view.notify("notifications/message", {"level": "info", "data": {"a": 1}})
        await view.notify("ui/notifications/size-changed", {"height": 0.5})
        for bad in ({"height": -1}, {"height": "1"}, {"width": None, "height": True}):
            await view.notify("ui/notifications/size-changed", bad)
        await view.notify("notifications/message", {"level": "loud", "data": 1})
        await asyncio.sleep(0.1)
        assert heard == [(400, 600), ("info", {"a": 1}, None), (None, 0.5)]


async def test_what_nobody_listens_to_is_taken_quietly(client, show):
    """Notifications without a callback, and hosts' private ones, are nobody's fault."""
    async with show(client) as (bridge, view):
        await view.notify("ui/notifications/size-changed", {"height": 1})
        await view.notify("notifications/message", {"level": "info", "data": 1})
        await view.notify("ui/notifications/request-teardown", {})
        await view.notify("notifications/progress", {"progressToken": 1, "progress": 1})
        await view.notify("ui/notifications/sandbox-wheel", {"deltaY": 1})
        await view.settle()
        assert not bridge.refusals.counts


async def test_a_callback_that_fails_is_the_embedders_trouble(client, show):
    """A notification's failure reaches the log and nothing else."""
    async with show(client, callbacks=Callbacks(on_size=breaks)) as (_, view):
        await view.notify("ui/notifications/size-changed", {"height": 1})
        assert await view.result("ping") == {}
