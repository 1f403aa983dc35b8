"""A page built with npm: React and the official SDK, made into one file by `npm run build`."""

from typing import Annotated

from airports import State, read_state
from fastmcp import FastMCP
from pydantic import Field

from mcp_apps_plugin import Csp, ui

mcp = FastMCP("Airports")
READS = {"readOnlyHint": True}

Code = Annotated[str, Field(description="A state of the USA by its two letters", examples=["TX"])]


@mcp.tool(annotations=READS)
@ui("ui://airports/map", html="built/index.html", csp=Csp(), text="{state}: {count} airports")
def show_airports(state: Code = "WA") -> State:
    """Show where the airports of one state of the USA are."""
    return read_state(state)


@mcp.tool(annotations=READS)
@ui(visibility="app")
def airports_of(state: Code) -> State:
    """Read another state for the page."""
    return read_state(state)


if __name__ == "__main__":
    mcp.run()
