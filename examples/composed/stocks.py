"""Another team's server: what shares cost at the end of a month, from `vega_datasets`.

It was written without knowing of the first one: same tool names, same address of its page.
"""

import csv
from importlib import resources

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

from mcp_apps_plugin import ui

mcp = FastMCP("Stocks")


def prices_by_month() -> dict[str, dict[str, float]]:
    """Load the table."""
    table = resources.files("vega_datasets") / "_data" / "stocks.csv"
    months: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(table.read_text(encoding="utf-8").splitlines()):
        prices = months.setdefault(row["date"].replace(" 1 ", " "), {})
        prices[row["symbol"]] = float(row["price"])
    return months


MONTHS = prices_by_month()


def prices_of(month: str) -> dict[str, object]:
    """Choose one month, with the dearest share first."""
    if month not in MONTHS:
        message = f"There is nothing for {month!r}; months are written like `Dec 2009`."
        raise ToolError(message)
    rows = [{"label": share, "value": price} for share, price in MONTHS[month].items()]
    rows.sort(key=lambda row: -row["value"])
    shown = {"title": f"Shares, {month}", "unit": "USD", "rows": rows}
    return {**shown, "period": month, "periods": list(MONTHS)}


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
