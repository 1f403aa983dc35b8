"""Links lead somewhere, every page is in the menu, and README and CI run the same command."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_links_lead_to_files_and_headings(page):
    """A relative link names a file that is there, and a heading that it has."""
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link or link.startswith("mailto:"):
            continue
        file, _, anchor = unquote(link).partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target), link


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", title.lower()).strip() for title in titles]
    return {title.replace(" ", "-") for title in plain}


def test_every_page_is_in_the_menu():
    """The menu of the site has every page once."""
    menu = (DOCS / "config" / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"[\w/-]+\.md", menu.partition("nav:")[2])
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(pages)


def test_ci_runs_the_test_command_of_the_readme():
    """What README.md says runs the tests is what CI runs."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^python3 .*\.venv/bin/tox .*$", readme, re.MULTILINE)
    written = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert command in written.replace(" --quiet", "").replace(" </dev/null", "")


def test_the_top_level_holds_nothing_else():
    """The project's top level is what the architecture page says."""
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    names = {path.name for path in ROOT.iterdir() if path.is_file() or any(path.iterdir())}
    names -= {name.rstrip("/") for name in ignored} | {".git"}
    names -= {name for name in names if name.startswith(".coverage")}
    assert names == {
        *(
            ".ci",
            ".gitignore",
            "CHANGELOG.md",
            "LICENSE",
            "README.md",
            "docs",
            "examples",
            "mcp_apps_plugin",
        ),
        *("pyproject.toml", "tests", "tox.ini"),
    }


def test_the_wrapped_methods_are_those_of_the_code():
    """The decision about patches names every method that is wrapped."""
    from mcp_apps_plugin.server.activation import PATCHES

    written = (DOCS / "decisions" / "patches.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([A-Z]\w+\.\w+)`", written))
    assert named == {
        f"{patch.owner.__name__}.{name}" for patch in PATCHES for name in patch.changes
    }


def test_documented_versions_are_those_of_the_project():
    """README names the Python and FastMCP versions that pyproject.toml does."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Python {project['requires-python'].removeprefix('>=')}" in readme
    assert "fastmcp>=4.0,<5" in project["dependencies"]
    assert re.search(r"FastMCP 4\.0.*below 5", readme)
    supported = (DOCS / "explanation" / "compatibility.md").read_text(encoding="utf-8")
    assert "| FastMCP | 4.0 and later, below 5 |" in supported


def test_the_changes_of_this_version_are_told():
    """CHANGELOG.md begins with the version that pyproject.toml has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (.+)$", changes)[0] == project["version"]
