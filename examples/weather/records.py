"""Seattle's weather, day by day from 2012 to 2015, from the table that `vega_datasets` ships."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby


@dataclass
class Day:
    """One day as it was measured: °C, millimetres, metres per second."""

    date: str
    high: float
    low: float
    rain: float
    wind: float
    sky: str


@dataclass
class Month:
    """One month: what the page draws and the model reads about."""

    month: str
    high: float
    low: float
    rain: float
    wet_days: int
    days: list[Day]


def read_month(month: str) -> Month:
    """Return one month, such as `2015-12`.

    Raises:
        ValueError: The table does not have that month.
    """
    days = _months().get(month)
    if days is None:
        message = f"There are records from 2012-01 to 2015-12, and none for {month!r}."
        raise ValueError(message)
    return Month(
        month=month,
        high=max(day.high for day in days),
        low=min(day.low for day in days),
        rain=round(sum(day.rain for day in days), 1),
        wet_days=sum(day.rain > 0 for day in days),
        days=days,
    )


@cache
def _months() -> dict[str, list[Day]]:
    # `vega_datasets.data.seattle_weather()` reads the same file, into a pandas table.
    table = resources.files("vega_datasets") / "_data" / "seattle-weather.csv"
    with table.open(encoding="utf-8") as file:
        days = [
            Day(
                date=row["date"].replace("/", "-"),
                high=float(row["temp_max"]),
                low=float(row["temp_min"]),
                rain=float(row["precipitation"]),
                wind=float(row["wind"]),
                sky=row["weather"],
            )
            for row in csv.DictReader(file)
        ]
    return {month: list(each) for month, each in groupby(days, lambda day: day.date[:7])}
