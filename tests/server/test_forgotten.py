"""`@ui` on a function that no server has: said where it is a mistake, and nowhere else."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.resources import Resource

from mcp_apps_plugin import app_resource, audit, ui

PROGRAM = """
import asyncio, functools, json, sys, types
from contextlib import asynccontextmanager
from fastmcp import FastMCP
from fastmcp.tools import Tool, tool
from mcp_apps_plugin import audit, ui

@asynccontextmanager
async def lifespan(server):
    late = globals().get("late")
    if late: server.tool(late)
    yield {}

mcp = FastMCP("s", lifespan=lifespan)

@mcp.tool
@ui(visibility="app")
def registered() -> dict: return {}

"""
AUDIT = """
async def main():
    async with mcp._lifespan_manager():
        return (await audit(mcp)).findings
found = asyncio.run(main())
assert all(f.code == "ui-unregistered" for f in found), found
print(json.dumps([[f.subject, f.severity, f.place.rpartition("/")[2]] for f in found]))
"""
FORGOTTEN = """
@ui(visibility="app")
def lost() -> dict: return {}
"""


def test_a_forgotten_tool(run_python: Any) -> None:
    """A function of the server's own file, with no other word about it, is a warning."""
    assert run_python(PROGRAM + FORGOTTEN + AUDIT) == [
        ["__main__.lost", "warning", "program.py:21"]
    ]


def a() -> str:
    return "a"


def hiding(function: Any) -> Any:
    """Wrap a function as decorators do that forget `functools.wraps`."""

    def inner() -> str:
        return function()

    return inner


def hiding_with_context(function: Any) -> Any:
    """Wrap one in a function that FastMCP wraps in turn."""

    def inner(ctx: Context) -> str:
        return f"{function()} {ctx.request_id}"

    return inner


def of_place(place: str) -> str:
    return place


def fresh(function: Any) -> Any:
    """Return a function of its own, as each declaration stays on one."""
    copy = FunctionType(function.__code__, globals(), function.__name__)
    copy.__annotations__ = dict(function.__annotations__)
    return copy


@pytest.mark.parametrize(
    ("add", "kind"),
    [
        (lambda mcp, mark: mcp.resource("data://x")(mark(fresh(a))), "resource"),
        (lambda mcp, mark: mark(mcp.resource("data://x")(fresh(a))), "resource"),
        (lambda mcp, mark: mcp.resource("data://{place}")(mark(fresh(of_place))), "resource"),
        (lambda mcp, mark: mcp.prompt(mark(fresh(a))), "prompt"),
        (lambda mcp, mark: mark(mcp.prompt(fresh(a))), "prompt"),
    ],
)
@pytest.mark.parametrize("below", [False, True])
async def test_on_no_tool(add: Any, kind: str, below: bool) -> None:  # noqa: FBT001
    """`@ui` on a resource or prompt stops the start, in a factory and below a mount as well."""
    mcp = FastMCP("s")
    add(mcp, ui(visibility="app"))
    if below:
        outer = FastMCP("outer")
        outer.mount(mcp, namespace="inner")
        mcp = outer
    with pytest.raises(RuntimeError, match=r"(?s)cannot start, 1 error.*\[ui-usage\]"):
        async with Client(mcp):
            pass
    (found,) = (await audit(mcp)).findings
    assert found.code == "ui-usage"
    assert f"is for tools, and is a {kind}" in found.problem
    assert "@mcp.tool" not in found.remedy
    assert found.place.partition(":")[0] == __file__


async def test_on_both() -> None:
    """A function that is a tool and a resource has its `@ui` as a tool."""
    mcp, function = FastMCP("s"), ui(visibility="app")(fresh(a))
    mcp.resource("data://x")(function)
    assert [f.code for f in (await audit(mcp)).findings] == ["ui-usage"]
    mcp.tool(function)
    assert (await audit(mcp)).findings == ()


@pytest.mark.parametrize("wrap", [hiding, hiding_with_context, lambda f: hiding(hiding(f))])
async def test_below_a_decorator_that_hides_it(wrap: Any) -> None:
    """The tool's own function keeps the declared one, so that this is known."""
    mcp, function = FastMCP("s"), ui(visibility="app")(fresh(a))
    mcp.tool(wrap(function), name="hidden")
    (found,) = (await audit(mcp)).findings
    assert (found.code, found.severity) == ("ui-unregistered", "warning")
    assert found.subject.endswith(".a")
    assert "tool 'hidden' is another function around it" in found.problem
    assert "functools.wraps" in found.remedy
    mcp.tool(function)  # then it calls another tool's function
    assert (await audit(mcp)).findings == ()


