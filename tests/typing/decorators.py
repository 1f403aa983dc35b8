"""What type checkers know of the decorators: a handler keeps its type. Checked, never run.

Run `mypy --strict tests/typing` and `pyright tests/typing`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, assert_type

from fastmcp import Context, FastMCP
from fastmcp.apps import ResourceCSP
from fastmcp.tools import Tool

from mcp_apps_plugin import (
    AppResource,
    AppsExtension,
    AuditReport,
    Csp,
    Permissions,
    ResourceUi,
    Support,
    app_resource,
    attach_ui,
    audit,
    call_id,
    client_ui_settings,
    supports_apps,
    ui,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Weather(TypedDict):
    city: str
    high: float


@app_resource("ui://weather/map", csp=Csp(connect_domains=("https://api.example",)))
def weather_map() -> str:
    return ""


@app_resource("ui://weather/list")
def weather_list(city: str = "Bern") -> str:
    return city


listed: str = weather_list(city="Oslo")
ORIGINS = Csp(connect_domains=["https://api.example"], resource_domains=["https://cdn.example"])


@app_resource
async def later(ctx: Context) -> bytes:
    return ctx.request_id.encode()


@ui("ui://weather/page", html="page.html", text="{city}", permissions=Permissions(camera=True))
def get_weather(city: str, days: int = 3) -> Weather:
    return {"city": city, "high": float(days)}


@ui(weather_map, fallback=str, visibility=["model", "app"])
async def show_map(city: str) -> Weather:
    return {"city": city, "high": 1.0}


@ui(AppResource("ui://a/b", html=Path("/x.html"), csp=ResourceCSP()), visibility="app")
def with_resource() -> None: ...


@ui(html=files("mcp_apps_plugin") / "x.html", csp={"connect_domains": []}, prefers_border=True)
def with_package_file() -> None: ...


class Station:
    @ui(weather_map)
    def read(self, city: str) -> Weather:
        """Read one station."""
        return {"city": city, "high": 1.0}

    @staticmethod
    @ui(weather_map)
    def fixed(city: str) -> Weather:
        """Read the one station."""
        return {"city": city, "high": 1.0}


def functions() -> None:
    assert_type(get_weather("Bern"), Weather)
    assert_type(get_weather("Bern", days=2), Weather)
    assert_type(weather_map(), str)
    assert_type(Station().read("Bern"), Weather)
    assert_type(Station.fixed("Bern"), Weather)
    plain: Callable[[str], Awaitable[Weather]] = show_map
    assert plain is show_map
    # A wrong argument stays an error: the ignore would be unused if it were none.
    get_weather(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ui("ui://a/b", visibility="nobody")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def others(server: FastMCP[Any], tool: Tool) -> None:
    assert_type(ui(weather_map)(tool), Tool)
    assert_type(await later(Context(server)), bytes)
    assert_type(await show_map("Bern"), Weather)
    assert_type(await audit(server), AuditReport)
    assert_type(supports_apps(), Support)
    assert_type(call_id(), int | str)
    assert_type(client_ui_settings(), dict[str, Any] | None)
    attach_ui(server, {"list_*": weather_map, "a": "ui://a/b", "b": AppResource(html="x.html")})
    server.add_extension(AppsExtension(defaults=ResourceUi(csp=Csp()), audit="warn"))
