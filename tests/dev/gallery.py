"""A server with one of everything that the dev host shows: fields, pages, refusals, questions."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from datetime import date, datetime  # noqa: TC003  FastMCP reads the annotations
from enum import Enum
from typing import Annotated, Literal

from fastmcp import Context, FastMCP
from pydantic import BaseModel, Field

from mcp_apps_plugin import AcceptedElicitation, Csp, app_resource, elicit, ui

mcp = FastMCP("Gallery", instructions="Everything once.")


class Colour(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    """Where it goes."""

    street: str
    zip: Annotated[str, Field(pattern=r"^\d{4,5}$", description="Four or five digits.")]
    country: Literal["NO", "DE", "FR"] = "NO"


class Card(BaseModel):
    """Paid by card."""

    kind: Literal["card"] = "card"
    number: str


class Invoice(BaseModel):
    """Paid by invoice."""

    kind: Literal["invoice"] = "invoice"
    reference: str


@mcp.tool(annotations={"readOnlyHint": True})
def order(  # noqa: PLR0917
    customer: Annotated[str, Field(description="Who orders.", examples=["Ada"])],
    address: Address,
    day: date,
    at: datetime | None = None,
    colour: Colour = Colour.RED,
    amount: Annotated[int, Field(ge=1, le=10)] = 2,
    price: float | None = None,
    gift: bool = False,  # noqa: FBT001, FBT002
    express: bool | None = None,  # noqa: FBT001
    sizes: list[Literal["S", "M", "L"]] | None = None,
    lines: Annotated[list[Address], Field(description="Further addresses.")] = [],  # noqa: B006
    payment: Card | Invoice | None = None,
    labels: dict[str, str] | None = None,
) -> dict[str, object]:
    """Order something, with every kind of field."""
    given = dict(locals())
    return {key: str(value) for key, value in given.items()}


@mcp.tool
@ui("ui://gallery/page", html="gallery.html", csp=Csp(connect_domains=["http://127.0.0.1:9"]))
def show(text: str = "hello") -> dict[str, object]:
    """Show the page that can do everything."""
    return {"text": text, "process": os.getpid()}


@mcp.tool
@ui(visibility="app")
async def helper(text: str) -> dict[str, str]:
    """Answer the page."""
    await asyncio.sleep(0.01)
    return {"text": text.upper()}


@mcp.tool
@ui(visibility="model")
def wipe() -> str:
    """Delete everything, which no page may do."""
    return "wiped"


@mcp.tool
async def chat(ctx: Context) -> str:
    """Say something in the log."""
    await ctx.info("from the server's log")
    print("from the server's print")
    return "said"


@dataclass
class Assignment:
    """Who looks after an account, and on how many days."""

    manager: str
    days: int = field(default=5)


@app_resource("ui://gallery/assign")
def assign_page() -> str:
    """Ask in a page."""
    return """<!doctype html><title>Assign</title>
<style>body { margin: 0; padding: 16px; font: 14px var(--font-sans, sans-serif) }
button { font: inherit; margin-right: 8px; padding: 6px 14px }</style>
<p id="question">…</p><button id="ada">Ada, 3 days</button><button id="no">Nobody</button>
<script src="mcp-app.js"></script><script>
  const app = new McpApp.App({ name: "assign", version: "1.0" });
  const question = document.getElementById("question");
  app.onelicit = ({ message }) => new Promise((resolve) => {
    question.textContent = message;
    document.getElementById("ada").onclick = () =>
      resolve({ action: "accept", content: { manager: "Ada", days: 3 } });
    document.getElementById("no").onclick = () => resolve({ action: "decline" });
  });
  app.connect();
</script>"""


@mcp.tool
async def assign(account: str, ctx: Context) -> str:
    """Ask who looks after an account."""
    match await elicit(ctx, f"Who looks after {account}?", Assignment, app=assign_page):
        case AcceptedElicitation(data=choice):
            return f"{account}: {choice.manager} on {choice.days} days"
        case other:
            return f"{account}: {other.action}"


if __name__ == "__main__":
    mcp.run(show_banner=False)
