"""`server.py[:name]`: every way to name a server, and every way to get it wrong."""

from __future__ import annotations

import sys

import pytest
from fastmcp import FastMCP

from mcp_apps_plugin.cli.load import LoadError, load_server

HEAD = "from fastmcp import FastMCP\n"


@pytest.fixture(autouse=True)
def leave_no_modules():
    """Each test imports files of the same name anew."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        del sys.modules[name]


FOUND = {
    "mcp": ("mcp = FastMCP('A'); other = FastMCP('B')", "", "A"),
    "server": ("server = FastMCP('A'); other = FastMCP('B')", "", "A"),
    "the only one": ("weather = FastMCP('A')", "", "A"),
    "one under two names": ("x = y = FastMCP('A')", "", "A"),
    "named": ("mcp = FastMCP('A'); other = FastMCP('B')", ":other", "B"),
    "a function": ("def make(): return FastMCP('A')", ":make", "A"),
    "a coroutine function": ("async def make(): return FastMCP('A')", ":make", "A"),
    "beside a module": ("from beside import mcp", "", "Beside"),
    "imported and mounted": (
        (
            "from beside import mcp as beside; company = FastMCP('A')\n"
            "company.mount(beside, namespace='n'); company.mount(beside, namespace='s')"
        ),
        "",
        "A",
    ),
    "imported under a usual name": (
        "from beside import mcp; company = FastMCP('A'); company.mount(mcp)",
        "",
        "A",
    ),
    "mounted below": (
        (
            "a = FastMCP('A'); b = FastMCP('B'); c = FastMCP('C'); d = c\n"
            "b.mount(a, namespace='x'); c.mount(b)"
        ),
        "",
        "C",
    ),
    "not mounted, with a usual name": (
        "x = FastMCP('X'); mcp = FastMCP('A'); y = FastMCP('Y'); mcp.mount(x)",
        "",
        "A",
    ),
}


@pytest.mark.parametrize(("text", "name", "expected"), FOUND.values(), ids=FOUND.keys())
def test_a_server_is_found(text, name, expected, write):
    """A server is found by its usual names, alone, by name, and behind a function."""
    write(f"{HEAD}mcp = FastMCP('Beside')", "beside.py")
    assert load_server(f"{write(HEAD + text)}{name}").name == expected


def test_a_file_of_a_package_may_import_its_neighbours(write):
    """Relative imports work: the file is imported as part of its package."""
    write("", "shop/__init__.py")
    write("name = 'Shop'", "shop/names.py")
    path = write(f"{HEAD}from .names import name\nmcp = FastMCP(name)", "shop/server.py")
    assert load_server(str(path)).name == "Shop"


def test_a_file_named_like_a_module_does_not_replace_it(write):
    """`json.py` is loaded, and `import json` still means the library."""
    import json

    path = write(f"{HEAD}mcp = FastMCP('A')", "json.py")
    assert load_server(str(path)).name == "A"
    assert sys.modules["json"] is json


def test_what_the_file_prints_goes_to_standard_error(write, capsys):
    """Standard output is the command's, or the protocol's."""
    load_server(str(write(f"{HEAD}print('loud'); mcp = FastMCP('A')")))
    assert capsys.readouterr() == ("", "loud\n")


WRONG = {
    "missing name": ("mcp = FastMCP('A')", ":nope", "has no `nope`. It has `server.py:mcp`."),
    "no server": ("x = 1", "", "has no FastMCP server"),
    "several": (
        "a = FastMCP('A'); b = FastMCP('B')",
        "",
        "has 2 servers. Say which: `server.py:a`, `server.py:b`.",
    ),
    "one that mounts some": (
        "a = FastMCP('A'); b = FastMCP('B'); c = FastMCP('C'); c.mount(a)",
        "",
        "has 3 servers. Say which: `server.py:a`, `server.py:b`, `server.py:c`.",
    ),
    "not a server": ("x = 1", ":x", "`x` of "),
    "a function of something else": ("def x(): return 1", ":x", "`x()` of "),
    "a function that fails": ("def x(): 1 / 0", ":x", "ZeroDivisionError: division by zero"),
    "a misspelt import": ("import recrods", "", "No module named 'recrods' ("),
    "a syntax error": ("x = = 1", "", "SyntaxError: invalid syntax ("),
    "an exit": ("raise SystemExit", "", "SystemExit ("),
}


@pytest.mark.parametrize(("text", "name", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_is_no_server_is_said(text, name, said, write):
    """Each mistake is named, with what there is instead or where it happened."""
    path = write(HEAD + text)
    with pytest.raises(LoadError) as error:
        load_server(f"{path}{name}")
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_an_error_names_the_line(write):
    """The line of the user's own file, not that of the library it called."""
    path = write("import json\n\njson.loads('{')\n")
    with pytest.raises(LoadError, match=r"server\.py, line 3\)"):
        load_server(str(path))


@pytest.mark.parametrize("name", ["nope.py", "nope.py:mcp", "C:\\nope.py", "."])
def test_a_missing_file_is_said(name):
    """A file that is not there is named as it was typed."""
    with pytest.raises(LoadError, match=r"does not exist|is a folder"):
        load_server(name)


def test_another_kind_of_file_is_refused(write):
    """Only Python files make servers."""
    with pytest.raises(LoadError, match="no Python file"):
        load_server(str(write("{}", "server.json")))


def test_loading_gives_the_server_itself(write):
    """What is loaded is the object, ready to run."""
    assert isinstance(load_server(str(write(f"{HEAD}mcp = FastMCP('A')"))), FastMCP)


def test_a_check_without_the_package_is_none(mcp_apps, write):
    """A variable that was left over does not make a server look right."""
    write("from fastmcp import FastMCP\nmcp = FastMCP('plain')\n")
    done = mcp_apps("check", "server.py", MCP_APPS_DISABLE="1")
    assert done.returncode == 2
    assert "MCP_APPS_DISABLE switches the package off" in done.stderr
    assert "Traceback" not in done.stderr
