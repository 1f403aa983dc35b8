"""A weather server that answers with a page. The data is real; nothing needs a network."""

from fastmcp import FastMCP
from records import Month, read_month

from mcp_apps_plugin import Csp, ui

mcp = FastMCP("Weather")


@mcp.tool
@ui(  # `Csp()` allows no origin at all: everything the page needs is in it
    "ui://weather/dashboard", html="dashboard.html", csp=Csp(), text="{month}: {low} to {high} °C"
)
def get_weather(month: str = "2015-12") -> Month:
    """Show Seattle's weather of one month between 2012-01 and 2015-12."""
    return read_month(month)


@mcp.tool
@ui(visibility="app")
def refresh(month: str) -> Month:
    """Read a month for the page."""
    return read_month(month)


if __name__ == "__main__":
    mcp.run()
