"""The example, in both eras: the same question, the same typed answer, a row in a real file."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcp_apps_plugin import audit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = Path(__file__).parents[2] / "examples" / "elicitation"


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The example's module, with a file of its own."""
    names = ("portfolio", "server")
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("PORTFOLIO_FILE", str(tmp_path / "portfolio.sqlite"))
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    yield importlib.import_module("server")
    for name in names:
        del sys.modules[name]
    sys.modules.update(before)


def manager_of(file: Path, account: str) -> str | None:
    """Read who looks after an account."""
    database = sqlite3.connect(file)
    try:
        row = database.execute("select manager from accounts where name = ?", (account,))
        return row.fetchone()[0]
    finally:
        database.close()


async def test_the_answer_ends_up_in_the_file(
    example: Any, peer: Callable[..., Any], era: str, tmp_path: Path
) -> None:
    assert (await audit(example.mcp)).findings == ()
    user = await peer(example.mcp, era)
    user.will({"value": "mgr-jonas"})
    said = await user.call("assign_account_manager", account="Contoso")
    assert said == "Jonas Weber now looks after Contoso."
    assert manager_of(tmp_path / "portfolio.sqlite", "Contoso") == "mgr-jonas"
    (asked,) = user.questions
    assert user.hints == ["ui://portfolio/assign-manager"]
    choices = asked.requested_schema["properties"]["value"]["oneOf"]
    assert choices[0] == {"const": "mgr-jonas", "title": "Jonas Weber · Europe · accounts: 1"}
    (page,) = await user.client.read_resource(user.hints[0])
    assert "app.onelicit" in page.text


async def test_a_changed_list_does_not_ask_again(example: Any, peer: Callable[..., Any]) -> None:
    user = await peer(example.mcp)

    def meanwhile(_: Any) -> dict[str, str]:
        example.portfolio.assign("Fabrikam", "mgr-jonas")
        return {"value": "mgr-lee"}

    user.will(meanwhile)
    said = await user.call("assign_account_manager", account="Contoso")
    assert said == "Lee Wong now looks after Contoso."
    assert len(user.questions) == 1


async def test_nothing_is_changed_without_an_answer(
    example: Any, peer: Callable[..., Any], era: str, tmp_path: Path
) -> None:
    user = await peer(example.mcp, era)
    user.will("decline")
    assert "nothing was changed" in await user.call("assign_account_manager", account="Contoso")
    assert manager_of(tmp_path / "portfolio.sqlite", "Contoso") is None
