"""What type checkers see of the decorators: a function stays what it was."""

from typing import Any, assert_type

from fastmcp import Context, FastMCP

from mcp_apps_plugin import (
    AppResource,
    AppsExtension,
    AuditReport,
    Csp,
    Permissions,
    Support,
    app_resource,
    attach_ui,
    audit,
    call_id,
    client_ui_settings,
    supports_apps,
    ui,
)

mcp = FastMCP[Any]("Typed", extensions=[AppsExtension(audit="warn")])


@app_resource("ui://typed/page", csp=Csp(connect_domains=("https://api.example.com",)))
async def page() -> str:
    return "<p>"


@app_resource
def bare() -> bytes:
    return b"<p>"


@ui("ui://typed/file", html="page.html", permissions=Permissions(camera=True), text="{result}")
def linked(city: str, days: int = 1) -> int:
    return len(city) + days


@ui(page, visibility=["app"], fallback=lambda result: f"{result}")
async def refresh(ctx: Context) -> dict[str, Any]:
    assert_type(supports_apps(ctx), Support)
    assert_type(call_id(ctx), int | str)
    assert_type(client_ui_settings(), dict[str, Any] | None)
    return {}


async def use() -> None:
    assert_type(linked("Oslo", days=2), int)
    assert_type(await page(), str)
    assert_type(bare(), bytes)
    assert_type(await audit(mcp), AuditReport)
    assert_type(AppResource("ui://typed/other", html="page.html").uri, str | None)
    attach_ui(mcp, {"list_*": page, "other": "ui://typed/file"})
    linked(1)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    ui("ui://typed/page", visibility="nobody")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
