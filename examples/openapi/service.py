"""An HTTP service as another team would run it, which knows nothing of MCP: cars in a database.

The cars are those of the 1970s that `vega_datasets` ships.
"""

from __future__ import annotations

import json
import socket
import sqlite3
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request

DESCRIPTION = Path(__file__).with_name("openapi.json")


def _database() -> sqlite3.Connection:
    cars = json.loads((resources.files("vega_datasets") / "_data" / "cars.json").read_text("utf-8"))
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.row_factory = sqlite3.Row
    database.execute(
        "create table cars (id integer primary key, name, year integer, origin, mpg real,"
        " cylinders integer, horsepower integer, weight integer)"
    )
    database.executemany(
        "insert into cars (name, year, origin, mpg, cylinders, horsepower, weight)"
        " values (:Name, substr(:Year, 1, 4), :Origin, :Miles_per_Gallon, :Cylinders, :Horsepower,"
        " :Weight_in_lbs)",
        cars,
    )
    database.execute(
        "create view years as select year, count(*) as cars, round(avg(mpg), 1) as mpg,"
        " round(avg(horsepower)) as horsepower, round(avg(weight)) as weight"
        " from cars group by year"
    )
    return database


DATABASE = _database()


def _rows(query: str, *values: object) -> list[dict[str, Any]]:
    return [dict(row) for row in DATABASE.execute(query, values)]


def list_years(_: Request) -> Response:
    """Answer `GET /years`."""
    return JSONResponse(_rows("select * from years"))


def list_cars(request: Request) -> Response:
    """Answer `GET /cars`."""
    year, origin = request.query_params.get("year"), request.query_params.get("origin")
    query = (
        "select id, name, origin, mpg, horsepower, weight from cars"
        " where year = ? and coalesce(?, origin) = origin order by mpg desc"
    )
    return JSONResponse(_rows(query, year, origin))


def get_car(request: Request) -> Response:
    """Answer `GET /cars/{id}`."""
    found = _rows("select * from cars where id = ?", request.path_params["id"])
    if not found:
        raise HTTPException(404, "There is no such car.")
    (car,) = found
    (average,) = _rows("select mpg, horsepower, weight from years where year = ?", car["year"])
    return JSONResponse({**car, "average": average})


def describe(_: Request) -> Response:
    """Answer `GET /openapi.json`."""
    return FileResponse(DESCRIPTION)


app = Starlette(
    routes=[
        Route("/openapi.json", describe),
        Route("/years", list_years),
        Route("/cars", list_cars),
        Route("/cars/{id:int}", get_car),
    ]
)


@contextmanager
def running() -> Iterator[str]:
    """Serve on a free port of this machine; gives the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    uvicorn.run(app, port=8765)
