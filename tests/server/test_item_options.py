"""The `_meta.ui` that a handler puts on the content item itself: in no list, and never lost."""

from __future__ import annotations

import itertools
import logging
from typing import TYPE_CHECKING, Any

import mcp_types
import pytest
from fastmcp import FastMCP
from fastmcp.apps import AppConfig
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.server import create_proxy
from mcp.server import Server
from mcp.server.mcpserver import MCPServer

from mcp_apps_plugin import Csp, app_resource, ui
from mcp_apps_plugin.protocol.versioned import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

URI = "ui://w/page"
MIME = "text/html;profile=mcp-app"
HTML = "<!doctype html><title>Clock</title>"
OPEN: dict[str, list[str]] = {
    "connectDomains": [],
    "resourceDomains": [],
    "frameDomains": [],
    "baseUriDomains": [],
}
DECLARED: dict[str, Any] = {
    "csp": Csp(connect_domains=["https://page.example"], frame_domains=["https://f.example"]),
    "domain": "page.example",
    "prefers_border": False,
}
LISTED = {
    "csp": {
        **OPEN,
        "connectDomains": ["https://page.example"],
        "frameDomains": ["https://f.example"],
    },
    "domain": "page.example",
    "prefersBorder": False,
}
OWN: dict[str, Any] = {
    "csp": {"connectDomains": ["https://item.example"], "resourceDomains": ["https://r.example"]},
    "permissions": {"camera": {}},
    "domain": "item.example",
}
COMPLETE = {
    **OWN,
    "csp": {**OPEN, **OWN["csp"]},
}
FILLED = {
    **COMPLETE,
    "csp": {**COMPLETE["csp"], "frameDomains": ["https://f.example"]},
    "prefersBorder": False,
}


def returned(shape: str, options: Any) -> Any:
    """Return a page with options on its item, in each shape that has place for them."""
    item = ResourceContent(HTML, meta={"ui": options, "acme/k": 1})
    match shape:
        case "content":
            return item
        case "bytes":
            return ResourceContent(HTML.encode(), meta=item.meta)
        case "list":
            return [item]
    return ResourceResult([item], meta={"acme/result": 2})


def make_server(form: str, answer: Callable[[], Any]) -> FastMCP[Any]:
    """Make a server with one page, declared in one of the ways there are."""
    server: FastMCP[Any] = FastMCP("s")

    def page() -> Any:
        return answer()

    def show() -> str:
        return "shown"

    match form:
        case "@ui":
            server.tool(ui(app_resource(URI, **DECLARED)(page))(show))
        case "add_resource":
            server.add_resource(app_resource(URI, **DECLARED)(page))
        case "above":
            app_resource(**DECLARED)(server.resource(URI)(page))
        case "below":
            server.resource(URI)(app_resource(**DECLARED)(page))
        case "template":

            def named(name: str) -> Any:
                return answer() if name == "page" else None

            server.resource("ui://w/{name}")(app_resource(**DECLARED)(named))
        case "meta":
            server.resource(URI, meta={"ui": LISTED})(page)
        case "app":
            server.resource(
                URI,
                app=AppConfig(
                    csp={"connectDomains": ["https://page.example"], **_frames()},
                    domain="page.example",
                    prefers_border=False,
                ),
            )(page)
        case _:
            server.resource(URI)(page)
    return server


def _frames() -> dict[str, list[str]]:
    return {"frameDomains": ["https://f.example"]}


async def look(client: Client[Any], uri: str = URI) -> tuple[Any, Any]:
    """Return what the list has of a page, and its item."""
    listed = [*await client.list_resources(), *await client.list_resource_templates()]
    (item,) = await client.read_resource(uri)
    (page,) = listed
    return page, item


FORMS = ["@ui", "add_resource", "above", "below", "template", "meta", "app", "plain"]
PLACES = [
    *(("alone", shape) for shape in ("content", "bytes", "list", "result")),
    ("mounted", "content"),
    ("proxied", "result"),
]


@pytest.mark.parametrize(("where", "shape"), PLACES)
@pytest.mark.parametrize("form", FORMS)
async def test_the_items_own_go_first(connect: Connect, form: str, shape: str, where: str) -> None:
    """Field by field, before what is declared; what it leaves open is filled from there."""
    server = make_server(form, lambda: returned(shape, OWN))
    uri = URI
    if where == "mounted":
        server, below = FastMCP("root"), server
        server.mount(below, namespace="far")
        uri = "ui://far/w/page"
    elif where == "proxied":
        server = create_proxy(server)
    async with connect(server) as client:
        for _ in range(2):
            page, item = await look(client, uri)
            assert (item.text, item.mime_type) == (HTML, MIME)
            assert page.meta["ui"] == ({"csp": OPEN} if form == "plain" else LISTED)
            assert item.meta == {"acme/k": 1, "ui": COMPLETE if form == "plain" else FILLED}


@pytest.mark.parametrize("form", ["@ui", "below", "template", "meta", "plain"])
@pytest.mark.parametrize("open_", [{}, None, {"csp": {}}, {"csp": {"connectDomains": []}}])
async def test_nothing_on_the_item(connect: Connect, form: str, open_: Any) -> None:
    """An item that says nothing, in whatever words, has what the list has."""
    server = make_server(form, lambda: returned("content", open_))
    async with connect(server) as client:
        page, item = await look(client)
    assert item.meta["ui"] == page.meta["ui"] == ({"csp": OPEN} if form == "plain" else LISTED)


