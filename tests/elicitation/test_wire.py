"""The raw JSON: where the page is named, and that without it nothing else differs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.server import create_proxy
from fastmcp.server.elicitation import get_elicitation_schema
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

from mcp_apps_plugin import app_resource, elicit

if TYPE_CHECKING:
    from collections.abc import Callable

EXTENSION = "io.modelcontextprotocol/ui"
PAGE = "text/html;profile=mcp-app"
FORM = {"elicitation": {"form": {}}}
SETTINGS = {"mimeTypes": [PAGE], "elicitation": {}}
GATES = {**FORM, "extensions": {EXTENSION: SETTINGS}}
REQUESTS = {
    "tool": ("tools/call", {"name": "assign", "arguments": {"account": "main"}}),
    "prompt": ("prompts/get", {"name": "brief", "arguments": {"account": "main"}}),
    "resource": ("resources/read", {"uri": "crm://accounts/main"}),
    "template": ("resources/read", {"uri": "crm://accounts/of/main"}),
}


def moved(namespace: str, params: dict[str, Any]) -> dict[str, Any]:
    """Name a component as a namespace renames it."""
    if "uri" in params:
        scheme, _, rest = params["uri"].partition("://")
        return {**params, "uri": f"{scheme}://{namespace}/{rest}"}
    return {**params, "name": f"{namespace}_{params['name']}"}


def question(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the one question of a raw answer."""
    assert answer["result"]["resultType"] == "input_required", answer
    (asked,) = answer["result"]["inputRequests"].values()
    return asked


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize("stateless", [False, True])
@pytest.mark.parametrize("where", ["", "below", "back"])
async def test_the_page_is_named_when_all_four_gates_hold_and_the_form_is_the_same_without(
    wire: Callable[..., Any], program: Any, kind: str, where: str, *, stateless: bool
) -> None:
    method, params = REQUESTS[kind]
    if where:
        params = moved(where, params)
    server = program.build()
    async with wire(server, stateless=stateless, capabilities=FORM) as plain:
        without = question(await plain.send(method, **params))
    async with wire(server, stateless=stateless, capabilities=GATES) as full:
        with_page = question(await full.send(method, **params))
    uri = f"ui://{where}/portfolio/assign" if where else "ui://portfolio/assign"
    assert with_page["params"].pop("_meta") == {"ui": {"resourceUri": uri}}
    assert json.dumps(with_page) == json.dumps(without)
    assert without == {
        "method": "elicitation/create",
        "params": {
            "mode": "form",
            "message": "Who looks after main?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "manager": {"title": "Manager", "type": "string"},
                    "days": {"default": 5, "title": "Days", "type": "integer"},
                },
                "required": ["manager"],
            },
        },
    }


@pytest.mark.parametrize(
    "client",
    [
        {},
        {"mimeTypes": [PAGE]},
        {"elicitation": {}},
        {"mimeTypes": [PAGE], "elicitation": True},
        {"mimeTypes": [PAGE], "elicitation": None},
        {"mimeTypes": ["text/html"], "elicitation": {}},
        {"mimeTypes": PAGE, "elicitation": {}},
    ],
)
async def test_no_gate_implies_another(
    wire: Callable[..., Any], program: Any, client: dict[str, Any]
) -> None:
    capabilities = {**FORM, "extensions": {EXTENSION: client}}
    async with wire(program.build(), capabilities=capabilities) as raw:
        asked = question(await raw.send("tools/call", **REQUESTS["tool"][1]))
    assert "_meta" not in asked["params"]


async def test_an_empty_elicitation_means_forms(wire: Callable[..., Any], program: Any) -> None:
    capabilities = {"elicitation": {}, "extensions": {EXTENSION: SETTINGS}}
    async with wire(program.build(), capabilities=capabilities) as raw:
        asked = question(await raw.send("tools/call", **REQUESTS["tool"][1]))
    assert asked["params"]["_meta"] == {"ui": {"resourceUri": "ui://portfolio/assign"}}


