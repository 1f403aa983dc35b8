"""What has no meaning, clients that cannot ask, and pages nobody declared."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError

from mcp_apps_plugin import (
    CancelledElicitation,
    elicit,
    once,
)

Peers = Any


async def test_what_has_no_meaning_is_refused(peer: Peers, era: str) -> None:
    server = FastMCP("s")

    @server.tool
    def in_sync(ctx: Context) -> str:
        elicit(ctx, "go?", bool)
        return "never"

    @server.tool
    async def in_step(ctx: Context) -> str:
        await once(ctx, "step", lambda: elicit(ctx, "go?", bool))
        return "never"

    @server.tool
    async def no_json(ctx: Context) -> str:
        await once(ctx, "step", object)
        return "never"

    @server.tool
    async def same_key(ctx: Context) -> str:
        for _ in range(2):
            await elicit(ctx, "go?", bool, key="go")
        return "never"

    @server.tool
    async def no_page(ctx: Context) -> str:
        await elicit(ctx, "go?", bool, app=len)
        return "never"

    @server.tool
    async def no_address(ctx: Context) -> str:
        await elicit(ctx, "go?", bool, app="https://example.com/view.html")
        return "never"

    @server.tool
    async def misspelt(ctx: Context) -> str:
        await elicit(ctx, "go?", bool, ap="ui://a/b")  # type: ignore[call-overload]
        return "never"

    @server.tool
    async def without_context(ctx: Context) -> str:
        await elicit("go?", bool)  # type: ignore[call-overload]
        return ctx.request_id

    @server.tool
    async def no_number(ctx: Context) -> str:
        await elicit(ctx, "go?", bool, retries="often")  # type: ignore[call-overload]
        return "never"

    @server.tool
    async def no_step(ctx: Context) -> str:
        return await once(ctx, "step", 3)  # type: ignore[arg-type]

    @server.tool
    async def misspelt_step(ctx: Context) -> str:
        return await once(ctx, name="step", fn=str)  # type: ignore[call-arg]

    user = await peer(server, era)
    user.will({"value": True})
    for tool, words in (
        ("misspelt", r"elicit\(\) .*has no `ap=`. Nobody was asked. Did you mean `app=`\?"),
        ("without_context", "missing 1 required positional argument: 'response_type'"),
        ("no_number", "is given `retries=` 'often', which is no number"),
        ("no_step", "is given 3, which is no function"),
        ("misspelt_step", r"once\(\) .*has no `name=`. The step did not run."),
        ("in_sync", "called from a sync function"),
        ("in_step", "called inside the `once` step 'step'"),
        ("no_json", "which is no JSON"),
        ("same_key", "uses the key 'go' for a second question"),
        ("no_page", "which is no page"),
        ("no_address", "does not start with `ui://`"),
    ):
        with pytest.raises(ToolError, match=words):
            await user.call(tool)


@pytest.mark.parametrize("client", ["no elicitation", "url only"])
async def test_a_client_that_cannot_ask(peer: Peers, era: str, client: str) -> None:
    server = FastMCP("s")

    @server.tool
    async def error(ctx: Context) -> str:
        return str(await elicit(ctx, "go?", bool))

    @server.tool
    async def cancelled(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, default=CancelledElicitation())).action

    @server.tool
    async def data(ctx: Context) -> bool:
        return (await elicit(ctx, "go?", bool, default=False)).data

    user = await peer(server, era, client)
    user.will({"value": True})
    with pytest.raises(ToolError, match=r"cannot be asked.*\[elicit-unsupported\]"):
        await user.call("error")
    assert await user.call("cancelled") == "cancel"
    assert await user.value("data") is False
    assert user.questions == []


async def test_a_page_nobody_declared_is_not_named(
    peer: Peers, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = FastMCP("s")
    address = "UI://made/up".lower()  # not to be read from the code

    @server.tool
    async def ask(ctx: Context) -> str:
        await elicit(ctx, "first?", bool, app="ui://known/page")
        await elicit(ctx, "second?", bool, app=address)
        return "done"

    @server.resource("ui://known/page")
    def page() -> str:
        return "<h1>Known</h1>"

    user = await peer(server, era)
    user.will({"value": True})
    with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
        assert await user.call("ask") == "done"
    assert user.hints == ["ui://known/page", None]
    assert "Put `@elicits('ui://made/up')` on the handler." in caplog.text
