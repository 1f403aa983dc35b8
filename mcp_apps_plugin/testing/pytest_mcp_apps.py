"""The pytest plugin. Installed as a module of its own, beside the package.

pytest imports every plugin in every run. Importing this package activates it, and costs as much as
importing FastMCP; so what pytest sees is this file alone, under the name `pytest_mcp_apps`, and
the package is imported by the first test that asks for a fixture. Nothing is switched on by itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from fastmcp import Client

    from mcp_apps_plugin.testing import AppsBrowser, AppsHost, ClientKind

KINDS = [(era, apps) for era in ("modern", "legacy") for apps in ("apps", "none", "wrong-mime")]
"""The kinds of client in `mcp_apps_matrix`, in order."""


def _kit(module: str = "testing") -> Any:
    """Import a part of the package, now that a test asks for it."""
    return import_module(f"mcp_apps_plugin.{module}")


@pytest.fixture
def mcp_apps_client() -> Callable[..., AbstractAsyncContextManager[Client[Any]]]:
    """Connect a client of one kind.

    `async with mcp_apps_client(server, era="legacy") as client`; see
    `mcp_apps_plugin.testing.open_client` for the options.
    """
    return cast("Callable[..., AbstractAsyncContextManager[Client[Any]]]", _kit().open_client)


@pytest.fixture(params=KINDS, ids=["-".join(kind) for kind in KINDS])
def mcp_apps_matrix(request: pytest.FixtureRequest) -> ClientKind:
    """Each kind of client in turn: either era, with Apps, without, or with another type.

    `async with mcp_apps_matrix(server) as client` connects one.
    """
    return cast("ClientKind", _kit().ClientKind(*request.param))


@pytest.fixture
def mcp_apps_host() -> type[AppsHost]:
    """Make a host without a browser.

    `async with mcp_apps_host(server) as host`; see `mcp_apps_plugin.testing.AppsHost`.
    """
    return cast("type[AppsHost]", _kit().AppsHost)


@pytest.fixture
def mcp_apps_browser() -> type[AppsBrowser]:
    """Make a host with Chromium.

    `async with mcp_apps_browser(server) as browser`; see `mcp_apps_plugin.testing.AppsBrowser`.
    The test is skipped where Playwright or Chromium is missing.
    """
    missing = _kit("checks.browser.chromium").missing_browser()
    if missing is not None:
        pytest.skip(missing)
    return cast("type[AppsBrowser]", _kit().AppsBrowser)


@pytest.fixture
def mcp_apps_contract() -> Callable[..., Any]:
    """Assert that every tool with a page works in every host.

    `await mcp_apps_contract(server)`; see `mcp_apps_plugin.testing.assert_app_contract`.
    """
    return cast("Callable[..., Any]", _kit().assert_app_contract)
