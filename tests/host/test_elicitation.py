import asyncio

import mcp_types
import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.tools import Tool
from mcp.client.extension import advertise

from mcp_apps_plugin.host import AppBridge, apps_client_extension, apps_elicitation_handler
from mcp_apps_plugin.host.connection import SessionConnection
from mcp_apps_plugin.host.elicitation import checked_answer

EXTENSION = "io.modelcontextprotocol/ui"
ACCEPT = {"action": "accept", "content": {"manager": "priya"}}


class Native:
    """The host's own form: always answers `lee`, and counts."""

    def __init__(self):
        self.asked = []

    async def __call__(self, message, *_):
        """Ask."""
        self.asked.append(message)
        return {"manager": "lee"}


def carry_hints(served, settings):
    """Do what a server with this package does on the wire: FastMCP alone drops both.

    The declaration in the legacy handshake, and the hint of a question inside a modern result.
    """

    async def middleware(context, call_next):
        result = await call_next(context)
        if context.method in ("initialize", "server/discover"):
            if not isinstance(result, dict):
                result = result.model_dump(mode="json", by_alias=True, exclude_none=True)
            result["capabilities"].setdefault("extensions", {})[EXTENSION] = settings
        elif isinstance(result, dict):
            for asked in (result.get("inputRequests") or {}).values():
                asked["params"]["_meta"] = {"ui": {"resourceUri": served.hint}}
        return result

    served.mcp._mcp_server.middleware.insert(0, middleware)


@pytest.fixture
def native():
    return Native()


@pytest.fixture
def asking(served, mode, native, view_of):
    """Run the tool that asks, with pages that answer as given; return its text and the views."""

    async def run(answer, *, declared=True, app=None, render=None, work=None, calls=1, **options):
        views = []

        async def show(shown):
            assert shown.message == "Who?"
            assert shown.page.uri == "ui://weather/page"
            async with view_of(shown.bridge) as view:
                view.answers["elicitation/create"] = None if work else answer
                views.append(view)
                await view.handshake(**({"elicitation": {}} if app is None else app))
                if work:
                    asked = await view.wait_for(lambda m: m.get("method") == "elicitation/create")
                    await work(view)
                    reply = {"jsonrpc": "2.0", "id": asked["id"], "result": answer}
                    await shown.bridge.receive(reply)
                await asyncio.Event().wait()

        handler = apps_elicitation_handler(render=render or show, native=native, **options)
        carry_hints(served, {"elicitation": {}} if declared else {})
        async with Client(
            served.mcp,
            mode=mode,
            extensions=[apps_client_extension(elicitation=True)],
            elicitation_handler=handler,
        ) as client:
            texts = await asyncio.gather(*(client.call_tool_mcp("asks", {}) for _ in range(calls)))
            return [text.content[0].text for text in texts], views

    return run


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (ACCEPT, "accept priya"),
        ({"action": "decline"}, "decline None"),
        ({"action": "cancel"}, "cancel None"),
    ],
)
async def test_a_page_answers_for_the_user(asking, native, answer, text):
    """The bound page gets the standard request and its answer goes back to the server."""
    texts, (view,) = await asking(answer)
    assert texts == [text]
    assert native.asked == []
    asked = await view.expect("elicitation/create")
    assert asked["message"] == "Who?"
    assert asked["requestedSchema"]["required"] == ["manager"]
    assert view.methods() == ["elicitation/create", "ui/resource-teardown"]
    initialized = view.heard[0]["result"]
    assert initialized["hostCapabilities"]["elicitation"] == {}
    assert "toolInfo" not in initialized["hostContext"]


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "accept"},
        {"action": "accept", "content": {}},
        {"action": "accept", "content": {"manager": "mallory"}},
        {"action": "accept", "content": ["priya"]},
        {"action": "maybe", "content": {"manager": "priya"}},
        {},
        {"code": -32601, "message": "Method not found"},
    ],
)
async def test_an_answer_that_does_not_fit_is_asked_again_natively(asking, native, answer):
    """Whatever a sandboxed page makes up is checked outside of it."""
    texts, _ = await asking(answer)
    assert texts == ["accept lee"]
    assert native.asked == ["Who?"]


