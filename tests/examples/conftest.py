"""The examples, started as a user would, and shown in a real Chromium by this package's host."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from fastmcp import Client

from mcp_apps_plugin.host import (
    OUTER_SANDBOX,
    AppBridge,
    Callbacks,
    apps_client_extension,
    proxy_page,
    resolve_page,
    sandbox_headers,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
HOST, SANDBOX = "http://host.test", "http://sandbox.test"
CHROMIUM = ("/usr/lib/chromium/chromium", "/usr/bin/chromium")
HOST_PAGE = f"""<!doctype html><style>
html {{ color-scheme: light dark }} body {{ margin: 0 }} iframe {{ border: 0; width: 100% }}
</style><iframe sandbox="{OUTER_SANDBOX}" src="{SANDBOX}/"></iframe><script>
const frame = document.querySelector("iframe");
addEventListener("message", (e) => e.source === frame.contentWindow && toBridge(e.data));
const toView = (message) => frame.contentWindow.postMessage(message, "{SANDBOX}");
</script>"""


@pytest.fixture
def examples() -> Path:
    """The folder of the examples."""
    return EXAMPLES


@pytest.fixture
def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def running():
    """Start a command that serves HTTP; gives its URL once it answers."""

    @contextmanager
    def start(command: list[str], port: int, **environment: str):
        process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            deadline = time.monotonic() + 30
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    if process.poll() is not None or time.monotonic() > deadline:
                        process.kill()
                        pytest.fail(f"{command} did not start:\n{process.communicate()[1]}")
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.communicate(timeout=20)

    return start


@pytest.fixture
def mcp_apps() -> str:
    """The installed command."""
    return str(Path(sys.executable).with_name("mcp-apps"))


@pytest.fixture
def show():
    """Show a tool's page in Chromium, under its own policy: the tab, and the page inside it."""
    api = pytest.importorskip("playwright.async_api", reason="needs playwright")
    chromium = next((path for path in CHROMIUM if Path(path).exists()), None)
    if chromium is None:
        pytest.skip("needs Chromium")

    @asynccontextmanager
    async def showing(server, name, arguments, *, theme="light", width=720, height=900):
        async with (
            Client(server, extensions=[apps_client_extension()]) as client,
            api.async_playwright() as playwright,
        ):
            tool = next(tool for tool in await client.list_tools() if tool.name == name)
            page = await resolve_page(client, tool)
            browser = await playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox"]
            )
            tab = await browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=theme
            )
            asked: list[str] = []

            async def answer(route):
                asked.append(route.request.url)
                if route.request.url == f"{HOST}/":
                    await route.fulfill(body=HOST_PAGE, content_type="text/html")
                elif route.request.url == f"{SANDBOX}/":
                    headers = sandbox_headers(HOST, page.policy)
                    await route.fulfill(body=proxy_page(HOST), headers=headers)
                else:
                    await route.abort()

            async def resize(_width, wanted):
                if wanted is not None:
                    await tab.evaluate("(h) => { frame.style.height = h + 'px' }", wanted)

            await tab.route("**/*", answer)
            context = {"theme": theme, "locale": "en-GB"}
            callbacks = Callbacks(on_size=resize)
            async with AppBridge(
                client, tool, page=page, context=context, callbacks=callbacks
            ) as bridge:
                await tab.expose_function("toBridge", bridge.receive)

                async def deliver():
                    async for message in bridge.outgoing():
                        await tab.evaluate("(message) => toView(message)", message)

                delivering = asyncio.create_task(deliver())
                await tab.goto(f"{HOST}/")
                await bridge.run_tool(arguments)
                yield tab, tab.frame_locator("iframe").frame_locator("iframe")
                await bridge.teardown()
            delivering.cancel()
            await asyncio.wait([delivering])
            await browser.close()
            assert {url for url in asked if "favicon" not in url} == {f"{HOST}/", f"{SANDBOX}/"}

    return showing
