"""Each sub-command as a user runs it: output, errors and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

GOOD = """
from fastmcp import FastMCP
from fastmcp.apps import AppConfig
mcp = FastMCP("Plain")

@mcp.tool(app=AppConfig(resource_uri="ui://plain/page"))
def look() -> str:
    return "seen"

@mcp.resource("ui://plain/page", app={"csp": {"resourceDomains": ["https://plain.example"]}})
def page() -> str:
    return "<!doctype html><p>Plain<script src='https://plain.example/app.js'></script>"
"""
DANGLING = """
from fastmcp import FastMCP
from mcp_apps_plugin import ui
mcp = FastMCP("Dangling")

@mcp.tool
@ui("ui://nowhere/page")
def look() -> str:
    return "seen"
"""
WARNING = GOOD.replace('resource("ui://plain/page"', 'resource("ui://plain/other"')


def test_check_of_a_good_server(mcp_apps, write):
    """A server without faults: nothing is said but what was looked at, exit code 0."""
    write(GOOD)
    done = mcp_apps("check", "server.py")
    said, looked_at, not_called = done.stdout.splitlines()
    assert (done.returncode, said, done.stderr) == (
        0,
        "MCP Apps: server 'Plain': nothing to say.",
        "",
    )
    assert looked_at.startswith("  Looked at 1 tool, 1 in MCP Apps, 1 page,")
    assert not_called == "  Not called: `look` (not marked as read-only)."


@pytest.mark.parametrize("loading", ["mcp_apps_plugin.cli.main", "mcp_apps_plugin.cli.plugins"])
def test_ctrl_c_while_it_loads(loading):
    """Loading takes a second; an end in it is as silent as a later one."""
    program = f"""if True:
        import sys, mcp_apps_command
        class Pressed:
            def find_spec(self, name, path, target=None):
                if name == {loading!r}: raise KeyboardInterrupt
        sys.meta_path.insert(0, Pressed())
        sys.argv = ["mcp-apps", "plugins"]
        mcp_apps_command.run()
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


@pytest.mark.parametrize("command", ["dev", "run"])
def test_a_port_that_there_is_not(mcp_apps, write, command):
    """Said by its option, before anything is started."""
    write(GOOD)
    done = mcp_apps(command, "server.py", "--port", "65536")
    assert done.returncode == 2
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr


def test_check_lists_errors(mcp_apps, write):
    """An error is listed with its code, and the exit code is 1."""
    write(DANGLING)
    done = mcp_apps("check", "server.py")
    assert done.returncode == 1
    assert "tool 'look' of server.look" in done.stdout
    assert "links `ui://nowhere/page`" in done.stdout
    assert "[link-dangling]" in done.stdout


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 1)])
def test_check_lists_warnings(mcp_apps, write, options, code):
    """A warning does not fail the command, unless `--strict` asks for it."""
    write(WARNING)
    done = mcp_apps("check", "server.py", "--format", "json", *options)
    found = json.loads(done.stdout)
    assert done.returncode == code
    assert (found["server"], found["errors"]) == ("Plain", 0)
    assert found["warnings"] == len(found["findings"]) > 0
    assert set(found["findings"][0]) >= {
        *("code", "subject", "problem", "consequence", "remedy", "severity")
    }


ASKING = """
from fastmcp import Context, FastMCP
from mcp_apps_plugin import AppResource, elicit, ui
mcp = FastMCP("Asking")

@mcp.tool
@ui("ui://asking/page", html="page.html")
async def ask(ctx: Context) -> dict[str, str]:
    answer = await elicit(ctx, "When?", ["today", "tomorrow"])
    return {"said": str(answer)}
"""


def test_check_answers_what_a_tool_asks(mcp_apps, write):
    """As told on the command line; otherwise the tool is named as one that asks."""
    write(ASKING)
    write(
        '<!doctype html><p>x<script src="mcp-app.js"></script><script>'
        'new McpApp.App({ name: "asking", version: "1" }).connect()</script>',
        "page.html",
    )
    asked = mcp_apps("check", "server.py", "--calls", "all")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "Not called: `ask` (asks the user, and no `--answer` is given)." in asked.stdout
    named = mcp_apps("check", "server.py", "--call", "ask")
    assert named.returncode == 1
    assert "asks its user 'When?'" in named.stdout
    answer = named.stdout.partition("--answer '")[2].partition("'")[0]
    for given in (answer.replace("…", '"today"'), "ask=decline"):
        done = mcp_apps("check", "server.py", "--answer", given)
        assert (done.returncode, done.stderr) == (0, "")
        assert ", 1 called, " in done.stdout


