"""What every test may use: clients of both eras, the raw wire, and processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from fastmcp import Client, FastMCP
from hypothesis import HealthCheck, settings
from mcp.client.extension import advertise

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from contextlib import AbstractAsyncContextManager

# How fast a shared machine makes examples says nothing of the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

EXTENSION = "io.modelcontextprotocol/ui"
PAGE = "text/html;profile=mcp-app"
MODERN = "2026-07-28"
IMAGES = Path(__file__).parent.parent / "docs" / "images"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what takes the pictures of the documentation anew."""
    parser.addoption("--screenshots", action="store_true", help="renew the pictures in docs/images")


@pytest.fixture
def picture(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """Say where a picture goes: a temporary folder, or with `--screenshots` where it is shown."""

    def file(name: str) -> Path:
        shown = IMAGES / name
        renew = request.config.getoption("screenshots") and shown.exists()
        return shown if renew else tmp_path / name

    return file


@pytest.fixture(autouse=True)
def _leaves_no_trace() -> Iterator[None]:
    """Fail a test that leaves the process patched otherwise than it found it."""
    from mcp_apps_plugin import is_active
    from mcp_apps_plugin.plugins import plugins

    def state() -> tuple[object, ...]:
        environment = {k: v for k, v in os.environ.items() if k.startswith("MCP_APPS")}
        return is_active(), FastMCP.__init__, environment, [i.name for i in plugins().infos()]

    before = state()
    yield
    assert state() == before


@pytest.fixture(params=["modern", "legacy"])
def era(request: pytest.FixtureRequest) -> str:
    """Both eras of the protocol, one after the other."""
    return request.param


@pytest.fixture
def connect(era: str) -> Callable[..., Client[Any]]:
    """Make an in-memory client of one era; `apps` is what it declares for MCP Apps."""

    def make(server: Any, *, apps: Mapping[str, Any] | None = None, **options: Any) -> Client[Any]:
        if apps is not None:
            options["extensions"] = [advertise(EXTENSION, dict(apps))]
        return Client(server, mode="legacy" if era == "legacy" else "auto", **options)

    return make


@dataclass
class Wire:
    """Requests as raw JSON over one HTTP connection of one protocol version."""

    http: httpx2.AsyncClient
    version: str
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    session: dict[str, str] = field(default_factory=dict)
    negotiated: dict[str, Any] = field(default_factory=dict)

    async def start(self) -> None:
        """Negotiate: a handshake, or `server/discover`."""
        if self.version == MODERN:
            self.negotiated = (await self.send("server/discover"))["result"]
            return
        hello = {
            "protocolVersion": self.version,
            "capabilities": dict(self.capabilities),
            "clientInfo": {"name": "wire", "version": "1"},
        }
        answer = await self._post({"id": "hello", "method": "initialize", "params": hello})
        self.negotiated = answer.json()["result"]
        if session := answer.headers.get("mcp-session-id"):
            self.session = {"mcp-session-id": session}
        await self._post({"method": "notifications/initialized"})

    async def send(self, method: str, request_id: int | str = 1, **params: Any) -> dict[str, Any]:
        """Send one request; return the whole answer."""
        return (await self.post(method, request_id, **params)).json()

    async def post(self, method: str, request_id: int | str = 1, **params: Any) -> httpx2.Response:
        """Send one request; return the HTTP response."""
        headers = {}
        if self.version == MODERN:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": dict(self.capabilities),
            }
            headers["mcp-method"] = method
            if name := params.get("name") or params.get("uri"):
                headers["mcp-name"] = name
        return await self._post({"id": request_id, "method": method, "params": params}, headers)

    async def _post(
        self, message: dict[str, Any], headers: Mapping[str, str] | None = None
    ) -> httpx2.Response:
        sent = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self.version,
            **self.session,
            **(headers or {}),
        }
        answer = await self.http.post("/mcp", json={"jsonrpc": "2.0", **message}, headers=sent)
        assert answer.status_code in {200, 202}, answer.text
        return answer


@pytest.fixture
def wire() -> Callable[..., AbstractAsyncContextManager[Wire]]:
    """Serve a server over HTTP without a socket, and talk to it in raw JSON."""

    @contextlib.asynccontextmanager
    async def open_wire(
        server: FastMCP[Any],
        version: str = MODERN,
        *,
        stateless: bool = False,
        capabilities: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[Wire]:
        app = server.http_app(json_response=True, stateless_http=stateless)
        transport = httpx2.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http,
        ):
            opened = Wire(http, version, capabilities or {})
            await opened.start()
            yield opened

    return open_wire


@pytest.fixture
def run_python(tmp_path: Path) -> Callable[..., Any]:
    """Run a program in a process of its own; it prints JSON, which is returned."""

    def run(
        code: str, *, env: Mapping[str, str] | None = None, warnings: str = "error", fails: str = ""
    ) -> Any:
        program = tmp_path / "program.py"
        program.write_text(textwrap.dedent(code), encoding="utf-8")
        path = [str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")]
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("MCP_APPS")},
            "PYTHONPATH": os.pathsep.join(each for each in path if each),
            **(env or {}),
        }
        done = subprocess.run(
            [sys.executable, "-W", warnings, str(program)],
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env=environment,
            text=True,
            timeout=120,
        )
        if fails:
            assert done.returncode != 0
            assert fails in done.stderr
            return done.stderr
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., None]:
    """Install a distribution with one module for the processes of `run_python`."""

    def write(
        name: str, code: str, *, version: str = "1.0", entry: str = "", module: str = ""
    ) -> None:
        module = module or name.replace("-", "_")
        site = tmp_path / "site"
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (site / f"{module}.py").write_text(textwrap.dedent(code), encoding="utf-8")
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
        )
        (info / "entry_points.txt").write_text(
            f"[mcp_apps_plugin]\n{entry or name} = {module}\n", encoding="utf-8"
        )

    return write


@pytest.fixture(scope="session")
def company_plugin(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """The example of a second distribution, installed by pip into a folder of its own."""
    target = tmp_path_factory.mktemp("company")
    source = request.config.rootpath / "examples" / "company_plugin"
    # hatchling is here for this package's own build; nothing is fetched.
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--quiet"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target)]
    subprocess.run([*command, str(source)], check=True)
    return target
