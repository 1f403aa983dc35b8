"""The small parts: the record of the wire, reports of the browser, files to watch, the theme."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mcp_apps_plugin.dev.questions import Questions
from mcp_apps_plugin.dev.serving import listen
from mcp_apps_plugin.dev.theme import VARIABLES
from mcp_apps_plugin.dev.violations import read_report
from mcp_apps_plugin.dev.watch import folder_of, only_pages
from mcp_apps_plugin.dev.wire import KEPT, Wire
from mcp_apps_plugin.host import CSS_VARIABLES


def test_the_theme_has_every_variable():
    """Each of the 76, and no other: one more and official pages refuse the handshake."""
    assert set(VARIABLES) == CSS_VARIABLES
    colours = {value for name, value in VARIABLES.items() if name.startswith("--color-")}
    assert {value.partition("(")[0] for value in colours} == {"light-dark"}


def test_an_answer_is_told_with_its_request():
    """Of an answer one sees what was asked, and how long it took; ids count per connection."""
    now = iter(range(100))
    entries = []
    wire = Wire(entries.append, lambda: next(now))
    call = {"id": 0, "method": "tools/call", "params": {"name": "show"}}
    wire.record("server", "out", call, scope="1")
    wire.record("server", "out", {"id": 0, "method": "tools/list"}, scope="2")
    wire.record("view", "in", {"id": 0, "method": "ui/initialize"}, scope="1")
    wire.record("server", "in", {"id": 0, "result": {}}, scope="2")
    wire.record("server", "in", {"id": 0, "error": {}}, scope="1")
    wire.record("view", "out", {"id": 0, "result": {}}, scope="1")
    wire.record("view", "in", {"method": "ui/notifications/initialized"}, scope="1")
    wire.record("view", "in", "nonsense", scope="1")
    wire.record("view", "out", {"id": 7, "result": {}}, scope="1")
    told = [(entry.kind, entry.method, entry.about, entry.took) for entry in entries[3:]]
    assert told == [
        ("result", "tools/list", "", 2000),
        ("error", "tools/call", "show", 4000),
        ("result", "ui/initialize", "", 3000),
        ("notification", "ui/notifications/initialized", "", None),
        ("other", "", "", None),
        ("result", "", "", 0),
    ]


def test_long_messages_are_sent_when_they_are_opened():
    """A page of a megabyte is not sent to the window with the message that carries it."""
    entries = []
    wire = Wire(entries.append)
    wire.record("view", "out", {"method": "a", "params": {"html": "x" * 100_000}})
    assert entries[0].to_wire()["text"] is None
    assert len(json.loads(wire.text(1))["params"]["html"]) == 100_000
    for _ in range(KEPT):
        wire.record("view", "out", {"method": "b"})
    assert wire.text(1) is None
    wire.forget()
    assert wire.text(2) is None


@pytest.mark.parametrize(
    ("directive", "blocked", "declaration", "remedy"),
    [
        (
            "connect-src",
            "https://api.example:8443/v1?q=1",
            "connectDomains",
            'Csp(connect_domains=["https://api.example:8443"])',
        ),
        (
            "script-src-elem",
            "https://cdn.example/a.js",
            "resourceDomains",
            'Csp(resource_domains=["https://cdn.example"])',
        ),
        (
            "frame-src",
            "https://video.example/",
            "frameDomains",
            'Csp(frame_domains=["https://video.example"])',
        ),
        (
            "base-uri",
            "https://a.example",
            "baseUriDomains",
            'Csp(base_uri_domains=["https://a.example"])',
        ),
        (
            "connect-src",
            "wss://a.example",
            "connectDomains",
            'Csp(connect_domains=["wss://a.example"])',
        ),
        ("script-src", "eval", None, "No page may use `eval`"),
        ("script-src-attr", "inline", None, "allowed nowhere"),
        ("img-src", "blob", None, "can not be declared"),
        ("font-src", "data", None, "can not be declared"),
        ("worker-src", "https://a.example/w.js", None, "Nothing in `csp` opens"),
    ],
)
def test_a_report_names_the_declaration_that_lacks_it(directive, blocked, declaration, remedy):
    """What the author writes, or that nothing can be written."""
    report = {"effective-directive": directive, "blocked-uri": blocked, "line-number": 7}
    violation = read_report({"csp-report": report})
    assert violation.declaration == declaration
    assert remedy in violation.remedy
    assert violation.source == "line 7"


def test_files_that_count(tmp_path):
    """A package is watched as a whole; pages alone start nothing that runs anew."""
    package = tmp_path / "shop" / "web"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    assert folder_of(package / "server.py") == tmp_path
    assert only_pages(frozenset({Path("a.html"), Path("b.CSS")}))
    assert not only_pages(frozenset({Path("a.html"), Path("b.py")}))


def test_a_port_in_use_is_passed_over_or_told():
    """Without a wish the next port does; a wish is kept or refused."""
    with listen(0) as first:
        port = first.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            listen(port)
        with listen(port, others=20) as second:
            assert port < second.getsockname()[1] <= port + 20
            assert second.getsockname()[0] == "127.0.0.1"


async def test_a_question_is_answered_once():
    """Late answers and answers to nothing are nobody's; a window that goes answers nothing."""
    said = []
    questions = Questions(said.append)
    questions.answer(9, {"open": True})

    def at_once(message):
        said.append(message)
        if message["type"] == "ask":
            questions.answer(message["question"], {"open": True})
            questions.answer(message["question"], {"open": False})

    questions._say = at_once
    assert await questions.ask("link", url="https://a.example") == {"open": True}
    assert [message["type"] for message in said] == ["ask", "asked"]
    questions._say = lambda message: message["type"] == "ask" and questions.drop()
    assert await questions.ask("link", url="https://a.example") is None