WRONG = [
    (("nope",), "nope"),
    (("check",), "name one server"),
    (("check", "server.py", "--url", "http://localhost/mcp"), "name one server"),
    (("check", "--url", "localhost"), "no http address"),
    (("check", "server.py", "--call", "look={"), "no JSON"),
    (("check", "server.py", "--header", "a: b"), "--header is for a server that"),
    (("check", "--url", "http://127.0.0.1:9/mcp", "--header", "secret"), "is no header"),
    (("check", "server.py", "--call", "lok"), "no such tool; it lists look"),
    (("check", "server.py", "--answer", "lok=decline"), "--answer lok: the server lists no such"),
    (("check", "server.py", "--answer", "look=no"), "no JSON"),
    (("check", "server.py", "--answer", "look=[]"), "no JSON object"),
    (("check", "server.py", "--explain", "nope"), "no tool 'nope'"),
    (("check", "server.py", "--format", "xml"), "xml"),
    (("check", "missing.py"), "missing.py does not exist"),
    (("run", "server.py", "--port", "8000"), "--port: only for a transport over the network"),
    (("run", "server.py", "--transport", "pigeon"), "pigeon"),
    (("types", "server.py", "-o", "no/such/folder.d.ts"), "cannot be written"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=lambda it: " ".join(it)[:30])
def test_a_misunderstood_command_exits_with_2(arguments, said, write, monkeypatch, capsys):
    """What cannot be done is said on standard error in a few lines."""
    from mcp_apps_plugin.cli.main import run

    monkeypatch.chdir(write(GOOD).parent)
    with pytest.raises(SystemExit) as done:
        run(arguments)
    said_on = capsys.readouterr()
    assert (done.value.code, said_on.out) == (2, "")
    assert said in said_on.err


def test_a_typo_shows_no_traceback(mcp_apps, write):
    """The installed command answers a file that cannot be imported in one line."""
    write("import fastmpc")
    done = mcp_apps("check", "server.py")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "No module named 'fastmpc'" in done.stderr


def test_version_and_help(mcp_apps):
    """`--version` and `--help` answer on standard output."""
    assert mcp_apps("--version").stdout.strip() == version("mcp-apps-plugin")
    shown = mcp_apps("--help").stdout
    for name in ("check", "plugins", "run", "types"):
        assert name in shown
    assert "--empty" not in mcp_apps("check", "--help").stdout


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_run_adds_the_package_to_an_unedited_server(write, command, mode, tmp_path):
    """A server that knows nothing of this package declares the capability, over stdio."""
    from mcp_apps_plugin.protocol.constants import EXTENSION_ID, MIME_TYPE

    path = write(GOOD.replace("mcp =", "print('loud'); mcp ="))
    log = tmp_path / "log.txt"
    transport = StdioTransport(command, ["run", str(path)], env=dict(os.environ), log_file=log)
    async with Client(transport, mode=mode) as client:
        extensions = client.server_capabilities.extensions
        assert extensions == {EXTENSION_ID: {"mimeTypes": [MIME_TYPE]}}
        (item,) = await client.read_resource("ui://plain/page")
        assert item.mime_type == MIME_TYPE


def test_run_says_why_a_server_cannot_start(mcp_apps, write):
    """The findings stand on standard error, without a traceback; the exit code is 1."""
    write(DANGLING)
    for options in ((), ("--transport", "http", "--port", "0")):
        done = mcp_apps("run", "server.py", *options)
        assert (done.returncode, done.stdout) == (1, "")
        assert "[link-dangling]" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_wrong_declaration_is_shown_as_it_is(mcp_apps, write):
    """What a decorator refuses is said in its own words, without a traceback."""
    write(DANGLING.replace("ui://nowhere/page", "http://nowhere/page"))
    done = mcp_apps("check", "server.py")
    assert done.returncode == 1
    assert "[uri-invalid]" in done.stderr
    assert "Traceback" not in done.stderr


def test_plugins_lists_the_built_in_ones(mcp_apps):
    """Every plugin has a name, a distribution, a version, a status and hooks."""
    done = mcp_apps("plugins", "--format", "json")
    assert done.returncode == 0
    listed = {each["name"]: each for each in json.loads(done.stdout)}
    assert listed["capability"] == {
        "name": "capability",
        "distribution": "mcp-apps-plugin",
        "version": version("mcp-apps-plugin"),
        "status": "active",
        "hooks": ["mcp_apps_customize_capabilities"],
        "failures": [],
    }
    assert "capability" in mcp_apps("plugins").stdout


def test_plugins_names_a_broken_one(mcp_apps, tmp_path):
    """A plugin that cannot be imported is listed with its failure; the exit code is 1."""
    info = tmp_path / "site" / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mcp_apps_plugin]\nbroken = no_such_module\n")
    path = {"PYTHONPATH": str(tmp_path / "site")}
    done = mcp_apps("plugins", "--format", "json", **path)
    broken = json.loads(done.stdout)[-1]
    assert done.returncode == 1
    assert (broken["name"], broken["version"], broken["status"]) == ("broken", "1.0", "failed")
    assert "no_such_module" in broken["failures"][0]
    assert "no_such_module" in mcp_apps("plugins", **path).stdout
    off = mcp_apps("plugins", "--format", "json", MCP_APPS_PLUGINS="none", **path)
    assert (off.returncode, json.loads(off.stdout)[-1]["status"]) == (0, "off")
    strict = mcp_apps("plugins", MCP_APPS_STRICT="1", **path)
    assert (strict.returncode, "Traceback" in strict.stderr) == (1, False)
    assert "[plugin-failed]" in strict.stderr
