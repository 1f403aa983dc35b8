"""Every example passes its own package's checks, warnings included."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

SERVERS = sorted((Path(__file__).parents[2] / "examples").glob("*/server.py"))
every = pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.parent.name)


@pytest.fixture
def check(mcp_apps, tmp_path):
    """Run `mcp-apps check` on a server."""

    def run(server, *options):
        done = subprocess.run(
            [mcp_apps, "check", str(server), "--strict", *options],
            env={**os.environ, "PORTFOLIO_FILE": str(tmp_path / "portfolio.sqlite")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_the_examples_are_found():
    """The examples with a server of their own are all looked at."""
    names = {server.parent.name for server in SERVERS}
    assert names >= {"composed", "dashboard", "elicitation", "openapi", "vite", "weather"}


@every
@pytest.mark.slow
def test_nothing_is_wrong_with_it(server, check):
    """No kind of client finds anything."""
    assert "nothing to say" in check(server)


@every
@pytest.mark.browser
def test_its_pages_run_in_a_browser(server, check, mcp_apps_browser):
    """Each page shakes hands, shows something, and ends when asked to."""
    del mcp_apps_browser  # skips where there is none
    said = check(server, "--browser")
    assert said.count("0 violations, 0 errors") == said.count(" in Chromium: handshake ") > 0
