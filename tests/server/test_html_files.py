"""`html=`: where a page's file may be, and what is served from it."""

from __future__ import annotations

import importlib.resources
import importlib.util
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP

from mcp_apps_plugin import AppResource, AppsConfigurationError, Code, Csp, audit, ui
from mcp_apps_plugin.checks import check_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import ModuleType

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

HTML = "<!doctype html><title>W</title><p>weather</p>"


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Callable[[str, str], ModuleType]]:
    """Write and import a module of an installed package that ships `page.html`."""
    names: list[str] = []
    sys.path.insert(0, str(tmp_path))

    def write(code: str, module: str = "weather_server") -> ModuleType:
        folder = tmp_path / "acme_weather"
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").touch()
        (folder / "page.html").write_text(HTML, encoding="utf-8")
        (folder / f"{module}.py").write_text(textwrap.dedent(code), encoding="utf-8")
        importlib.invalidate_caches()
        names.extend(["acme_weather", f"acme_weather.{module}"])
        return importlib.import_module(f"acme_weather.{module}")

    yield write
    sys.path.remove(str(tmp_path))
    for name in names:
        sys.modules.pop(name, None)


async def page_of(connect: Connect, server: FastMCP[Any]) -> tuple[str, str]:
    async with connect(server) as client:
        (listed,) = await client.list_resources()
        (item,) = await client.read_resource(listed.uri)
    assert listed.mime_type == item.mime_type == "text/html;profile=mcp-app"
    assert listed.meta["ui"] == item.meta["ui"]
    return str(listed.uri), item.text


@pytest.mark.parametrize(
    "html",
    [
        '"page.html"',
        'Path("page.html")',
        'Path(__file__).parent / "page.html"',
        'str(Path(__file__).with_name("page.html"))',
        'importlib.resources.files("acme_weather") / "page.html"',
    ],
)
async def test_every_way_to_name_a_file(connect: Connect, package: Any, html: str) -> None:
    """A name or path relative to the code, an absolute path, and a package file."""
    module = package(f"""
        import importlib.resources
        from pathlib import Path
        from fastmcp import FastMCP
        from mcp_apps_plugin import ui
        server = FastMCP("s")

        @server.tool
        @ui("ui://acme/page", html={html})
        def show() -> dict: return {{}}
    """)
    assert await page_of(connect, module.server) == ("ui://acme/page", HTML)


async def test_relative_to_the_function(connect: Connect, package: Any) -> None:
    """The file stands beside the function, whoever applies the decorator, wrapped or partial."""
    module = package("""
        import functools

        def logged(f):
            @functools.wraps(f)
            def wrapper(*args, **kwargs): return f(*args, **kwargs)
            return wrapper

        def show() -> dict: return {}
        wrapped = logged(show)

        class Pages:
            def method(self) -> dict: return {}
            @staticmethod
            def static() -> dict: return {}
            def __call__(self) -> dict: return {}
    """)
    pages = module.Pages()
    for handler in (module.show, module.wrapped, pages.method, module.Pages.static):
        server = FastMCP("s")
        server.tool(ui("ui://acme/page", html="page.html")(handler))
        assert await page_of(connect, server) == ("ui://acme/page", HTML)
        vars(handler.__func__ if hasattr(handler, "__func__") else handler).clear()


async def test_a_uri_from_the_names(connect: Connect, package: Any) -> None:
    """Without a URI it comes from module and file, the same in every process."""
    module = package("""
        from fastmcp import FastMCP
        from mcp_apps_plugin import ui
        server = FastMCP("s")

        @server.tool
        @ui(html="page.html")
        def show() -> dict: return {}
    """)
    assert await page_of(connect, module.server) == ("ui://weather-server/page.html", HTML)


