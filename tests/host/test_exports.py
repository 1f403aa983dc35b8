import importlib
import pkgutil
import re
from pathlib import Path

from mcp_apps_plugin import host


def modules():
    return [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(host.__path__, f"{host.__name__}.")
    ]


def test_the_front_door_lists_what_it_has():
    """`__all__` is complete and hides no module behind a name; that it is sorted, ruff sees."""
    # pytest leaves names of its own, with an `@`, in modules whose asserts it rewrites.
    names = [n for n in vars(host) if not n.startswith(("_", "@"))]
    submodules = {found.name for found in pkgutil.iter_modules(host.__path__)}
    assert set(names) - submodules == set(host.__all__)
    assert not submodules & set(host.__all__)


def test_the_host_knows_nothing_of_the_server_side():
    """Imports go down only: to `protocol` and to FastMCP's client."""
    foreign = re.compile(
        r"mcp_apps_plugin\.(?!host\b|protocol\b)\w+|fastmcp\.server|import mcp_apps_plugin$",
        re.MULTILINE,
    )
    for module in modules():
        assert not foreign.search(Path(module.__file__).read_text()), module.__name__


def test_files_stay_small():
    """A file knows one thing."""
    lengths = sorted(len(Path(m.__file__).read_text().splitlines()) for m in modules())
    assert lengths[-1] <= 400
    assert lengths[len(lengths) // 2] <= 150
