"""Defaults for pages: the page's own list, then the server's, then the environment's."""

from __future__ import annotations

from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.apps import AppConfig, ResourceCSP

from mcp_apps_plugin import AppsExtension, AppsValueError, Code, ResourceUi, app_resource, ui

URI = "ui://w/page"


def page_of(**options: Any) -> Any:
    @app_resource(URI, **options)
    def page() -> str:
        return "<p>"

    return page


async def ui_of(server: FastMCP[Any], page: Any = None) -> dict[str, Any]:
    if page is not None:
        server.add_resource(page)
    async with Client(server) as client:
        (listed,) = await client.list_resources()
        (item,) = await client.read_resource(URI)
    assert listed.meta["ui"] == item.meta["ui"]
    return listed.meta["ui"]


async def test_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Per list: the page, then `AppsExtension(defaults=…)`, then `MCP_APPS_CSP_*`."""
    monkeypatch.setenv("MCP_APPS_CSP_CONNECT_DOMAINS", "https://env1.example, https://env2.example")
    monkeypatch.setenv("MCP_APPS_CSP_FRAME_DOMAINS", "https://env.example")
    monkeypatch.setenv("MCP_APPS_CSP_BASE_URI_DOMAINS", "https://env.example")
    server = FastMCP("s")
    defaults = {
        "csp": {
            "resource_domains": ["https://server.example"],
            "frame_domains": ["https://server.example"],
            "base_uri_domains": ["https://server.example"],
        },
        "permissions": {"camera": True},
        "prefers_border": True,
        "domain": "server.example",
    }
    server.add_extension(AppsExtension(defaults=defaults))
    page = page_of(csp={"base_uri_domains": ["https://page.example"]}, prefers_border=False)
    assert await ui_of(server, page) == {
        "csp": {
            "connectDomains": ["https://env1.example", "https://env2.example"],
            "resourceDomains": ["https://server.example"],
            "frameDomains": ["https://server.example"],
            "baseUriDomains": ["https://page.example"],
        },
        "permissions": {"camera": {}},
        "prefersBorder": False,
        "domain": "server.example",
    }


@pytest.mark.parametrize("form", ["@ui", "app=", "plain"])
async def test_for_every_page(form: str) -> None:
    """Pages from tools, with FastMCP's `app=` and plain ones have the defaults alike."""
    server = FastMCP("s")
    origins = ["https://server.example"]
    server.add_extension(AppsExtension(defaults=ResourceUi(csp={"connect_domains": origins})))
    if form == "@ui":

        @server.tool
        @ui(page_of())
        def show() -> dict[str, int]:
            return {}

    else:
        app = AppConfig(csp=ResourceCSP(frame_domains=["https://f.example"]))
        server.resource(URI, **({"app": app} if form == "app=" else {}))(lambda: "<p>")
    assert (await ui_of(server))["csp"] == {
        "connectDomains": origins,
        "resourceDomains": [],
        "frameDomains": ["https://f.example"] if form == "app=" else [],
        "baseUriDomains": [],
    }


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("MCP_APPS_CSP_CONNECT_DOMAINS", "https://ok.example api.example", "`api.example`"),
        ("MCP_APPS_CSP_RESOURCE_DOMAINS", "https://a;script-src", "`https://a;script-src`"),
        ("MCP_APPS_AUDIT", "loud", "MCP_APPS_AUDIT"),
        ("MCP_APPS_STRICT", "perhaps", "MCP_APPS_STRICT"),
        ("MCP_APPS_PAGE_BUDGET", "big", "MCP_APPS_PAGE_BUDGET"),
    ],
)
def test_wrong_variables(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, problem: str
) -> None:
    """A wrong variable is named, with what is wrong."""
    from mcp_apps_plugin.settings import read_settings

    monkeypatch.setenv(name, value)
    with pytest.raises(AppsValueError) as caught:
        read_settings()
    assert caught.value.code == Code.SETTINGS_INVALID
    assert problem in str(caught.value)
    assert name in str(caught.value)


def test_empty_variables_are_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable counts as unset; a list takes commas and white space."""
    from mcp_apps_plugin.settings import read_settings

    for name in ("STRICT", "AUDIT", "PLUGINS", "PAGE_BUDGET", "CSP_FRAME_DOMAINS"):
        monkeypatch.setenv(f"MCP_APPS_{name}", "")
    settings = read_settings()
    assert (settings.strict, settings.audit, settings.plugins) == (False, "error", None)
    monkeypatch.setenv("MCP_APPS_PLUGINS", "one,two  three")
    assert read_settings().plugins == ("one", "two", "three")
