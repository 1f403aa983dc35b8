"""What a handler can learn about its client and its request, on every transport."""

from __future__ import annotations

from typing import Any

import pytest
from fastmcp import Context, FastMCP

from mcp_apps_plugin import Support, call_id, client_ui_settings, supports_apps

UI = "io.modelcontextprotocol/ui"
MIME = "text/html;profile=mcp-app"
YES = {"mimeTypes": [MIME], "elicitation": {"form": {}}}
VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]


def server_of() -> FastMCP[Any]:
    server = FastMCP("s")

    @server.tool
    def ask(ctx: Context) -> dict[str, Any]:
        assert supports_apps() is supports_apps(ctx)
        assert call_id() == call_id(ctx)
        return {
            "supports": supports_apps(ctx).name,
            "settings": client_ui_settings(ctx),
            "id": call_id(ctx),
            "id_type": type(call_id()).__name__,
        }

    @server.resource("data://id")
    def resource_id() -> str:
        return repr(call_id())

    @server.prompt
    def prompt_id() -> str:
        return repr(call_id())

    return server


@pytest.mark.parametrize(
    ("settings", "supports"),
    [
        (YES, "YES"),
        ({"mimeTypes": ["text/html", MIME]}, "YES"),
        ({"mimeTypes": ["text/html+skybridge"]}, "NO"),
        ({"mimeTypes": []}, "NO"),
        ({}, "NO"),
        (None, "NO"),
    ],
)
async def test_in_memory(connect: Any, settings: Any, supports: str) -> None:
    """Support is the exact MIME type; the settings are read the same in both eras."""
    async with connect(server_of(), apps=settings) as client:
        answer = (await client.call_tool("ask")).data
    assert answer["supports"] == supports
    assert (answer["settings"] or None) == (settings or None)


@pytest.mark.parametrize("stateless", [False, True])
@pytest.mark.parametrize("declares", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
async def test_over_http(wire: Any, version: str, declares: bool, stateless: bool) -> None:  # noqa: FBT001
    """A stateless client of the older era is unknown; everyone else has said it."""
    capabilities = {"extensions": {UI: YES}} if declares else {}
    server = server_of()
    async with wire(server, version, stateless=stateless, capabilities=capabilities) as raw:
        answer = await raw.send("tools/call", name="ask", arguments={})
    answer = answer["result"]
    data = answer.get("structuredContent")
    if data is None:  # 2025-03-26 has no structured results
        import json

        data = json.loads(answer["content"][0]["text"])
    if stateless and version != "2026-07-28":
        assert (data["supports"], data["settings"]) == ("UNKNOWN", None)
    elif declares:
        assert (data["supports"], data["settings"]) == ("YES", YES)
    else:
        assert (data["supports"], data["settings"]) == ("NO", None)


async def test_the_early_spelling(wire: Any) -> None:
    """Clients that declare the same under `experimental` are understood."""
    capabilities = {"experimental": {UI: YES}}
    async with wire(server_of(), "2025-06-18", capabilities=capabilities) as raw:
        answer = await raw.send("tools/call", name="ask", arguments={})
    assert answer["result"]["structuredContent"]["supports"] == "YES"


@pytest.mark.parametrize("stateless", [False, True])
@pytest.mark.parametrize("request_id", [3, "3", 0, "", "a b", 2**40])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_call_ids(wire: Any, version: str, request_id: Any, stateless: bool) -> None:  # noqa: FBT001
    """The id is the one on the wire, with its type: `3` is not `"3"`."""
    async with wire(server_of(), version, stateless=stateless) as raw:
        answer = await raw.send("tools/call", request_id, name="ask", arguments={})
        assert answer["id"] == request_id
        data = answer["result"]["structuredContent"]
        assert (data["id"], data["id_type"]) == (request_id, type(request_id).__name__)
        read = await raw.send("resources/read", request_id, uri="data://id")
        assert read["result"]["contents"][0]["text"] == repr(request_id)
        prompt = await raw.send("prompts/get", request_id, name="prompt_id")
        assert prompt["result"]["messages"][0]["content"]["text"] == repr(request_id)


def test_outside_a_request() -> None:
    """Outside a request nothing is known, and there is no id."""
    assert supports_apps() is Support.UNKNOWN
    assert client_ui_settings() is None
    with pytest.raises(RuntimeError):
        call_id()


async def test_in_a_context_without_a_request() -> None:
    """A context at start-up is no request, either."""
    async with Context(fastmcp=server_of()) as ctx:
        assert supports_apps(ctx) is Support.UNKNOWN
        assert client_ui_settings(ctx) is None
        with pytest.raises(RuntimeError, match="needs a request"):
            call_id(ctx)


async def test_through_a_mount(connect: Any) -> None:
    """A mounted server's handler learns of the real client."""
    parent = FastMCP("parent")
    parent.mount(server_of(), namespace="c")
    async with connect(parent, apps=YES) as client:
        answer = (await client.call_tool("c_ask")).data
    assert answer["supports"] == "YES"
    assert answer["settings"] == YES
