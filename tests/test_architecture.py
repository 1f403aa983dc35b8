"""The shape of the package: who imports whom, how long files are, what is public and used."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import statistics
from pathlib import Path

import pytest

import mcp_apps_plugin
from mcp_apps_plugin import Code

PACKAGE = Path(mcp_apps_plugin.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
NAME = "mcp_apps_plugin"
# Lowest first: a part imports only what stands above it here, and all of what is allowed it.
MAY_IMPORT = {
    "protocol": set(),
    "view": set(),
    "settings": {"protocol"},
    "declarations": {"protocol"},
    "plugins": {"protocol", "view", "settings", "declarations"},
    "server": {"protocol", "view", "settings", "declarations", "plugins"},
    "host": {"protocol"},
    "checks": {"protocol", "view", "settings", "plugins", "server", "host"},
    "testing": {"protocol", "view", "server", "host", "checks"},
    "dev": {"protocol", "server", "host"},
    "cli": {"protocol", "plugins", "server", "checks", "dev"},
}
FRONT_DOOR = {"protocol", "declarations", "plugins", "server"}
PICTURE = Path(__file__).parents[1] / "docs" / "explanation" / "architecture.md"


def part_of(module: str) -> str:
    return module.removeprefix(NAME).strip(".").partition(".")[0]


def imported_by(file: Path) -> set[str]:
    """Return the parts of this package that a file imports, for types too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            within = name_of(file) if node.level else ""
            found.add(f"{NAME}.{within}" if within else node.module or "")
    return {part_of(module) for module in found if module.split(".")[0] == NAME}


def name_of(file: Path) -> str:
    return part_of(".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts))


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_imports_go_down_only(part: str) -> None:
    """A part imports only what is below it; `server` and `host` never import each other."""
    files = [file for file in FILES if name_of(file) == part]
    assert files
    for file in files:
        assert imported_by(file) - {part} <= MAY_IMPORT[part], file
    # A permission that nobody uses would let in what nobody decided.
    assert set().union(*map(imported_by, files)) - {part} == MAY_IMPORT[part]


def test_every_part_has_its_place() -> None:
    """The table has each part of the package, and its order is the direction."""
    assert {name_of(file) for file in FILES} == {*MAY_IMPORT, "__init__"}
    order = list(MAY_IMPORT)
    for part, allowed in MAY_IMPORT.items():
        assert allowed <= set(order[: order.index(part)]), part
    assert imported_by(PACKAGE / "__init__.py") == FRONT_DOOR
    assert "host" not in MAY_IMPORT["server"]
    assert "server" not in MAY_IMPORT["host"]


def test_the_picture_is_true() -> None:
    """The page on the architecture has each part, and says of each what it imports."""
    rows = [
        [re.findall(r"`(\w+)`", cell) for cell in line.split("|")[1::2]]
        for line in PICTURE.read_text(encoding="utf-8").splitlines()
        if re.match(r"\| `\w+` \|", line)
    ]
    # From the top down, as one reads a page.
    assert [part for (part,), _ in rows] == list(MAY_IMPORT)[::-1]
    assert {part: set(imports) for (part,), imports in rows} == MAY_IMPORT


@pytest.mark.parametrize("part", ["protocol", "host", "view"])
def test_no_fastmcp_server(part: str) -> None:
    """What a host embeds does not load FastMCP's server."""
    for file in FILES:
        if name_of(file) != part:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("fastmcp.server"), file


def test_files_are_short() -> None:
    """No file has more than 400 lines; half of them have at most 160."""
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert {str(file): length for file, length in lengths.items() if length > 400} == {}
    assert statistics.median(lengths.values()) <= 160


def test_every_module_says_what_it_knows() -> None:
    """Each module has a docstring, and none is named for nothing in particular."""
    for file in FILES:
        assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))), file
        assert file.stem not in {"utils", "util", "helpers", "common", "misc", "base"}, file


def test_the_front_door() -> None:
    """`__all__` is sorted, complete, and every name in it exists and is documented."""
    public = mcp_apps_plugin.__all__
    assert public == sorted(public)
    assert len(set(public)) == len(public)
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (for_checkers,) = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and not isinstance(node.test, ast.UnaryOp)
    ]
    homes = {
        alias.name: node.module
        for node in (*tree.body, *for_checkers.body)
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }
    assert set(homes) == set(public)
    for name in public:
        value = getattr(mcp_apps_plugin, name)
        assert name == "hookimpl" or value.__doc__, name
        # What a checker is told is what comes when the name is used.
        assert value is getattr(importlib.import_module(homes[name]), name)
    assert set(public) <= set(dir(mcp_apps_plugin))
    with pytest.raises(AttributeError, match="no attribute 'uii'"):
        _ = mcp_apps_plugin.uii


def test_every_public_list_is_sorted() -> None:
    """Every `__all__` of the package is sorted and true."""
    for info in pkgutil.walk_packages([str(PACKAGE)], f"{NAME}."):
        if info.name.split(".")[1] in {"testing", "cli", "dev"}:
            continue
        names = getattr(importlib.import_module(info.name), "__all__", None)
        if names is not None:
            assert list(names) == sorted(names, key=_constants_first), info.name


def _constants_first(name: str) -> tuple[int, str]:
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name


@pytest.mark.parametrize("code", Code)
def test_every_code_is_used(code: Code) -> None:
    """No code is listed that nothing says."""
    used = [
        file
        for file in FILES
        if f"Code.{code.name}" in file.read_text(encoding="utf-8") and file.stem != "findings"
    ]
    assert used, f"{code} is never said"


def test_private_parts_of_fastmcp_are_read_in_few_places() -> None:
    """Names of FastMCP that start with `_` are imported in the one module that says why."""
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            names = node.names if (node.module or "").startswith("fastmcp") else []
            private = [alias.name for alias in names if alias.name.startswith("_")]
            assert not private or file == PACKAGE / "server" / "private.py", (file, private)
