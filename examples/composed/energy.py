"""One team's server: Iowa's electricity by source and year, from the table in `vega_datasets`."""

import csv
import sqlite3
from importlib import resources

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

from mcp_apps_plugin import ui

mcp = FastMCP("Energy")


def database() -> sqlite3.Connection:
    """Load the table into a database."""
    table = resources.files("vega_datasets") / "_data" / "iowa-electricity.csv"
    rows = [
        (row["year"][:4], row["source"], int(row["net_generation"]))
        for row in csv.DictReader(table.read_text(encoding="utf-8").splitlines())
    ]
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.execute("create table generation (year text, source text, gwh integer)")
    connection.executemany("insert into generation values (?, ?, ?)", rows)
    return connection


DATABASE = database()


def mix_of(year: str) -> dict[str, object]:
    """Read one year."""
    years = [year for (year,) in DATABASE.execute("select distinct year from generation")]
    if year not in years:
        message = f"There is nothing for {year!r}, only for {years[0]} to {years[-1]}."
        raise ToolError(message)
    query = "select source, gwh from generation where year = ? order by gwh desc"
    rows = [{"label": source, "value": gwh} for source, gwh in DATABASE.execute(query, (year,))]
    shown = {"title": f"Iowa, {year}", "unit": "GWh", "rows": rows}
    return {**shown, "period": year, "periods": years}


@mcp.tool
@ui("ui://chart/view", html="chart.html", text="{title}: {rows[0][label]} comes first")
def show(period: str = "2015") -> dict[str, object]:
    """Show where Iowa's electricity came from in a year between 2001 and 2017."""
    return mix_of(period)


@mcp.tool
@ui(visibility="app")
def reload(period: str) -> dict[str, object]:
    """Read a year for the page."""
    return mix_of(period)


if __name__ == "__main__":
    mcp.run()
