"""The dev host as its user starts it, its socket without a browser, and its window in one."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import websockets

COMMAND = Path(sys.executable).with_name("mcp-apps")
CHROMIUM = ("/usr/lib/chromium/chromium", "/usr/bin/chromium")
GALLERY = Path(__file__).with_name("gallery.py")
SECONDS = 20
SURROUNDINGS = {"theme": "dark", "locale": "de-DE", "displayMode": "inline"}


@contextmanager
def dev_host(*arguments: str | Path):
    """Run `mcp-apps dev` on free ports; yield the address it prints."""
    command = [COMMAND, "dev", *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    )
    printed = []
    try:
        for line in process.stdout:
            printed.append(line)
            if "ready after" in line or "did not start" in line:
                break
        found = re.search(r"open (http\S+)", "".join(printed))
        assert found, printed
        yield found[1]
    finally:
        process.terminate()
        process.wait(SECONDS)
        process.stdout.close()


@pytest.fixture
def face():
    """Switches a question to its page or its form."""

    async def switch(page, name):
        button = page.locator(".question .segments button", has_text=name)
        # A frame that grows may move the button away between the press and the release.
        while await button.get_attribute("aria-pressed") != "true":
            await button.click()

    return switch


@pytest.fixture
def command():
    """The installed command's file."""
    return COMMAND


@pytest.fixture(scope="module")
def gallery():
    """The dev host with one of everything: its address."""
    with dev_host(GALLERY) as address:
        yield address


@pytest.fixture
def start():
    """Starts a dev host and gives its address."""
    with ExitStack() as stack:
        yield lambda *arguments: stack.enter_context(dev_host(*arguments))


class Window:
    """A window without a browser: what it says, and what it is told."""

    def __init__(self, socket):
        self._socket = socket
        self._unread = []
        self.heard = []

    async def say(self, kind, /, **values):
        """Say something to the dev host."""
        await self._socket.send(json.dumps({"type": kind, **values}))

    async def hear(self, kind, /, **values):
        """Wait until the dev host says something, and return it; all else is kept for later."""
        async with asyncio.timeout(SECONDS):
            at = 0
            while True:
                while at < len(self._unread):
                    message = self._unread[at]
                    if message["type"] == kind and values.items() <= message.items():
                        return self._unread.pop(at)
                    at += 1
                message = json.loads(await self._socket.recv())
                self.heard.append(message)
                self._unread.append(message)

    async def connect(self, **options):
        """Be such a client; return who the server is."""
        self._unread.clear()
        await self.say("connect", **options)
        return (await self.hear("server", state="ready"))["server"]

    async def run(self, tool, **arguments):
        """Start a tool."""
        await self.say("run", tool=tool, arguments=arguments, surroundings=SURROUNDINGS)

    async def outcome(self):
        """Wait for what came of it."""
        return await self.hear("outcome")

    def sent(self, method, channel="server"):
        """Return what was recorded under a method, from the host."""
        return [
            json.loads(each["entry"]["text"])
            for each in self.heard
            if each["type"] == "wire"
            and each["entry"]["method"] == method
            and each["entry"]["channel"] == channel
            and each["entry"]["direction"] == "out"
        ]


def socket_address(address):
    return address.replace("http:", "ws:") + "socket"


@asynccontextmanager
async def open_window(address):
    """Open a window's socket."""
    origin = re.match(r"http://[^/]+", address)[0]
    async with websockets.connect(
        socket_address(address), origin=origin, max_size=None, proxy=None
    ) as socket:
        yield Window(socket)


@pytest.fixture
def another_window():
    """Opens a window's socket, in an `async with`."""
    return open_window


@pytest.fixture
async def window(gallery):
    """One window of the gallery, open."""
    async with open_window(gallery) as opened:
        yield opened


@pytest.fixture
async def chromium():
    """A real Chromium; the test is skipped where there is none."""
    api = pytest.importorskip("playwright.async_api", reason="needs playwright")
    found = next((path for path in CHROMIUM if os.path.exists(path)), None)  # noqa: ASYNC240, PTH110
    if found is None:
        pytest.skip("needs Chromium")
    async with api.async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=found,
            args=["--no-sandbox", "--disable-features=IsolateSandboxedIframes"],
        )
        yield browser
        await browser.close()


@pytest.fixture
async def tab(chromium):
    """Open windows of the dev host in a browser."""

    async def open_tab(address, **options):
        context = await chromium.new_context(
            viewport={"width": 1440, "height": 900}, locale="en-US", **options
        )
        page = await context.new_page()
        page.set_default_timeout(SECONDS * 1000)
        await page.goto(address)
        await page.wait_for_selector(".state.ready")
        return page

    return open_tab
