"""`--explain`: one tool's way to its page, with the first broken link marked."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from fastmcp import FastMCP

from mcp_apps_plugin import activate, deactivate, ui
from mcp_apps_plugin.checks.explain import STEPS, chain, explain
from mcp_apps_plugin.checks.report import CheckReport
from mcp_apps_plugin.checks.run import Examined, Options, examine, record

_SPEC = importlib.util.spec_from_file_location("making", Path(__file__).with_name("conftest.py"))
making = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(making)

BROKEN = {
    "emit": {"meta": {"ui": {"resourceUri": making.URI, "visibility": []}}},
    "address": {"read": False},
    "read": {"item": {"mimeType": "text/html"}},
    "render": {"html": "<!doctype html><p>no handshake"},
}


async def _explained(**options):
    chosen = Options()
    recording = await record(making.make_server(**options), chosen)
    report = CheckReport("shop", tuple(recording.judged(chosen)))
    return Examined(report, recording)


@pytest.mark.parametrize("step", BROKEN)
async def test_the_first_broken_link_is_marked(step):
    """What comes after it is not reached."""
    steps = explain(await _explained(**BROKEN[step]), "show")
    assert [each.name for each in steps] == list(STEPS)
    assert [each.name for each in steps if each.broken] == [step]
    lines = list(chain(steps, "show", "shop"))
    (marked,) = [line for line in lines if "the first broken link" in line]
    assert step in marked
    after = STEPS[STEPS.index(step) + 1 :]
    assert [line.split()[1] for line in lines if "not reached" in line] == list(after)


async def test_a_whole_chain():
    """Nothing is marked, and every step says what was seen there."""
    steps = explain(await _explained(), "show")
    assert not any(step.broken for step in steps)
    assert "ui://shop/page" in steps[1].said
    assert "one document" in steps[3].said


@pytest.fixture
def active():
    """Have the package active again, for a server that it looks after."""
    activate()
    yield
    deactivate()


@pytest.mark.usefixtures("active")
@pytest.mark.parametrize("own", [True, False])
async def test_a_link_that_is_left_out_is_said(own):
    """A page that nothing serves is linked by no list: that is where the way ends, by any hand."""
    server = FastMCP("shop")
    if own:
        server.tool(name="show")(ui("ui://shop/gone")(lambda: ""))
    else:
        server.tool(name="show", meta={"ui": {"resourceUri": "ui://shop/gone"}})(lambda: "")
    steps = explain(await examine(server, surveyed=True), "show")
    assert [step.name for step in steps if step.broken] == ["emit"]
    assert "leaves out ui://shop/gone" in steps[1].said
    assert [finding.code for finding in steps[1].findings] == ["link-dangling"]
    assert [step.reached for step in steps] == [True, True, False, False, False]


async def test_what_is_no_address_is_said_as_it_is_written():
    """From outside there is only what the list says."""
    meta = {"ui": {"resourceUri": "https://shop.example/page"}}
    steps = explain(await _explained(meta=meta), "show")
    assert "links 'https://shop.example/page', which is no `ui://` address" in steps[1].said


async def test_an_unknown_tool():
    """It says which there are."""
    with pytest.raises(LookupError, match="`show`"):
        explain(await _explained(), "shwo")
