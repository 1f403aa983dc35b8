"""A component's `meta` once it was listed: still a `dict` that may be copied and pickled."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP
from fastmcp.apps import AppConfig

from mcp_apps_plugin import ui

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

URI = "ui://a/page"


def make_server(how: str, folder: Path) -> FastMCP[Any]:
    server: FastMCP[Any] = FastMCP("s")

    def show() -> str:
        return "shown"

    if how == "@ui":
        page = folder / "page.html"
        page.write_text("<!doctype html><title>A</title>", encoding="utf-8")
        server.tool(meta={"k": {"deep": [1]}})(ui(URI, html=page)(show))
    else:
        server.tool(show, app=AppConfig(resource_uri=URI), meta={"k": {"deep": [1]}})
        server.resource(URI)(lambda: "<!doctype html><title>A</title>")
    return server


@pytest.mark.parametrize("how", ["@ui", "app="])
async def test_pickle(connect: Connect, how: str, tmp_path: Path) -> None:
    """It goes to another process as the `dict` that it shows, with everything in it."""
    server = make_server(how, tmp_path)
    async with connect(server) as client:
        await client.list_tools()
        await client.list_resources()
    for component in (await server.get_tool("show"), await server.get_resource(URI)):
        assert component is not None
        assert "ui" in component.meta
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            read = pickle.loads(pickle.dumps(component.meta, protocol))
            assert type(read) is dict
            assert read == component.meta


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("how", ["@ui", "app="])
async def test_copies(connect: Connect, how: str, make: Any, tmp_path: Path) -> None:
    """A copy knows what its author wrote: on another server it is written anew from that."""
    server = make_server(how, tmp_path)
    async with connect(server) as client:
        (listed,) = await client.list_tools()
    tool: Any = await server.get_tool("show")
    meta = make(tool.meta)
    assert meta == tool.meta
    assert meta is not tool.meta
    assert type(meta) is type(tool.meta)
    assert meta.original == tool.meta.original
    assert (meta["k"] is tool.meta["k"]) is (make is copy.copy)
    other: FastMCP[Any] = FastMCP("other")
    other.add_tool(tool.model_copy(update={"meta": meta}))
    if how == "app=":
        other.resource(URI)(lambda: "<!doctype html><title>B</title>")
    async with connect(other) as client:
        (again,) = await client.list_tools()
    assert again.meta == listed.meta
    async with connect(server) as client:
        assert (await client.list_tools())[0].meta == listed.meta
