"""The window in a real Chromium: from start to a used page, changes, refusals, questions, forms."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
WEATHER = HERE.parent.parent / "examples" / "weather" / "server.py"


def inner(page):
    """The page in its two frames."""
    return page.frame_locator("iframe.app").frame_locator("iframe")


def problems_of(page):
    """Return a list that fills with what goes wrong in the window."""
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(request.url))
    return problems


async def run(page, tool):
    """Choose a tool and run it."""
    await page.click(f"[role=option][data-name={tool}]")
    await page.click("#tool button.primary")


async def heard(page, words):
    """Wait for what the gallery's page says last."""
    await inner(page).locator("#said", has_text=words).wait_for()


async def test_from_start_to_a_used_page(start, tab, picture):
    """`mcp-apps dev examples/weather/server.py`: open, run, click, by mouse and by keyboard."""
    pytest.importorskip("vega_datasets")
    address = start(WEATHER)
    for theme in ("light", "dark"):
        page = await tab(address, color_scheme=theme)
        problems = problems_of(page)
        await page.keyboard.press("/")
        await page.keyboard.type("get")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        assert await page.evaluate("document.activeElement.closest('form') !== null")
        await page.keyboard.press("Control+Enter")
        title = inner(page).locator("#title")
        await inner(page).get_by_text("December 2015").wait_for()
        await inner(page).get_by_label("Previous month").click()
        await inner(page).get_by_text("November 2015").wait_for()
        assert await title.inner_text() == "Seattle, November 2015"
        calls = page.locator(".wire > li.view.request", has_text="refresh")
        assert await calls.count() == 1
        await page.screenshot(path=picture(f"dev-{theme}.png"))
        assert problems == []
        await page.close()


async def test_what_a_page_does_is_shown(gallery, tab, picture):
    """Refused calls, missing origins beside their lists, words for the model, links and files."""
    page = await tab(gallery)
    await run(page, "show")
    view = inner(page)
    await view.locator("#helper").click()
    await heard(page, "ABC")
    await view.locator("#wipe").click()
    await heard(page, "not available")
    await page.click("#tab-log")
    assert "tool-not-visible" in await page.inner_text(".log")

    await view.locator("#undeclared").click()
    await view.locator("#image").click()
    await page.click("#tab-page")
    for name, origin in (
        ("connectDomains", "http://127.0.0.1:7"),
        ("resourceDomains", "https://images.example"),
    ):
        listed = page.locator(f"[data-list={name}] .violation", has_text=origin)
        await listed.wait_for()
    assert 'Csp(connect_domains=["http://127.0.0.1:7"])' in await page.inner_text("#pane-page")
    await page.screenshot(path=picture("dev-policy.png"))

    await view.locator("#message").click()
    await view.locator("#context").click()
    await page.click("#tab-context")
    await page.locator(".messages", has_text="hello from the page").wait_for()
    await page.locator("#pane-context", has_text="one is chosen").wait_for()

    await view.locator("#script").click()
    await heard(page, "isError")
    await view.locator("#link").click()
    await page.locator("dialog .address", has_text="https://docs.example/").wait_for()
    await page.keyboard.press("Escape")
    await heard(page, "isError")
    await view.locator("#file").click()
    async with page.expect_download() as download:
        await page.click("dialog button.primary")
    assert (await download.value).suggested_filename == "export.json"

    await view.locator("#fullscreen").click()
    await heard(page, "fullscreen")
    await view.locator("body[data-context*='\"height\":']").wait_for()
    context = json.loads(await view.locator("body").get_attribute("data-context"))
    assert set(context["dimensions"]) == {"width", "height"}
    await page.click(".leave")
    await page.click("#switches >> text=dark")
    await view.locator('body[data-context*=\'"theme":"dark"\']').wait_for()
    await page.select_option("[aria-label=Locale]", "de-DE")
    await page.select_option("[aria-label=Width]", "390")
    await view.locator('body[data-context*=\'"locale":"de-DE"\']').wait_for()
    await view.locator("body[data-context*='\"width\":390']").wait_for()
    await page.click("text=Tear down")
    await page.get_by_text("The page was torn down.").wait_for()


async def test_a_question_has_two_faces(gallery, tab, face, picture):
    """The page answers; the form answers; and one switches between them."""
    page = await tab(gallery)
    await page.click("[data-name=assign]")
    await page.fill("#tool .field input", "Acme")
    await page.click("#tool button.primary")
    asking = page.frame_locator(".question iframe").frame_locator("iframe")
    await asking.get_by_text("Who looks after Acme?").wait_for()
    await page.screenshot(path=picture("dev-question.png"))
    await face(page, "Form")
    await face(page, "Page")
    await asking.locator("#ada").click()
    await page.locator("#stage", has_text="Acme: Ada on 3 days").wait_for()
    assert await page.locator(".question").count() == 0

    await page.click("#tool button.primary")
    await asking.get_by_text("Who looks after Acme?").wait_for()
    await face(page, "Form")
    await page.fill(".question .field >> nth=0 >> input", "Bob")
    await page.click(".question button.primary")
    await page.locator("#stage", has_text="Acme: Bob on 5 days").wait_for()


