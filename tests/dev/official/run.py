"""Official example servers, in Node, opened in the dev host by `--url`, used, and pictured.

Not part of the default run: it installs twenty npm packages and takes some minutes.

    npm install --prefix tests/dev/official
    python tests/dev/official/run.py PICTURES [NAME ...]
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import sys
import tempfile
import time
from pathlib import Path

from playwright.async_api import async_playwright

HERE = Path(__file__).parent
PACKAGES = HERE / "node_modules" / "@modelcontextprotocol"
CHROMIUM = ("/usr/lib/chromium/chromium", "/usr/bin/chromium")
SECONDS = 60
LAST_WORDS = 12
# What to press in each page. The others show themselves, or call their server unasked. Not Vue's:
# its reactive proxy asks the window above for a property, which no other origin's window answers.
PRESSED = {
    "basic-preact": "Get Server Time",
    "basic-react": "Get Server Time",
    "basic-solid": "Get Server Time",
    "basic-svelte": "Get Server Time",
    "basic-vanillajs": "Get Server Time",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class NotThereError(Exception):
    """A server that cannot be had, and why."""


async def end(process):
    """End a process, if it has not ended by itself."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    await process.wait()


@contextlib.asynccontextmanager
async def example(name, *files):
    """Run one server in Node, with files it may show; yield its address."""
    program = PACKAGES / f"server-{name}" / "dist" / "index.js"
    if not program.exists():
        message = f"it is not installed: there is no {program.relative_to(HERE)}"
        raise NotThereError(message)
    port = free_port()
    with tempfile.TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            *("node", program, *files),
            env={**os.environ, "PORT": str(port)},
            stdout=said,
            stderr=said,
        )
        try:
            await listening(process, port)
            yield f"http://localhost:{port}/mcp"
        except Exception as error:
            if process.returncode is None:
                raise
            # Whatever went wrong then, this is why.
            said.seek(0)
            words = said.read().decode(errors="replace").strip().splitlines()[-LAST_WORDS:]
            head = f"it ended by itself with code {process.returncode}; it said last:"
            raise NotThereError("\n    ".join([head, *words])) from error
        finally:
            await end(process)


async def listening(process, port):
    """Wait until a server listens."""
    async with asyncio.timeout(SECONDS):
        while process.returncode is None:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("localhost", port)
                writer.close()
                return
            await asyncio.sleep(0.1)
    message = "it does not listen"
    raise NotThereError(message)


@contextlib.asynccontextmanager
async def dev_host(url):
    """Run `mcp-apps dev --url`; yield the address of its window."""
    command = Path(sys.executable).with_name("mcp-apps")
    process = await asyncio.create_subprocess_exec(
        command, "dev", "--url", url, "--port", str(free_port()), stdout=asyncio.subprocess.PIPE
    )
    try:
        address = ""
        async with asyncio.timeout(SECONDS):
            while b"ready after" not in (line := await process.stdout.readline()):
                address = (re.findall(r"open (\S+)", line.decode()) or [address])[0]
        yield address
    finally:
        await end(process)


async def show(browser, name, pictures):
    """Show one server's page, use it, picture it; return a line of the table."""
    files = [await paper(browser, pictures)] if name == "pdf" else []
    async with example(name, *files) as url, dev_host(url) as address:
        tab = await browser.new_page(viewport={"width": 1440, "height": 900})
        try:
            return await use(tab, name, address, files)
        finally:
            await tab.screenshot(path=pictures / f"{name}.png")
            await tab.close()


async def paper(browser, folder):
    """Print a file to show: the one that the server shows by default is on the network."""
    tab = await browser.new_page()
    await tab.set_content("<h1>A paper</h1><p>Printed for the viewer.")
    await tab.pdf(path=folder / "paper.pdf")
    await tab.close()
    return folder / "paper.pdf"


def listen(tab, name, address):
    """Print what goes wrong, and whether in the page or in the window around it."""
    origin = "/".join(address.split("/")[:3])

    def tell(text, url=""):
        who = "WINDOW" if url.startswith(origin) else "page"
        print(f"    {name}, {who}: {text.splitlines()[0][:200]}")

    tab.on("console", lambda said: said.type == "error" and tell(said.text, said.location["url"]))
    tab.on("pageerror", lambda error: tell(f"{error} {error.stack or ''}".replace("\n", " ")))


async def use(tab, name, address, files):
    """Run the server's tool, press what is to be pressed; return a line of the table."""
    tab.set_default_timeout(SECONDS * 1000)
    listen(tab, name, address)
    await tab.goto(address)
    await tab.wait_for_selector(".state.ready")
    await tab.click("[role=option]:has(.dot) >> nth=0")
    tool = await tab.get_attribute("[aria-selected=true]", "data-name")
    for file in files:
        await tab.fill("#tool .field input >> nth=0", str(file))
    began = time.perf_counter()
    await tab.click("button.primary")
    await tab.wait_for_selector(".identity .badge")
    took = time.perf_counter() - began
    app = await tab.inner_text(".identity")
    await tab.wait_for_selector(".status .badge")
    inner = tab.frame_locator("iframe.app").frame_locator("iframe")
    used = "shown"
    if label := PRESSED.get(name):
        before = await messages(tab)
        await inner.get_by_role("button", name=label).first.click()
        await tab.wait_for_function(
            "count => document.querySelectorAll('.wire > li').length > count", arg=before
        )
        used = f"pressed {label!r}"
    allow = tab.locator("#notice button", has_text="Let it read")
    await asyncio.sleep(3)
    if await allow.is_visible():
        used = await allow.inner_text()
        await allow.click()
        await asyncio.sleep(3)
    text = await inner.locator("body").inner_text()
    violations = await tab.locator(".violation").count()
    wire = await messages(tab)
    version = json.loads((PACKAGES / f"server-{name}/package.json").read_text())["version"]
    return (name, version, tool, app, f"{took * 1000:.0f} ms", used, len(text), wire, violations)


async def messages(tab) -> int:
    """Count the recorded messages."""
    return await tab.locator(".wire > li").count()


async def main(pictures: Path, names: list[str]) -> int:
    """Show them one after the other; return the exit code."""
    pictures.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240
    names = names or sorted(each.name.removeprefix("server-") for each in PACKAGES.glob("server-*"))
    failed = 0
    heads = ("server", "version", "tool", "app", "ready", "used", "text", "messages", "blocked")
    print(" | ".join(heads))
    chromium = next(path for path in CHROMIUM if Path(path).exists())  # noqa: ASYNC240
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--use-gl=swiftshader"]
        )
        for name in names:
            try:
                line = await show(browser, name, pictures)
            except NotThereError as error:
                failed += 1
                line = (name, f"NOT THERE: {error}")
            except Exception as error:  # noqa: BLE001  the table says it
                failed += 1
                line = (name, f"FAILED: {type(error).__name__}: {error}".splitlines()[0])
            print(" | ".join(str(cell) for cell in line), flush=True)
        await browser.close()
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]), sys.argv[2:])))