def test_the_uri_is_the_same_in_every_process(run_python: Any, tmp_path: Path) -> None:
    """Run as a script or imported as a module, the URI is the same."""
    (tmp_path / "page.html").write_text(HTML, encoding="utf-8")
    program = """
        import asyncio, json
        from fastmcp import FastMCP, Client
        from mcp_apps_plugin import ui
        server = FastMCP("s")

        @server.tool
        @ui(html="page.html")
        def show() -> dict: return {}

        async def main():
            async with Client(server) as client:
                return [str(each.uri) for each in await client.list_resources()]
        print(json.dumps(asyncio.run(main()) + [__name__]))
    """
    assert run_python(program) == ["ui://program/page.html", "__main__"]
    page = "page = AppResource(html='page.html')"
    code = f"from mcp_apps_plugin import AppResource\n{page}\n"
    (tmp_path / "program.py").write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("imported.elsewhere", tmp_path / "program.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page.uri == "ui://program/page.html"


def test_names_that_no_address_can_say(tmp_path: Path) -> None:
    """Each file has an address of its own, the same in every process."""
    uris = [AppResource(html=tmp_path / f"{name}.html").uri for name in ("日本", "中国", "日本")]
    assert uris[0] == uris[2] == "ui://test-html-files/6d86db9c-html"
    assert uris[1] != uris[0]


async def test_several_tools_share_a_page(connect: Connect, tmp_path: Path) -> None:
    """Two tools over one file are one page; the options may stand on either of them."""
    (tmp_path / "page.html").write_text(HTML, encoding="utf-8")
    server = FastMCP("s")

    @server.tool
    @ui("ui://a/page", html=tmp_path / "page.html")
    def one() -> dict[str, int]:
        return {}

    @server.tool
    @ui("ui://a/page", html=tmp_path / "page.html", csp=Csp(connect_domains=["https://a.example"]))
    def two() -> dict[str, int]:
        return {}

    async with connect(server) as client:
        (listed,) = await client.list_resources()
    assert listed.meta["ui"]["csp"]["connectDomains"] == ["https://a.example"]


async def test_one_page_with_two_sets_of_options(tmp_path: Path) -> None:
    """Two tools that give one page different options are a finding: one would be lost."""
    (tmp_path / "page.html").write_text(HTML, encoding="utf-8")
    server = FastMCP("s")
    for name in ("a", "b"):
        server.tool(name=name)(
            ui(
                "ui://a/page",
                html=tmp_path / "page.html",
                csp={"connect_domains": [f"https://{name}.example"]},
            )(lambda_tool())
        )
    (finding,) = (await audit(server)).errors
    assert finding.code == Code.PAGE_CONFLICT
    assert "ui://a/page" in finding.subject
    assert "options" in finding.problem


def lambda_tool() -> Any:
    def show() -> dict[str, int]:
        return {}

    return show


async def test_read_once_at_start(connect: Connect, tmp_path: Path) -> None:
    """The file is read when the server starts, not when it is declared or read by a client."""
    page = tmp_path / "page.html"
    server = FastMCP("s")
    server.tool(ui("ui://a/page", html=page)(lambda_tool()))
    page.write_text(HTML, encoding="utf-8")
    async with connect(server) as client:
        page.unlink()
        for _ in range(2):
            assert (await client.read_resource("ui://a/page"))[0].text == HTML


@pytest.mark.parametrize("kind", ["missing", "folder", "not text"])
async def test_a_file_that_cannot_be_read(kind: str, tmp_path: Path) -> None:
    """A missing or unreadable file stops the start, named with the tool that declares it."""
    page = tmp_path / "page.html"
    if kind == "folder":
        page.mkdir()
    elif kind == "not text":
        page.write_bytes(b"\xff\xfe\xff")
    server = FastMCP("s")
    server.tool(ui("ui://a/page", html=page)(lambda_tool()))
    with pytest.raises(AppsConfigurationError) as caught:
        async with server._lifespan_manager():
            pass
    assert str(page) in str(caught.value)
    assert "lambda_tool.<locals>.show" in str(caught.value)


async def test_a_package_file_in_a_zip(connect: Connect, tmp_path: Path) -> None:
    """A package inside a zip archive serves its file."""
    import zipfile

    archive = tmp_path / "acme_zip.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("acme_zipped/__init__.py", "")
        opened.writestr("acme_zipped/page.html", HTML)
    sys.path.insert(0, str(archive))
    try:
        file = importlib.resources.files("acme_zipped") / "page.html"
        server = FastMCP("s")
        server.tool(ui("ui://a/page", html=file)(lambda_tool()))
        assert await page_of(connect, server) == ("ui://a/page", HTML)
    finally:
        sys.path.remove(str(archive))
        sys.modules.pop("acme_zipped", None)


async def test_a_page_that_misuses_the_library_is_told_at_its_line(tmp_path: Path) -> None:
    """A warning with the file and the line, so that the server starts all the same."""
    page = tmp_path / "page.html"
    made = "const app = new McpApp.App({ name: 'a', version: '1' }); app.connect();"
    script = f"<script>\n{made}\napp.callTool();"
    page.write_text(f"<!doctype html><script src=mcp-app.js></script>{script}</script>")
    server = FastMCP("Shop")

    @server.tool
    @ui("ui://shop/page", html=page)
    def look() -> str:
        return "seen"

    (found,) = (await audit(server)).findings
    assert (found.code, found.severity) == ("page-library-name", "warning")
    assert found.place == f"{page}:3"
    assert "Did you mean `callServerTool`?" in found.problem
    (again,) = (await check_server(server)).findings
    assert again == found
