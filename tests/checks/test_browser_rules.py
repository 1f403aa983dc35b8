"""The rules that need a browser, each with a page that breaks it and one that does not."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from mcp_apps_plugin.checks.browser import visit
from mcp_apps_plugin.checks.browser.chromium import missing_browser
from mcp_apps_plugin.checks.codes import RULES

pytestmark = pytest.mark.browser

_SPEC = importlib.util.spec_from_file_location("making", Path(__file__).with_name("conftest.py"))
making = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(making)
document = making.document

NO_TEARDOWN = making.HANDSHAKE.replace("ui/resource-teardown", "nothing")
BLANK = f"<!doctype html><script>{making.HANDSHAKE}</script>"
BROKEN = {
    "browser-csp": document('fetch("https://api.example/").catch(() => {});'),
    "browser-error": document('throw new Error("broken on purpose");'),
    "browser-handshake": "<!doctype html><p>shop<script>'ui/initialize'</script>",
    "browser-blank": BLANK,
    "browser-teardown": document(handshake=NO_TEARDOWN),
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Skip without a browser; wait no longer than these pages need."""
    if missing := missing_browser():
        pytest.skip(missing)
    monkeypatch.setattr(visit, "HANDSHAKE_SECONDS", 3.0)
    monkeypatch.setattr(visit, "SETTLE_SECONDS", 1.0)


@pytest.mark.parametrize("code", BROKEN)
async def test_a_rule_finds_its_fault(code, judge):
    """A page that breaks the rule has its finding."""
    found = await judge(making.make_server(html=BROKEN[code]), browser=True)
    assert code in {str(finding.code) for finding in found}


async def test_a_good_page(judge):
    """A page that shakes hands, shows something and ends has none of them."""
    found = await judge(making.make_server(), browser=True)
    assert {str(f.code) for f in found if str(f.code).startswith("browser-")} == set()
    assert set(BROKEN) == {code for code in RULES if code.startswith("browser-")}


@pytest.mark.parametrize(
    ("missing", "severity"),
    [
        ('<link rel="stylesheet" href="http://127.0.0.1:9/x.css">', "error"),
        ('<script src="http://127.0.0.1:9/x.js"></script>', "warning"),
    ],
)
async def test_what_could_not_be_loaded_excuses_what_needed_it(judge, missing, severity):
    """A machine without a network misses code and data; for want of a style no script fails."""
    html = document("McpApp.Ap();", head=missing)
    csp = {"connectDomains": [], "resourceDomains": ["http://127.0.0.1:9"]}
    found = await judge(making.make_server(html=html, ui={"csp": csp}), browser=True)
    assert {f.severity for f in found if str(f.code) == "browser-error"} == {severity}
