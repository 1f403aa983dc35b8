"""Another team's server: what shares cost at the end of a month, from `vega_datasets`.

It was written without knowing of the first one: same tool names, same address of its page.
"""

import csv
from importlib import resources

from fastmcp import FastMCP

from mcp_apps_plugin import ui

mcp = FastMCP("Stocks")


def prices_of(month: str) -> dict[str, object]:
    """Read one month."""
    table = resources.files("vega_datasets") / "_data" / "stocks.csv"
    rows = [
        {"label": row["symbol"], "value": float(row["price"])}
        for row in csv.DictReader(table.read_text(encoding="utf-8").splitlines())
        if row["date"] == month.replace(" ", " 1 ")
    ]
    rows.sort(key=lambda row: -row["value"])
    return {"title": f"Shares, {month}", "unit": "USD", "rows": rows}


@mcp.tool
@ui("ui://chart/view", html="chart.html", text="{title}: {rows[0][label]} is the dearest")
def show(period: str = "Dec 2009") -> dict[str, object]:
    """Show what five shares cost in a month from `Jan 2000` to `Mar 2010`."""
    return prices_of(period)


@mcp.tool
@ui(visibility="app")
def reload(period: str) -> dict[str, object]:
    """Read a month for the page."""
    return prices_of(period)


if __name__ == "__main__":
    mcp.run()
