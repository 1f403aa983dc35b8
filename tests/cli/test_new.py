"""`mcp-apps new`: what it makes passes at once, and what it cannot make leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from mcp_apps_plugin.cli.scaffold.names import names_of
from mcp_apps_plugin.protocol.findings import AppsValueError, Code

SCRIPTS = Path(sys.executable).parent
FILES = {
    ".github/workflows/check.yml",
    ".gitignore",
    "README.md",
    "pyproject.toml",
    "tests/test_server.py",
    "weather_board/__init__.py",
    "weather_board/packages.html",
    "weather_board/server.py",
}


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A new project, made by the installed command."""
    folder = tmp_path_factory.mktemp("new")
    made = run(SCRIPTS / "mcp-apps", "new", "Weather Board", cwd=folder)
    assert made.returncode == 0, made.stderr
    assert [path.name for path in folder.iterdir()] == ["weather-board"]
    assert all(file in made.stdout for file in FILES)
    return folder / "weather-board"


def run(*command: str | Path, cwd: Path, **options):
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )


def test_every_file_is_there_and_nothing_is_left_to_fill_in(project):
    """The templates are in the package, and every name in them was known."""
    assert files_of(project) == FILES
    for file in FILES:
        text = (project / file).read_text(encoding="utf-8")
        assert "%%" not in text
        assert text.endswith("\n")
    assert project.stat().st_mode & 0o777 == 0o777 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_its_tests_pass(project):
    """Without installing it, with every warning an error."""
    done = run(sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider",
               cwd=project)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^9 passed", done.stdout, re.MULTILINE), done.stdout


def test_its_check_has_nothing_to_say(project):
    """Not even a warning, for hosts of every kind."""
    check = run(SCRIPTS / "mcp-apps", "check", "weather_board/server.py", "--strict",
                "--format", "json", cwd=project)  # fmt: skip
    assert check.returncode == 0, check.stdout + check.stderr
    assert '"findings": []' in check.stdout


@pytest.mark.slow
@pytest.mark.parametrize("era", ["auto", "legacy"])
@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, "-m", "weather_board.server"],
        [sys.executable, "weather_board/server.py"],
        [SCRIPTS / "fastmcp", "run", "weather_board/server.py", "--no-banner"],
        [SCRIPTS / "mcp-apps", "run", "weather_board/server.py"],
    ],
    ids=["module", "file", "fastmcp run", "mcp-apps run"],
)
async def test_it_starts_in_every_way(project, command, era):
    """As a module, as a file, and by both commands: the page is there, with its hash."""
    program, *arguments = map(str, command)
    transport = StdioTransport(program, arguments, cwd=str(project), env=dict(os.environ))
    async with Client(transport, mode=era) as client:
        tools = {tool.name: tool.meta["ui"] for tool in await client.list_tools()}
        assert tools["describe_package"] == {"visibility": ["app"]}
        link = tools["list_packages"]["resourceUri"]
        assert re.fullmatch(r"ui://weather-board/packages\?v=[0-9a-f]{16}", link)
        assert "Waiting for the tool" in (await client.read_resource(link))[0].text
        found = await client.call_tool("list_packages", {"search": "fastmcp"})
        assert "fastmcp " in found.content[0].text


