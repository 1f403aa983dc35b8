"""Finding and starting Chromium, with the reason in words where that cannot be."""

from __future__ import annotations

import os
import shutil
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from playwright.async_api import Browser

_PLACES: Final = (
    # The program itself before its wrapper, which reads settings of the desktop.
    "/usr/lib/chromium/chromium",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
VARIABLE: Final = "MCP_APPS_CHROMIUM"
"""The environment variable that names the program to start."""

_ARGUMENTS: Final = (
    # A sandboxed `srcdoc` in a process of its own may run before the observer is in place. The
    # last list of features wins, so what matters of Playwright's own stands here again.
    "--disable-features=IsolateSandboxedIframes,Translate,HttpsUpgrades,MediaRouter",
    "--force-color-profile=srgb",
)


class BrowserUnavailableError(Exception):
    """There is no browser to open pages in. The message says what is missing."""


def chromium_path() -> str | None:
    """Return the system's Chromium, or `None` to let Playwright look for its own."""
    named = os.environ.get(VARIABLE)
    if named:
        return named
    found = next((place for place in _PLACES if Path(place).exists()), None)
    return found or next((path for name in _NAMES if (path := shutil.which(name))), None)


def missing_browser() -> str | None:
    """Say what is missing to open pages, without starting anything; `None` if nothing is known."""
    if find_spec("playwright") is None:
        return "needs Playwright: pip install 'mcp-apps-plugin[browser]'"
    path = chromium_path()
    if path is None or not Path(path).exists():
        return f"needs Chromium: install the system's, or name one in {VARIABLE}"
    return None


@asynccontextmanager
async def chromium() -> AsyncGenerator[Browser]:
    """Start Chromium.

    Raises:
        BrowserUnavailableError: Playwright is not installed, or no Chromium starts.
    """
    try:
        from playwright.async_api import Error, async_playwright  # noqa: PLC0415  an extra
    except ImportError:
        message = "Playwright is not installed: pip install 'mcp-apps-plugin[browser]'"
        raise BrowserUnavailableError(message) from None
    # Chromium refuses its own sandbox to the superuser, as in containers.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    async with async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(
                executable_path=chromium_path(),
                args=list(_ARGUMENTS),
                chromium_sandbox=not is_root,
            )
        except Error as error:
            said = str(error).strip().partition("\n")[0]
            message = (
                f"no Chromium starts ({said}): install the system's, name one in {VARIABLE}, or "
                "run `playwright install chromium`"
            )
            raise BrowserUnavailableError(message) from None
        try:
            yield browser
        finally:
            await browser.close()
