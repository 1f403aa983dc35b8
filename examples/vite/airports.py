"""The airports of the United States, by state, from the table that `vega_datasets` ships."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass
class Airport:
    """One airport, and where it is in degrees."""

    code: str
    name: str
    city: str
    latitude: float
    longitude: float


@dataclass
class State:
    """The airports of one state, and which other states there are to choose from."""

    state: str
    count: int
    airports: list[Airport]
    states: list[str]


def read_state(state: str) -> State:
    """Return the airports of one state, such as `WA`.

    Raises:
        ValueError: The table does not have that state.
    """
    table = _states()
    if state not in table:
        message = f"There are airports in {', '.join(table)}, and none in {state!r}."
        raise ValueError(message)
    return State(state, len(table[state]), table[state], list(table))


@cache
def _states() -> dict[str, list[Airport]]:
    table = resources.files("vega_datasets") / "_data" / "airports.csv"
    states: dict[str, list[Airport]] = {}
    with table.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            place = float(row["latitude"]), float(row["longitude"])
            airport = Airport(row["iata"], row["name"], row["city"], *place)
            states.setdefault(row["state"], []).append(airport)
    states.pop("NA", None)  # abroad
    return dict(sorted(states.items()))
