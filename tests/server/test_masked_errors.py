"""`mask_error_details=True` counts for pages, too: the client reads a code, the log the whole."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.server import create_proxy

from mcp_apps_plugin import AppsExtension, Page, app_resource, ui

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

URI = "ui://a/page"
CODES = {
    "file": "page-file-missing",
    "Path": "page-file-missing",
    "Page": "page-file-missing",
    "content": "page-content",
    "undeclared": "page-file-missing",
    "template": "page-content",
}


def make_server(kind: str, missing: Path, **options: Any) -> FastMCP[Any]:
    """Make a server with one page that cannot be served."""
    server: FastMCP[Any] = FastMCP("s", **options)
    server.add_extension(AppsExtension(audit="off"))

    def no_page() -> Any:
        match kind:
            case "content":
                return 3
            case "Page":
                return Page(missing)
        return missing

    match kind:
        case "file":

            @server.tool
            @ui(URI, html=missing)
            def show() -> str:
                return "shown"

        case "undeclared":
            server.resource(URI)(no_page)
        case "template":

            @server.resource("ui://a/{name}")
            @app_resource
            def named_page(name: str) -> Any:
                return len(name)

        case _:
            server.resource(URI)(app_resource(no_page))
    return server


@pytest.mark.parametrize("where", ["alone", "mounted", "proxied"])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("kind", CODES)
async def test_the_client_reads_no_details(
    connect: Connect,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    kind: str,
    where: str,
    *,
    masked: bool,
) -> None:
    """No path and no name of a function; the code is there, and the log has all of it."""
    missing = tmp_path / "missing.html"
    server = make_server(kind, missing, mask_error_details=masked)
    uri = URI
    if where == "mounted":
        below, server = server, FastMCP("root", mask_error_details=masked)
        server.add_extension(AppsExtension(audit="off"))
        server.mount(below, namespace="far")
        uri = "ui://far/a/page"
    elif where == "proxied":
        server = create_proxy(server)
    logging.getLogger("fastmcp").addHandler(caplog.handler)
    try:
        async with connect(server) as client:
            with pytest.raises(Exception, match=CODES[kind]) as caught:
                await client.read_resource(uri)
    finally:
        logging.getLogger("fastmcp").removeHandler(caplog.handler)
    said = str(caught.value)
    details = ["int, which is no HTML" if CODES[kind] == "page-content" else "missing.html"]
    if kind == "file":
        details.append(str(tmp_path))
    details.append({"file": "show", "template": "named_page"}.get(kind, "no_page"))
    for detail in details:
        assert (detail in said) is not masked
        assert detail in caplog.text
    if masked:  # by the server that has the page, as FastMCP's own
        assert said == f"Error reading resource {URI!r} [{CODES[kind]}]"


async def test_a_masking_parent(connect: Connect, tmp_path: Path) -> None:
    """What masks in front of a server that does not, masks its pages' errors as well."""
    below = make_server("file", tmp_path / "missing.html")
    root: FastMCP[Any] = FastMCP("root", mask_error_details=True)
    root.add_extension(AppsExtension(audit="off"))
    root.mount(below)
    async with connect(root) as client:
        with pytest.raises(Exception, match="page-file-missing") as caught:
            await client.read_resource(URI)
    assert str(tmp_path) not in str(caught.value)


async def test_within_a_tool(connect: Connect, tmp_path: Path) -> None:
    """A tool that reads a page says no more of it."""
    server = make_server("file", tmp_path / "missing.html", mask_error_details=True)

    @server.tool
    async def read(ctx: Context) -> str:
        return str(await ctx.read_resource(URI))

    async with connect(server) as client:
        result = await client.call_tool("read", {}, raise_on_error=False)
    assert result.is_error
    assert str(tmp_path) not in result.content[0].text