async def test_every_kind_of_field(gallery, tab):
    """The form reads what its schema says; raw JSON and back loses nothing."""
    page = await tab(gallery)
    await page.click("[data-name=order]")
    form = page.locator("#tool .form")

    def field(name):
        return form.locator(".field", has=page.locator("label", has_text=re.compile(f"^{name}")))

    await page.click("#tool button.primary")
    assert "customer" in await page.inner_text("#tool .problem")  # never filled in is no text
    await field("price").locator("input").fill("2.5")
    await page.click("#tool >> text=JSON")
    begun = json.loads(await form.locator("textarea.raw").input_value())
    assert begun["price"] == 2.5  # what is missing takes nothing else with it
    assert "customer" not in begun
    await form.locator("textarea.raw").fill(json.dumps({**begun, "customer": "", "price": None}))
    await page.click("#tool >> text=JSON")
    await page.click("#tool button.primary")
    assert "street" in await page.inner_text("#tool .problem")  # an empty text that is meant is one
    await field("customer").locator("input").fill("Ada")
    await field("street").locator("input").fill("Main")
    await field("zip").locator("input").fill("12")
    await field("day").locator("input").fill("2026-05-01")
    await page.click("#tool button.primary")
    assert "zip" in await page.inner_text("#tool .problem")
    await field("zip").locator("input").fill("1234")
    await field("amount").locator("input").fill("3")
    await field("colour").locator("select").select_option(label="blue")
    await field("express").locator("select").select_option(label="true")
    await field("gift").locator("input").check()
    sizes = form.locator("fieldset", has_text="sizes")
    await sizes.get_by_text("M", exact=True).click()
    lines = form.locator("fieldset", has_text="lines").first
    await lines.get_by_role("button", name="+ lines").click()
    await lines.locator(".field", has_text="street").locator("input").fill("Side")
    await lines.locator(".field", has_text="zip").locator("input").fill("4321")
    await page.click("#tool >> text=JSON")
    written = json.loads(await form.locator("textarea.raw").input_value())
    assert written == {
        "customer": "Ada",
        "address": {"street": "Main", "zip": "1234", "country": "NO"},
        "day": "2026-05-01",
        "colour": "blue",
        "amount": 3,
        "gift": True,
        "express": True,
        "sizes": ["M"],
        "lines": [{"street": "Side", "zip": "4321", "country": "NO"}],
    }
    written["payment"] = {"kind": "invoice", "reference": "R1"}
    await form.locator("textarea.raw").fill(json.dumps(written))
    await page.click("#tool >> text=JSON")
    await page.click("#tool >> text=JSON")
    assert json.loads(await form.locator("textarea.raw").input_value()) == written
    await page.click("#tool button.primary")
    await page.locator("#tool .badge", has_text="done").wait_for()
    assert "Invoice" in await page.inner_text("#stage") or "R1" in await page.inner_text("#stage")


async def test_a_change_keeps_tool_and_arguments(start, tab, tmp_path):
    """A page alone is shown anew with its result, code runs again, a broken file says so."""
    for name in ("gallery.py", "gallery.html"):
        shutil.copy(HERE / name, tmp_path / name)
    page = await tab(start(tmp_path / "gallery.py"))
    await page.click("[data-name=show]")
    await page.fill("#tool .field input", "kept")
    await page.click("#tool button.primary")
    view = inner(page)
    await view.locator("#text", has_text="kept").wait_for()

    async def change(name, old, new):
        path = tmp_path / name
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    async def calls():
        return await page.locator(".wire > li.server.request", has_text="tools/call").count()

    await change("gallery.html", ">one<", ">two<")
    await view.locator("#version", has_text="two").wait_for()
    await view.locator("#text", has_text="kept").wait_for()
    assert await calls() == 1

    await change("gallery.py", '"text": text, "process"', '"text": text + "!", "process"')
    await view.locator("#text", has_text="kept!").wait_for()
    assert await page.input_value("#tool .field input") == "kept"
    assert await calls() == 2

    await change("gallery.py", "def show(", "def show((")
    await page.locator("#notice", has_text="SyntaxError").wait_for()
    await page.fill("#tool .field input", "asked for")
    await page.click("#tool button.primary")
    await page.locator("#tool .status", has_text="as soon as the server is there").wait_for()
    await change("gallery.py", "def show((", "def show(")
    await view.locator("#text", has_text="asked for!").wait_for()
    assert await page.input_value("#tool .field input") == "asked for"


async def test_no_page_reaches_the_window(gallery, tab):
    """Neither the sandbox's frames nor another page can read, frame or call the window."""
    page = await tab(gallery)
    await run(page, "show")
    await inner(page).locator("#helper").wait_for()
    proxy = page.frames[1]
    inside = page.frames[2]
    for frame in (proxy, inside):
        assert (
            await frame.evaluate(
                "() => { try { return top.document.title } catch { return 'closed' } }"
            )
            == "closed"
        )
        reached = await frame.evaluate(
            "address => fetch(address).then(() => 'reached', () => 'blocked')", gallery
        )
        assert reached == "blocked"
        token = gallery.rstrip("/").rsplit("/", 1)[1]
        assert token not in await frame.evaluate(
            "() => document.documentElement.outerHTML + location.href"
        )