@pytest.mark.parametrize("version", ["2026-07-28", "2025-11-25", "2025-06-18"])
async def test_the_capability_comes_with_the_first_handler_that_asks_with_a_page(
    wire: Callable[..., Any], version: str
) -> None:
    server = FastMCP("s")

    async def settings() -> dict[str, Any]:
        async with wire(server, version) as raw:
            return raw.negotiated["capabilities"]["extensions"][EXTENSION]

    @server.tool
    async def plain(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool)).action

    assert await settings() == {"mimeTypes": [PAGE]}
    below = FastMCP("below")
    server.mount(below)
    add_asking(below)
    assert await settings() == {"mimeTypes": [PAGE], "elicitation": {}}


@app_resource("ui://wire/page")
def page() -> str:
    """Ask."""
    return "<h1>Page</h1>"


def add_asking(server: FastMCP) -> None:
    """Add a tool that asks with a page."""

    @server.tool
    async def asks(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=page)).action


async def test_the_server_gate_is_what_the_outermost_server_declares(
    wire: Callable[..., Any],
) -> None:
    back = FastMCP("back")
    add_asking(back)
    front = create_proxy(back, name="front")
    async with wire(front, capabilities=GATES) as raw:
        asked = question(await raw.send("tools/call", name="asks", arguments={}))
        assert "elicitation" not in raw.negotiated["capabilities"]["extensions"][EXTENSION]
    assert "_meta" not in asked["params"]


async def test_a_page_named_by_hand_passes_the_same_gates(wire: Callable[..., Any]) -> None:
    server = FastMCP("s")
    add_asking(server)
    schema = get_elicitation_schema(program_form())

    @server.tool
    async def by_hand(link: str, ctx: Context) -> InputRequiredResult:
        del ctx
        params = ElicitRequestFormParams.model_validate(
            {
                "message": "?",
                "requestedSchema": schema,
                "_meta": {"ui": {"resourceUri": link}, "other": 1},
            }
        )
        return InputRequiredResult(input_requests={"k": ElicitRequest(params=params)})

    async def meta(link: str, capabilities: dict[str, Any]) -> Any:
        async with wire(server, capabilities=capabilities) as raw:
            answer = await raw.send("tools/call", name="by_hand", arguments={"link": link})
        return question(answer)["params"].get("_meta")

    assert await meta("ui://wire/page", GATES) == {"ui": {"resourceUri": "ui://wire/page"}}
    assert await meta("ui://wire/page", FORM) is None
    assert await meta("https://example.com/page", GATES) is None


def program_form() -> Any:
    """Return a form."""
    from pydantic import create_model

    return create_model("Form", go=(bool, ...))


async def test_a_page_the_caller_may_not_read_is_not_named(wire: Callable[..., Any]) -> None:
    server = FastMCP("s")
    hidden = app_resource("ui://wire/hidden", auth=[lambda _: False])(lambda: "<h1>no</h1>")

    @server.tool
    async def asks(ctx: Context) -> str:
        return (await elicit(ctx, "go?", bool, app=hidden)).action

    async with wire(server, capabilities=GATES) as raw:
        asked = question(await raw.send("tools/call", name="asks", arguments={}))
    assert "_meta" not in asked["params"]


async def test_the_key_tells_nothing_of_the_code(wire: Callable[..., Any]) -> None:
    server = FastMCP("s")
    add_asking(server)
    async with wire(server, capabilities=FORM) as raw:
        answer = await raw.send("tools/call", name="asks", arguments={})
    (key,) = answer["result"]["inputRequests"]
    name, _, digest = key.partition("-")
    assert name == "asks"
    assert len(bytes.fromhex(digest)) == 8


async def test_other_results_are_left_alone(wire: Callable[..., Any]) -> None:
    server = FastMCP("s")

    @server.tool
    def echo() -> dict[str, Any]:
        return {"inputRequests": {"a": {"params": {"_meta": {"ui": {}}}}}}

    async with wire(server, capabilities=GATES) as raw:
        answer = await raw.send("tools/call", name="echo", arguments={})
    assert answer["result"]["structuredContent"] == echo()