def test_the_dev_host_starts(project):
    """`mcp-apps dev` shows it."""
    process = subprocess.Popen(
        [SCRIPTS / "mcp-apps", "dev", "weather_board/server.py"],
        cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        printed = []
        for line in process.stdout:
            printed.append(line)
            if "ready after" in line or "did not start" in line:
                break
        assert "ready after" in printed[-1], printed
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def test_its_configuration_can_be_read(project):
    """The project's and the workflow's files are well formed, and name what there is."""
    given = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    assert given["project"]["name"] == "weather-board"
    assert given["project"]["scripts"] == {"weather-board": "weather_board.server:main"}
    assert given["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["weather_board"]
    workflow = yaml.safe_load(
        (project / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
    )
    steps = workflow["jobs"]["check"]["steps"]
    assert "pytest" in [step.get("run") for step in steps]
    checks = [step["run"] for step in steps if "mcp-apps" in step.get("run", "")]
    assert checks[0] == "mcp-apps check weather_board/server.py --strict"
    assert "--format sarif" in checks[1]
    uploaded = next(s for s in steps if "upload-sarif" in s.get("uses", ""))["with"]["sarif_file"]
    assert uploaded in checks[1]


def test_it_installs_and_brings_its_command(project, tmp_path):
    """The wheel has the page, and the command starts the server."""
    pytest.importorskip("hatchling")
    copied = tmp_path / "copy"
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    copied.mkdir()
    built = run(sys.executable, "-c", code, copied, cwd=project)
    assert built.returncode == 0, built.stderr
    (wheel,) = copied.glob("*.whl")
    names = run(sys.executable, "-m", "zipfile", "-l", wheel, cwd=tmp_path).stdout
    assert "weather_board/packages.html" in names
    assert "entry_points.txt" in names
    assert "test_server.py" not in names


@pytest.mark.parametrize(
    ("name", "project", "module", "title"),
    [
        ("weather", "weather", "weather", "Weather"),
        ("weather-board", "weather-board", "weather_board", "Weather Board"),
        ("weather_board", "weather-board", "weather_board", "Weather Board"),
        ("My  Weather.Board", "my-weather-board", "my_weather_board", "My Weather Board"),
        ("2048", "2048", "app_2048", "2048"),
        ("class", "class", "class_app", "Class"),
        ("json", "json", "json_app", "Json"),
        ("tests", "tests", "tests_app", "Tests"),
        ("MCP Weather", "mcp-weather", "mcp_weather", "MCP Weather"),
        ("a", "a", "a", "A"),
    ],
)
def test_names(name, project, module, title):
    """One name in, one for each place out."""
    names = names_of(name)
    assert (names.project, names.module, names.title) == (project, module, title)
    assert names.module.isidentifier()


@pytest.mark.parametrize(
    "name",
    ["", "   ", "-", "..", "../x", "a/b", "a\\b", "süd", "x;y", ".hidden", "a" * 65, "fastmcp",
     "mcp_apps_plugin", "Pytest", "CON", "x\ny"],
)  # fmt: skip
def test_names_that_are_none(name):
    """They are refused with a code, and say what to do."""
    with pytest.raises(AppsValueError) as refused:
        names_of(name)
    assert refused.value.code == Code.NEW_NAME


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a/b"], "new-name"),
        (["fastmcp"], "`fastmcp-app`"),
        (["weather", "--folder", "full"], "is not empty"),
        (["full"], "is not empty"),
        (["weather", "--folder", "file"], "is a file"),
        (["weather", "--folder", "file/below"], "cannot be"),
        ([], "requires an argument"),
    ],
)
def test_what_cannot_be_made_leaves_nothing(mcp_apps, tmp_path, write, arguments, said):
    """Exit code 2, one line, and every file as it was."""
    write("mine", "full/kept.txt")
    write("mine", "file")
    before = files_of(tmp_path), sorted(tmp_path.iterdir())
    done = mcp_apps("new", *arguments)
    assert done.returncode == 2
    assert said in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert (files_of(tmp_path), sorted(tmp_path.iterdir())) == before


@pytest.mark.parametrize("folder", [None, "apps/weather", "."])
def test_where_it_goes(mcp_apps, tmp_path, folder):
    """By default a folder of the project's name; else the one that was named, even this one."""
    done = mcp_apps("new", "weather", *([] if folder is None else ["--folder", folder]))
    assert done.returncode == 0, done.stderr
    assert "weather/server.py" in files_of(tmp_path / (folder or "weather"))
    again = mcp_apps("new", "weather", *([] if folder is None else ["--folder", folder]))
    assert again.returncode == 2
    assert "new-folder" in again.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
@pytest.mark.parametrize("into", ["weather", "empty"])
def test_a_full_disk_leaves_nothing(tmp_path, into):
    """A file that cannot be written takes back those that were."""
    import resource

    (tmp_path / "empty").mkdir()
    limit = 1500  # more than the first files, less than the server

    done = run(
        SCRIPTS / "mcp-apps", "new", "weather", "--folder", into, cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stderr
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "empty"]