MEANT = [
    "if False: mcp.tool(lost)",
    "__all__ = ['lost']",
    "other = FastMCP('t', tools=[globals()['lo' + 'st']])",
    "late = globals()['lo' + 'st']",
    "mcp.add_tool(Tool.from_function(functools.partial(globals()['lo' + 'st']), name='p'))",
    "mcp.add_tool(Tool.from_tool(Tool.from_function(globals()['lo' + 'st']), name='p'))",
    """
module = sys.modules['m'] = types.ModuleType('m')
module.lost = globals()['lo' + 'st']
""",
    "globals()['lo' + 'st'].__module__ = 'elsewhere'",
    "box = [mcp]; del mcp",
]


@pytest.mark.parametrize("code", MEANT)
def test_what_may_be_meant(run_python: Any, code: str) -> None:
    """What is registered anywhere, named anywhere, or of another file is left alone."""
    audit = AUDIT.replace("mcp", "box[0]") if "box" in code else AUDIT
    assert run_python(PROGRAM + FORGOTTEN + code + "\n" + audit) == []


OTHER_SHAPES = """
def make():
    @ui(visibility="app")
    def inner() -> dict: return {}
make()

class Station:
    @ui(visibility="app")
    def method(self) -> dict: return {}

@tool
@ui(visibility="app")
def waits() -> dict: return {}

@mcp.tool
@ui(visibility="app")
def disabled() -> dict: return {}
mcp.disable(names={"disabled"})

child = FastMCP("child")
@child.tool
@ui(visibility="app")
def mounted() -> dict: return {}
mcp.mount(child, namespace="n")
"""


def test_other_shapes(run_python: Any) -> None:
    """Methods, inner functions, stand-alone tools, disabled and mounted tools are no finding."""
    assert run_python(PROGRAM + OTHER_SHAPES + AUDIT) == []


def test_below_a_mount(run_python: Any) -> None:
    """The file of a mounted server is looked at, too."""
    code = """
module = types.ModuleType("below")
sys.modules["below"] = module
path = __file__.replace("program.py", "below.py")
module.__file__ = path
source = '''
from fastmcp import FastMCP
from mcp_apps_plugin import ui
child = FastMCP("child")
@ui(visibility="app")
def lost() -> dict: return {}
'''
open(path, "w").write(source)
exec(compile(source, path, "exec"), module.__dict__)
mcp.mount(module.child)
"""
    assert run_python(PROGRAM + code + AUDIT) == [["below.lost", "warning", "below.py:5"]]


@pytest.mark.parametrize("kind", ["prompt", 'resource("data://x")'])
def test_what_is_no_tool(run_python: Any, kind: str) -> None:
    """A prompt's page, or a resource's, is shown by nobody, in whatever order they stand."""
    below = f'@mcp.{kind}\n@ui(visibility="app")\ndef lost() -> str: return ""\n'
    above = f'@ui(visibility="app")\n@mcp.{kind}\ndef lost() -> str: return ""\n'
    for code in (below, above):
        said = run_python(PROGRAM + code + AUDIT, fails="AppsConfigurationError")
        assert "1. __main__.lost" in said
        assert said.count("[ui-usage]") == 1
        assert "ui-unregistered" not in said


@pytest.mark.parametrize("order", ["above", "below"])
async def test_a_page_on_a_tool(order: str) -> None:
    """`@app_resource` is for what makes the page; where something serves it, all is well."""
    server = FastMCP("s")

    def show() -> str:
        return "<p>"

    if order == "above":
        app_resource("ui://a/b")(server.tool(show))
    else:
        server.tool(app_resource("ui://a/b")(show))
    (finding,) = (await audit(server)).errors
    assert finding.code == "page-usage"
    assert "Give the tool its page with `@ui`" in str(finding)

    @server.tool
    @ui(show)
    def other() -> dict[str, str]:
        return {}

    server.add_resource(Resource.from_function(show, "ui://a/b"))
    assert (await audit(server)).findings == ()