async def test_a_page_without_the_capability_is_not_asked(asking, native):
    """Both sides must have declared it."""
    texts, (view,) = await asking(ACCEPT, app={})
    assert (texts, native.asked) == (["accept lee"], ["Who?"])
    assert "elicitation/create" not in view.methods()


async def test_a_server_that_did_not_declare_it_gets_the_native_form(asking, native):
    """A hint without the server's declaration means nothing."""
    texts, views = await asking(ACCEPT, declared=False)
    assert (texts, native.asked, views) == (["accept lee"], ["Who?"], [])


async def test_a_page_that_never_initializes_is_given_up(asking, native):
    """The native form asks when the page's time is over."""

    async def blank(shown):
        assert isinstance(shown.bridge, AppBridge)
        await asyncio.Event().wait()

    texts, _ = await asking(ACCEPT, render=blank, initialize_seconds=0.05)
    assert (texts, native.asked) == (["accept lee"], ["Who?"])


async def test_a_page_that_never_answers_is_given_up(asking, native):
    """So does a user who does not come back."""
    texts, (view,) = await asking(None, answer_seconds=0.05)
    assert (texts, native.asked) == (["accept lee"], ["Who?"])
    assert "notifications/cancelled" in view.methods()


async def test_dismissing_the_page_brings_the_native_form(asking, native):
    """Closing the page is no answer to the question."""

    async def dismissed(_):
        await asyncio.sleep(0)

    texts, _ = await asking(ACCEPT, render=dismissed)
    assert (texts, native.asked) == (["accept lee"], ["Who?"])


async def test_a_renderer_that_closes_the_page_itself_dismisses_it(asking, native, view_of, caplog):
    """That is what switching to the form is; it is no fault of the page."""

    async def switched(shown):
        async with view_of(shown.bridge) as view:
            await view.handshake(elicitation={})
            await view.wait_for(lambda m: m.get("method") == "elicitation/create")
            await shown.bridge.close()
            await asyncio.sleep(0)

    texts, _ = await asking(ACCEPT, render=switched)
    assert (texts, native.asked) == (["accept lee"], ["Who?"])
    assert not [each for each in caplog.records if each.name.startswith("mcp_apps_plugin.host")]


async def test_a_host_that_cannot_show_it_asks_natively(asking, native):
    """A renderer that fails is a dismissal with a reason."""

    async def broken(_):
        message = "no window"
        raise OSError(message)

    texts, _ = await asking(ACCEPT, render=broken)
    assert (texts, native.asked) == (["accept lee"], ["Who?"])


@pytest.mark.parametrize("hint", ["ui://weather/missing", "https://a.example/x", 7, "ui://", None])
async def test_a_page_that_cannot_be_read_is_no_question_lost(asking, native, served, hint):
    """Missing, of another scheme, or malformed: the native form asks."""
    served.hint = hint
    texts, views = await asking(ACCEPT)
    assert (texts, native.asked, views) == (["accept lee"], ["Who?"], [])


async def test_questions_at_the_same_time_do_not_cross(asking, native):
    """Ten at once: each has its own page, its own bridge, its own answer."""
    answers = iter(["priya", "lee"] * 5)

    def answer(_):
        return {"action": "accept", "content": {"manager": next(answers)}}

    texts, views = await asking(answer, calls=10)
    assert sorted(texts) == ["accept lee"] * 5 + ["accept priya"] * 5
    assert len({id(v.bridge) for v in views}) == 10
    assert all(v.methods().count("elicitation/create") == 1 for v in views)
    assert native.asked == []


async def test_a_question_that_is_cancelled_takes_its_page_along(served, mode, native, view_of):
    """The call that asked is gone: so are page and question, and nobody is asked natively."""
    shown_views, ended = [], asyncio.Event()

    async def show(shown):
        try:
            async with view_of(shown.bridge) as view:
                shown_views.append(view)
                view.answers["elicitation/create"] = None
                await view.handshake(elicitation={})
                await view.expect("elicitation/create")
                calling.cancel()
                await asyncio.Event().wait()
        finally:
            ended.set()

    carry_hints(served, {"elicitation": {}})
    async with Client(
        served.mcp,
        mode=mode,
        extensions=[advertise(EXTENSION, {})],
        elicitation_handler=apps_elicitation_handler(render=show, native=native),
    ) as client:
        calling = asyncio.create_task(client.call_tool_mcp("asks", {}))
        await asyncio.wait([calling], timeout=5)
        async with asyncio.timeout(5):
            await ended.wait()
        assert native.asked == []
        assert len(shown_views) == 1


