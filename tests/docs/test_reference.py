"""The reference is complete and says what the code says."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import mcp_apps_plugin
from mcp_apps_plugin import Code, checks, host, testing
from mcp_apps_plugin.cli.main import app as command
from mcp_apps_plugin.plugins import hookspecs
from mcp_apps_plugin.settings import Settings
from mcp_apps_plugin.view import PAGE_PROBLEM_CODES
from mcp_apps_plugin.view.library import app_members, library_names

HERE = Path(__file__).parent
REFERENCE = HERE.parents[1] / "docs" / "reference"
_spec = importlib.util.spec_from_file_location("docs_generate", HERE / "generate.py")
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


def headings(file: str, level: str = "##+") -> list[str]:
    text = (REFERENCE / file).read_text(encoding="utf-8")
    return re.findall(rf"^{level} (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize("file", generate.PAGES)
def test_what_is_written_from_the_code_is_up_to_date(file):
    """If this fails: `python tests/docs/generate.py`."""
    assert (REFERENCE / file).read_text(encoding="utf-8") == generate.PAGES[file]()


def test_every_public_name_has_a_heading():
    """The API page has every name of `__all__`, in its order."""
    assert headings("api.md") == [f"`{name}`" for name in mcp_apps_plugin.__all__]


def test_every_name_for_hosts_and_tests_has_a_heading():
    """So have those of the other packages that programs import from."""
    assert headings("host.md", "##") == [f"`{name}`" for name in host.__all__]
    names = [*testing.__all__, *checks.__all__]
    assert headings("testing.md", "##") == [f"`{name}`" for name in names]


def test_every_name_of_the_page_library_has_a_heading():
    """What a page's scripts import, and what they find on an `App`."""
    members = {f"`app.{name}`" for name in app_members() - {"constructor"}}
    names = {f"`{name}`" for name in library_names()}
    assert sorted(headings("page-library.md", "###")) == sorted(members | names)


def test_every_hook_has_a_heading_with_its_arguments():
    """The hooks page has every hook, with its exact arguments."""
    hooks = [hook for name, hook in vars(hookspecs).items() if name.startswith("mcp_apps_")]
    expected = [f"`{hook.__name__}{_arguments(hook)}`" for hook in hooks]
    assert headings("hooks.md") == expected


def _arguments(hook) -> str:
    return f"({', '.join(inspect.signature(hook).parameters)})"


def test_every_setting_has_a_heading():
    """The settings page has every environment variable."""
    expected = [f"`MCP_APPS_{name.upper()}`" for name in Settings.model_fields]
    assert headings("settings.md") == expected


def test_every_code_has_a_heading():
    """The errors page has every code of the package and of the page builder, and no other."""
    codes = [*(code.value for code in Code), *PAGE_PROBLEM_CODES]
    assert headings("errors.md", "###") == [f"`{code}`" for code in codes]


def test_every_command_and_option_has_a_heading():
    """The command-line page has every sub-command, and every option under it."""
    text = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    names = [name for name in command if not name.startswith("-")]
    assert headings("cli.md", "##") == [f"`mcp-apps {name}`" for name in sorted(names)]
    for name in names:
        section = text.partition(f"## `mcp-apps {name}`\n")[2].partition("\n## ")[0]
        for argument in command[name].assemble_argument_collection():
            names = (argument.name, argument.name.removeprefix("--").upper())
            assert any(f"### `{each}`" in section for each in names), argument.name
