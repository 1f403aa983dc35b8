"""Every code block of README.md and docs/ is run, or at least read by what would run it."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
import tomllib
from pathlib import Path

import pytest
from fastmcp import FastMCP

from mcp_apps_plugin import audit
from mcp_apps_plugin.checks import check_server
from mcp_apps_plugin.cli.main import app as mcp_apps
from mcp_apps_plugin.view import build_page

LANGUAGES = {*("python", "py", "html", "css", "js", "ts", "console", "toml", "json", "text")}
OTHER_COMMANDS = {"pip", "python", "python3", "tox", "fastmcp", "export", "cd", "mkdocs", "npm"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to put a page's files in, importable while the test runs."""
    modules = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


def test_a_page_runs_as_it_stands(blocks, folder):
    """Its Python runs, block after block, among its files; its servers and pages are sound."""
    namespace = {"__name__": "docs"}
    for block in blocks:
        if block.title:
            file = folder / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.code, encoding="utf-8")
    for block in blocks:
        if block.language == "python":
            file = folder / (block.title or f"line_{block.line}.py")
            # Where it stands on the page, so that a traceback can be followed.
            code = "\n" * (block.line - 1) * (not block.title) + block.code
            exec(compile(code, str(file), "exec", dont_inherit=True), namespace)
        elif block.language == "html" and block.title:
            build_page(folder / block.title)
    for server in [each for each in namespace.values() if isinstance(each, FastMCP)]:
        report = asyncio.run(audit(server))
        assert report.findings == (), report
        # What has a page works in a host, too; some pages of docs/ show a server without any.
        checked = asyncio.run(check_server(server))
        assert {str(finding.code) for finding in checked.findings} <= {"server-empty"}, checked


def test_block_can_be_read(block):
    """Commands are known with their options, and data is in its format."""
    assert block.language in LANGUAGES
    if block.language == "console":
        for line in block.code.replace("\\\n", " ").splitlines():
            for command in line.partition("#")[0].split("&&"):
                _check_command(command)
    elif block.language == "toml":
        tomllib.loads(block.code)
    elif block.language == "json":
        json.loads(block.code)
    elif block.language == "python":
        compile(block.code, str(block), "exec", dont_inherit=True)


def _check_command(line: str) -> None:
    words = shlex.split(line)
    while words and "=" in words[0]:
        words.pop(0)
    if not words:
        return
    program, *arguments = words
    name = Path(program).name
    if name == "mcp-apps":
        mcp_apps.parse_args(arguments, exit_on_error=False, print_error=False)
    else:
        assert name in OTHER_COMMANDS, line


def test_readme_counts_the_lines_of_the_comparison():
    """README's two figures are the lines of the two blocks of the migration page."""
    root = Path(__file__).parents[2]
    page = (root / "docs" / "how-to" / "migrating.md").read_text(encoding="utf-8")
    counts = []
    for title in ("before.py", "after.py"):
        code = page.partition(f'title="{title}"\n')[2].partition("```")[0]
        counts.append(sum(bool(line.strip()) for line in code.splitlines()))
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert f"| {counts[0]} | {counts[1]} |" in readme