async def test_an_ordinary_question_is_native(served):
    """No hint, no page; `ctx.elicit` as FastMCP has it, in the era that has it."""

    @served.mcp.tool
    async def plain(ctx: Context) -> str:
        answer = await ctx.elicit("Plain?", str)
        return answer.action

    async def render(_):
        raise AssertionError

    async def answers(*_):
        return {"value": "x"}

    handler = apps_elicitation_handler(render=render, native=answers)
    async with Client(served.mcp, mode="legacy", elicitation_handler=handler) as client:
        assert (await client.call_tool_mcp("plain", {})).content[0].text == "accept"


async def test_the_page_of_a_question_speaks_with_the_server_that_asked(asking, served):
    """Reads, lists and calls go back over the session of the question, under the usual rules."""
    seen = {}

    async def work(view):
        for method, params in (
            ("tools/call", {"name": "refresh", "arguments": {}}),
            ("tools/call", {"name": "delete_everything", "arguments": {}}),
            ("tools/list", {}),
            ("resources/list", {}),
            ("resources/templates/list", {}),
            ("prompts/list", {}),
            ("resources/read", {"uri": "ui://weather/page"}),
        ):
            seen.setdefault(method, []).append("result" in await view.ask(method, params))

    texts, _ = await asking(ACCEPT, work=work)
    assert texts == ["accept priya"]
    assert seen.pop("tools/call") == [True, False]
    assert all(all(answers) for answers in seen.values())
    assert [name for name, _ in served.calls if name == "delete_everything"] == []


async def test_the_connection_of_a_question_lists_to_the_end(mode):
    """Every page of the tool list, as a client would."""
    mcp = FastMCP("many", list_page_size=2)
    for n in range(5):
        mcp.add_tool(Tool.from_function(lambda: "", name=f"t{n}"))
    async with Client(mcp, mode=mode) as client:
        tools = await SessionConnection(client.session).list_tools()
        assert [t.name for t in tools] == [f"t{n}" for n in range(5)]


async def test_a_connection_that_turns_in_circles_is_left():
    """A cursor that came before ends the list."""

    class Circles:
        async def list_tools(self, **_):
            return mcp_types.ListToolsResult(tools=[], next_cursor="again")

    assert await SessionConnection(Circles()).list_tools() == []


async def test_a_question_by_url_is_native(served, native):
    """A hint on it means nothing: pages render forms."""

    @served.mcp.tool
    async def visit(ctx: Context) -> str:
        params = mcp_types.ElicitRequestURLParams(
            message="Go",
            url="https://a.example",
            elicitation_id="1",
            _meta={"ui": {"resourceUri": served.hint}},
        )
        request = mcp_types.ElicitRequest(params=params)
        return (await ctx.session.send_request(request, mcp_types.ElicitResult)).action

    async def render(_):
        raise AssertionError

    async def by_hand(*_):
        return mcp_types.ElicitResult(action="decline")

    carry_hints(served, {"elicitation": {}})
    handler = apps_elicitation_handler(render=render, native=by_hand)
    async with Client(served.mcp, mode="legacy", elicitation_handler=handler) as client:
        assert (await client.call_tool_mcp("visit", {})).content[0].text == "decline"
    assert native.asked == []


def test_an_answer_that_no_form_allows():
    """What the form does not ask for, or asks for otherwise, goes to the native form."""
    from mcp_apps_plugin.host.elicitation import _Fallback

    with pytest.raises(_Fallback, match="/content/manager: Property is not declared"):
        checked_answer(ACCEPT, {"type": "object"})
    with pytest.raises(_Fallback) as raised:
        checked_answer({"action": "accept", "content": {"n": "s3cr3t"}}, NUMBER)
    assert "/content/n: Expected an integer." in str(raised.value)
    assert "s3cr3t" not in str(raised.value)
    defaulted = {"type": "object", "properties": {"n": {"type": "integer", "default": 7}}}
    answer = checked_answer({"action": "accept", "content": {}}, defaulted)
    assert answer.content == {"n": 7}


NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}}