@pytest.mark.parametrize("form", ["@ui", "below", "template", "meta", "plain"])
@pytest.mark.parametrize(
    "written",
    [
        "words",
        ["a"],
        {"acme": 1},
        {"csp": "https://a.example"},
        {"csp": {"connectDomains": ["https://a.example/path"]}},
        {"permissions": {"camera": "yes"}},
    ],
)
async def test_what_is_no_option(connect: Connect, form: str, written: Any) -> None:
    """What cannot be understood is left as its author wrote it: hosts take what they know."""
    server = make_server(form, lambda: returned("result", written))
    async with connect(server) as client:
        _, item = await look(client)
    assert item.text == HTML
    assert item.meta["ui"] == written


async def test_a_list_that_is_no_option(connect: Connect) -> None:
    """Bad options of an undeclared page do not spoil good ones of its item."""
    server: FastMCP[Any] = FastMCP("s")
    server.resource(URI, meta={"ui": {"acme": 1}})(lambda: returned("content", OWN))
    async with connect(server) as client:
        page, item = await look(client)
    assert page.meta["ui"] == {"acme": 1}
    assert item.meta["ui"] == COMPLETE


async def test_each_read_has_its_own(connect: Connect) -> None:
    """What a handler says of one read is for that read alone."""
    numbers = itertools.count(1)

    def answer() -> Any:
        return returned("content", {"domain": f"n{next(numbers)}.example"})

    async with connect(make_server("@ui", answer)) as client:
        items = [(await look(client))[1] for _ in range(3)]
    assert [item.meta["ui"]["domain"] for item in items] == [f"n{n}.example" for n in (1, 2, 3)]


@pytest.mark.parametrize("form", ["@ui", "below"])
async def test_versioned(connect: Connect, form: str, caplog: pytest.LogCaptureFixture) -> None:
    """The hash counts the item's options, and a read that has others is told of."""
    now = dict(OWN)
    server: FastMCP[Any] = FastMCP("s")

    def page() -> Any:
        return returned("content", now)

    if form == "@ui":
        page = app_resource(URI, versioned=True, **DECLARED)(page)
    else:
        page = server.resource(URI)(app_resource(versioned=True, **DECLARED)(page))

    @server.tool
    @ui(page)
    def show() -> str:
        return "shown"

    uri = f"{URI}?v={digest_of(HTML, FILLED)}"
    async with connect(server) as client:
        ((listed,), (tool,)) = await client.list_resources(), await client.list_tools()
        assert str(listed.uri) == tool.meta["ui"]["resourceUri"] == uri
        (item,) = await client.read_resource(uri)
        assert item.meta["ui"] == FILLED
        assert not [each for each in caplog.messages if "page-version" in each]
        now["domain"] = "other.example"
        with caplog.at_level(logging.WARNING):
            (item,) = await client.read_resource(uri)
        assert item.meta["ui"] == FILLED
    assert len([each for each in caplog.messages if "returned another page" in each]) == 1


def make_back_end(listed: Any, item: Any, *, template: bool) -> MCPServer[Any]:
    """Make a server of the SDK's: options in the list, on the item, in both or in neither."""

    def meta(options: Any) -> dict[str, Any]:
        return {} if options is None else {"_meta": {"ui": options}}

    entry = {"name": "page", "mimeType": MIME, **meta(listed)}

    async def list_resources(ctx: Any, params: Any) -> Any:
        del ctx, params
        found = [] if template else [mcp_types.Resource.model_validate({"uri": URI, **entry})]
        return mcp_types.ListResourcesResult(resources=found)

    async def list_templates(ctx: Any, params: Any) -> Any:
        del ctx, params
        page = {"uriTemplate": "ui://w/{name}", **entry}
        found = [mcp_types.ResourceTemplate.model_validate(page)] if template else []
        return mcp_types.ListResourceTemplatesResult(resource_templates=found)

    async def read_resource(ctx: Any, params: Any) -> Any:
        del ctx
        page = {"uri": str(params.uri), "mimeType": MIME, "text": HTML, **meta(item)}
        content = mcp_types.TextResourceContents.model_validate(page)
        return mcp_types.ReadResourceResult(contents=[content])

    server: MCPServer[Any] = MCPServer("sdk")  # what a client connects to, for these handlers
    server._lowlevel_server = Server(
        "sdk",
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
    return server


@pytest.mark.parametrize("template", [False, True])
@pytest.mark.parametrize("where", ["proxy", "mounted", "namespace", "twice"])
@pytest.mark.parametrize("item", [None, OWN, {"acme": 1}])
@pytest.mark.parametrize("listed", [None, {"csp": {"frameDomains": ["https://f.example"]}}])
async def test_back_ends(
    connect: Connect, listed: Any, item: Any, where: str, *, template: bool
) -> None:
    """What a back end said passes as it is, in list and read; the item has the list's, or none."""
    server: FastMCP[Any] = create_proxy(make_back_end(listed, item, template=template))
    uri = URI
    if where == "twice":
        server = create_proxy(server)
    elif where != "proxy":
        below, server = server, FastMCP("root")
        server.mount(below, namespace="far" if where == "namespace" else None)
        uri = "ui://far/w/page" if where == "namespace" else URI
    async with connect(server) as client:
        page, read = await look(client, uri)
    assert (read.text, read.mime_type) == (HTML, MIME)
    assert (page.meta or {}).get("ui") == listed
    assert (read.meta or {}).get("ui") == (listed if item is None else item)
