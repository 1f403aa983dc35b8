"""Folders of files to build pages from, and a real browser to look at the pages."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mcp_apps_plugin.view import BuiltPage, build_page
from mcp_apps_plugin.view.assets import media_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: The policy of the strictest hosts: inline text only, nothing from anywhere.
STRICT = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; media-src data:; connect-src 'none'"
)
_CHROMIUM = ("/usr/lib/chromium/chromium", "/usr/bin/chromium")
_PIXEL = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx"
    b"\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82"
)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Write files into a folder of their own."""

    def write_files(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            path = tmp_path / "page" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / "page"

    return write_files


@pytest.fixture
def build(write: Callable[[Mapping[str, str | bytes]], Path]) -> Callable[..., BuiltPage]:
    """Build `page.html`, given as a string, among other files."""

    def build_files(
        html: str | bytes, files: Mapping[str, str | bytes] | None = None, **options: Any
    ) -> BuiltPage:
        return build_page(write({"page.html": html, **(files or {})}) / "page.html", **options)

    return build_files


@pytest.fixture(scope="session")
def pixel() -> bytes:
    """The smallest PNG."""
    return _PIXEL


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real Chromium; the test is skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    found = next((path for path in _CHROMIUM if Path(path).exists()), None)
    if found is None:
        pytest.skip("needs Chromium")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield chromium
        chromium.close()


class Site:
    """What a small server answers."""

    def __init__(self) -> None:
        """Answer nothing yet."""
        self.documents: dict[str, str] = {}
        self.folder: Path | None = None
        self.asked: list[str] = []
        self.url = ""


@pytest.fixture
def site() -> Iterator[Site]:
    """A server with documents under the strict policy, and a folder without any policy."""
    answers = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.partition("?")[0].lstrip("/")
            answers.asked.append(name)
            document = answers.documents.get(name)
            path = answers.folder / name if answers.folder is not None else None
            if document is not None:
                self._answer(document.encode(), "text/html; charset=utf-8", STRICT)
            elif path is not None and path.is_file():
                types = {".js": "text/javascript", ".html": "text/html", ".css": "text/css"}
                self._answer(path.read_bytes(), types.get(path.suffix) or media_type(name), None)
            else:
                self.send_error(404)

        def _answer(self, content: bytes, kind: str, policy: str | None) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            if policy is not None:
                self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    answers.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield answers
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def visit(browser: Any, site: Site) -> Iterator[Callable[[str], dict[str, Any]]]:
    """Open a page and say what its scripts logged, and what went wrong in it."""
    context = browser.new_context()

    def open_page(name: str) -> dict[str, Any]:
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(f"{error.name}: {error.message}"))
        page.on(
            "console",
            lambda message: (
                errors.append(message.text)
                if message.type == "error" and "favicon" not in str(message.location)
                else None
            ),
        )
        page.add_init_script("globalThis.log = [];")
        page.goto(f"{site.url}/{name}", wait_until="load")
        quiet = 0
        while quiet < 4:  # until nothing has been logged for a while
            before = page.evaluate("() => log.length")
            page.wait_for_timeout(40)
            quiet = quiet + 1 if page.evaluate("() => log.length") == before else 0
        return {"log": page.evaluate("() => log"), "errors": errors, "page": page}

    yield open_page
    context.close()
