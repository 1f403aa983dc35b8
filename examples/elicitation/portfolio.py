"""The accounts and who looks after them, in one SQLite file."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FILE = Path(os.environ.get("PORTFOLIO_FILE", HERE / "portfolio.sqlite"))


@dataclass
class Manager:
    """One manager, and how much there is to do already."""

    id: str
    name: str
    region: str
    accounts: int


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    new = not FILE.exists()
    with closing(sqlite3.connect(FILE)) as database, database:
        if new:
            database.executescript((HERE / "portfolio.sql").read_text("utf-8"))
        yield database


def managers() -> list[Manager]:
    """List the managers, those with the fewest accounts first."""
    with _opened() as database:
        rows = database.execute(
            "select m.id, m.name, m.region, count(a.name) from managers m"
            " left join accounts a on a.manager = m.id group by m.id order by 4, 2"
        )
        return [Manager(*row) for row in rows]


def is_account(name: str) -> bool:
    """Tell whether there is such an account."""
    with _opened() as database:
        found = database.execute("select 1 from accounts where name = ?", (name,))
        return found.fetchone() is not None


def assign(account: str, manager: str) -> str:
    """Give an account to a manager; return the manager's name."""
    with _opened() as database:
        database.execute("update accounts set manager = ? where name = ?", (manager, account))
        row = database.execute("select name from managers where id = ?", (manager,)).fetchone()
        return str(row[0])
