"""Every type of answer that FastMCP's own `ctx.elicit` takes: the same form, the same data."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from mcp_types import ElicitResult
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mcp_apps_plugin import elicit

Peers = Any


class Colour(enum.Enum):
    RED = "r"
    GREEN = "g"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Size(str, enum.Enum):  # noqa: UP042  the spelling is what is tried
    SMALL = "s"


class Address(TypedDict, total=False):
    street: str
    floor: int


@dataclass
class Order:
    item: str
    count: int = 3


class Booking(BaseModel):
    nights: int = Field(ge=1, le=4, title="Nights", description="How many")
    colour: Colour = Colour.RED
    meal: Literal["half", "full"] = "half"
    extras: list[Literal["sea", "spa"]] = []
    price: float = 0.5
    pets: bool = False
    mail: str = Field("a@b.example", json_schema_extra={"format": "email"})


FORMS: dict[str, tuple[Any, Any]] = {
    "text": (str, {"value": "x"}),
    "integer": (int, {"value": 4}),
    "integer as JSON has it": (int, {"value": 4.0}),
    "number": (float, {"value": 4}),
    "boolean": (bool, {"value": True}),
    "choices": (["a", "b"], {"value": "a"}),
    "titled choices": ({"a": {"title": "A"}, "b": {}}, {"value": "b"}),
    "several choices": ([["a", "b"]], {"value": ["a", "b"]}),
    "several titled choices": ([{"a": {"title": "A"}}], {"value": ["a"]}),
    "no choice of several": ([["a", "b"]], {"value": []}),
    "Literal": (Literal["a", "b"], {"value": "b"}),
    "Literal of numbers": (Literal[1, 2], {"value": 2}),
    "Enum": (Colour, {"value": "g"}),
    "IntEnum": (Level, {"value": 2}),
    "Enum of texts": (Size, {"value": "s"}),
    "list of Literal": (list[Literal["a", "b"]], {"value": ["b"]}),
    "list of Enum": (list[Colour], {"value": ["r", "g"]}),
    "TypedDict": (Address, {"street": "Main"}),
    "dataclass": (Order, {"item": "tea", "count": 2}),
    "dataclass with a default": (Order, {"item": "tea"}),
    "model": (
        Booking,
        {
            "nights": 2,
            "colour": "g",
            "meal": "full",
            "extras": ["spa"],
            "price": 2,
            "pets": True,
            "mail": "b@c.example",
        },
    ),
    "model with defaults": (Booking, {"nights": 2}),
    "declined": (Booking, "decline"),
    "cancelled": (str, "cancel"),
}


@pytest.mark.parametrize("name", FORMS)
async def test_the_same_as_fastmcps_own(peer: Peers, name: str) -> None:
    form, answer = FORMS[name]
    server = FastMCP("s")
    seen: list[Any] = []

    @server.tool
    async def ask(ctx: Context, *, ours: bool) -> str:
        found = await (elicit(ctx, "which?", form) if ours else ctx.elicit("which?", form))
        seen.append((found.action, getattr(found, "data", None), type(found)))
        return "done"

    asked = []
    for era, ours in (("legacy", False), ("legacy", True), ("modern", True)):
        user = await peer(server, era)
        user.will(answer)
        assert await user.call("ask", ours=ours) == "done"
        (question,) = user.questions
        # The modern wire has no place for the title of the whole.
        asked.append({k: v for k, v in question.requested_schema.items() if k != "title"})
    assert seen[0] == seen[1] == seen[2]
    assert asked[0] == asked[1] == asked[2]


@pytest.mark.parametrize(
    "form",
    [None, str | None, list[str], list[Order], {"a": str}, [], [1], Any, bytes],
    ids=str,
)
async def test_what_fastmcp_does_not_take(peer: Peers, era: str, form: Any) -> None:
    server = FastMCP("s")

    @server.tool
    async def ask(ctx: Context, *, ours: bool) -> str:
        found = await (elicit(ctx, "which?", form) if ours else ctx.elicit("which?", form))
        return found.action

    said = []
    for each, ours in (("legacy", False), (era, True)):
        user = await peer(server, each)
        user.will({})
        with pytest.raises(ToolError) as error:
            await user.call("ask", ours=ours)
        assert user.questions == []
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("form", [dict, dict[str, str]])
async def test_a_form_without_fields_is_refused(peer: Peers, era: str, form: Any) -> None:
    server = FastMCP("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "which?", form)).action

    user = await peer(server, era)
    user.will({})
    with pytest.raises(ToolError, match=r"names no fields.*\[elicit-usage\]"):
        await user.call("ask")


@pytest.mark.parametrize(
    ("form", "content", "words"),
    [
        (int, {"value": "4"}, "/content/value: Expected an integer."),
        (bool, {"value": 1}, "/content/value: Expected a boolean."),
        (Literal[1, 2], {"value": True}, "/content/value: Value is not one of"),
        (Colour, {"value": "RED"}, "/content/value: Value is not one of"),
        (["a"], {"value": ["a"]}, "/content/value: Expected a string choice."),
        ([["a"]], {"value": ["a", "z"]}, "/content/value/1: Value is not one of"),
        ([["a"]], {"value": "a"}, "/content/value: Expected an array"),
        (Order, {"item": "tea", "more": 1}, "/content/more: Property is not declared"),
        (Order, {"count": 1}, "/content/item: Required property is missing."),
        (Booking, {"nights": 5}, "/content/nights: Number must be less than or equal to 4."),
        (Booking, {"nights": 1, "mail": "x"}, "/content/mail: String must match the 'email'"),
        (str, {}, "/content/value: Required property is missing."),
        (str, None, "/content: Accepted elicitation results must include content."),
    ],
)
async def test_what_does_not_fit_is_asked_again(
    peer: Peers, era: str, form: Any, content: Any, words: str
) -> None:
    server = FastMCP("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return (await elicit(ctx, "which?", form)).action

    user = await peer(server, era)
    user.will(lambda _: ElicitResult(action="accept", content=content), "decline")
    assert await user.call("ask") == "decline"
    assert words in user.questions[1].message
