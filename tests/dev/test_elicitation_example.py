"""`mcp-apps dev examples/elicitation/server.py`: page and form ask alike, in Chromium."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

VERSIONS = {"modern": "2026-07-28", "legacy": "2025-11-25"}
EXAMPLE = Path(__file__).parents[2] / "examples" / "elicitation" / "server.py"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Where the example keeps its rows."""
    found = tmp_path / "portfolio.sqlite"
    monkeypatch.setenv("PORTFOLIO_FILE", str(found))
    return found


def manager_of(file, account):
    """Read who looks after an account."""
    with closing(sqlite3.connect(file)) as database:
        found = database.execute("select manager from accounts where name = ?", (account,))
        return found.fetchone()[0]


async def asked(page, account):
    """Call the tool and wait for its question, shown by the page; return what is in the frame."""
    await page.fill("#tool .field input", account)
    await page.click("#tool button.primary")
    view = page.frame_locator(".question iframe").frame_locator("iframe")
    await view.get_by_text(f"Choose an account manager for {account}").wait_for()
    return view


async def said(page, words):
    """Wait for the result of the call, with the question gone."""
    await page.locator("#stage", has_text=words).wait_for()
    assert await page.locator(".question").count() == 0


@pytest.mark.parametrize("era", VERSIONS)
async def test_page_and_form_give_the_same_result(start, tab, face, file, picture, era):  # noqa: PLR0917  five of them are fixtures
    address = start(EXAMPLE)
    for theme in ("light", "dark"):
        page = await tab(address, color_scheme=theme, device_scale_factor=1.5)
        problems = []
        page.on("pageerror", lambda error, problems=problems: problems.append(str(error)))
        if era == "legacy":
            await page.click("[aria-label=Era] >> text=legacy")
        await page.get_by_text(VERSIONS[era], exact=True).wait_for()
        await page.click("[data-name=assign_account_manager]")

        view = await asked(page, "Contoso")
        assert await view.locator("#choices label").count() == 4
        assert await view.locator("#assign").is_disabled()
        await view.get_by_text("Jonas Weber").click()
        question = page.locator(".question")
        await question.screenshot(path=picture(f"question-page-{theme}.png"))
        await face(page, "Form")
        await page.locator(".question .field select").wait_for()
        await question.screenshot(path=picture(f"question-form-{theme}.png"))
        await face(page, "Page")
        await view.locator("#assign").click()
        await said(page, "Jonas Weber now looks after Contoso.")
        assert manager_of(file, "Contoso") == "mgr-jonas"

        await asked(page, "Fabrikam")
        await face(page, "Form")
        form = page.locator(".question .field select")
        (jonas,) = await form.locator("option", has_text="Jonas Weber").all_inner_texts()
        await form.select_option(label=jonas)
        await page.click(".question button.primary")
        await said(page, "Jonas Weber now looks after Fabrikam.")
        assert manager_of(file, "Fabrikam") == "mgr-jonas"
        assert problems == []
        await page.close()
