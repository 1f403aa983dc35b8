"""Files that handlers name: each read serves what they are now, and builds only what changed."""

from __future__ import annotations

import itertools
import os
import time
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP
from fastmcp.server import create_proxy

from mcp_apps_plugin import Page, app_resource, ui
from mcp_apps_plugin.server.named_pages import built, built_files, forget_built
from mcp_apps_plugin.view import PageBuildError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

URI = "ui://r/report"


def document(text: str) -> str:
    return f"<!doctype html><title>Report</title><p>{text}</p>"


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file have been at rest for a while."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + 60_000_000_000)


@pytest.mark.parametrize("where", ["alone", "mounted", "proxied"])
@pytest.mark.parametrize("form", ["Path", "Page", "html=", "template", "undeclared"])
async def test_each_caller_reads_what_was_written_for_it(
    connect: Connect, tmp_path: Path, form: str, where: str
) -> None:
    """A file that is written anew for every read, at once and of the same size."""
    numbers = itertools.count()
    file = tmp_path / "report.html"
    file.write_text(document("nobody"), encoding="utf-8")

    def write() -> Path:
        file.write_text(document(f"user {next(numbers)}"), encoding="utf-8")
        return file

    server: FastMCP[Any] = FastMCP("s")
    match form:
        case "Path":
            server.add_resource(app_resource(URI)(lambda: write()))  # noqa: PLW0108  a function
        case "Page":

            @app_resource(URI)
            def page() -> Page:
                return Page(write(), data={"n": 1})

            @server.tool
            @ui(page)
            def show() -> str:
                return "shown"

        case "html=":

            @app_resource(URI, html=file)
            def written() -> None:
                write()

            server.add_resource(written)
        case "template":

            @server.resource("ui://r/{name}")
            @app_resource
            def named(name: str) -> Any:
                assert name == "report"
                return write()

        case _:
            server.resource(URI)(lambda: write())  # noqa: PLW0108  a function
    uri = URI
    if where == "mounted":
        root: FastMCP[Any] = FastMCP("root")
        root.mount(server, namespace="far")
        server, uri = root, "ui://far/r/report"
    elif where == "proxied":
        server = create_proxy(server)
    async with connect(server) as client:
        texts = [(await client.read_resource(uri))[0].text for _ in range(10)]
    assert [f"<p>user {number}</p>" in text for number, text in enumerate(texts)] == [True] * 10


@pytest.mark.usefixtures("later")
def test_what_has_not_changed_is_built_once(tmp_path: Path, monkeypatch: Any) -> None:
    """The same page again, by an absolute name as by a relative one."""
    file = tmp_path / "page.html"
    file.write_text(document("one"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    page = built(file)
    assert built(file) is page
    assert built(file.relative_to(tmp_path)) is page
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "page.html").write_text(document("two"), encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    assert "two" in built(file.relative_to(tmp_path)).html


@pytest.mark.usefixtures("later")
def test_every_file_counts(tmp_path: Path) -> None:
    """A change of what a page names is a change of the page."""
    file, style = tmp_path / "page.html", tmp_path / "page.css"
    file.write_text('<!doctype html><link rel="stylesheet" href="page.css">', encoding="utf-8")
    style.write_text("p { color: red }", encoding="utf-8")
    page = built(file)
    assert "red" in page.html
    assert built(file) is page
    style.write_text("p { color: tan }", encoding="utf-8")
    assert "tan" in built(file).html


@pytest.mark.usefixtures("later")
def test_another_file_with_the_same_times(tmp_path: Path) -> None:
    """A file that is put in a page's place is noticed, whatever its size and its time say."""
    file, other = tmp_path / "page.html", tmp_path / "other.html"
    for path, text in ((file, "one"), (other, "two")):
        path.write_text(document(text), encoding="utf-8")
        os.utime(path, ns=(1_000_000_000, 1_000_000_000))
    assert "one" in built(file).html
    other.replace(file)
    assert "two" in built(file).html


def test_a_file_that_changed_just_now_is_not_trusted(tmp_path: Path) -> None:
    """Two changes within one tick of a file system's clock leave the same time."""
    file = tmp_path / "page.html"
    file.write_text(document("one"), encoding="utf-8")
    assert built(file) is not built(file)


@pytest.mark.usefixtures("later")
def test_a_file_that_goes_and_comes_back(tmp_path: Path) -> None:
    """An error while it is gone names it; then it is what it is."""
    file = tmp_path / "page.html"
    file.write_text(document("one"), encoding="utf-8")
    built(file)
    file.unlink()
    for _ in range(2):
        with pytest.raises(PageBuildError, match=r"page\.html"):
            built(file)
    assert file in built_files()
    file.write_text(document("two"), encoding="utf-8")
    assert "two" in built(file).html


@pytest.mark.usefixtures("later")
def test_in_a_zip(tmp_path: Path) -> None:
    """What is in a package's archive stays as it is."""
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("pages/page.html", document("one"))
    with zipfile.ZipFile(archive) as opened:
        page = built(zipfile.Path(opened, "pages/page.html"))
        assert "one" in page.html
        assert built(zipfile.Path(opened, "pages/page.html")) is page


@pytest.mark.usefixtures("later")
def test_not_all_of_them_are_kept(tmp_path: Path) -> None:
    """A handler that names another file each time fills no memory; the last ones stay."""
    forget_built()
    for number in range(100):
        file = tmp_path / f"{number}.html"
        file.write_text(document(str(number)), encoding="utf-8")
        built(file)
    assert len(built_files()) == 64
    last = built(file)
    assert built(file) is last
    forget_built()
    assert built(file) is not last
