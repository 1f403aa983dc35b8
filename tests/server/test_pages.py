"""Whatever a page's handler returns, listing and reading give one complete page (both eras)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.apps import AppConfig, ResourceCSP, ResourcePermissions
from fastmcp.resources import (
    FileResource,
    FunctionResource,
    Resource,
    ResourceContent,
    ResourceResult,
    TextResource,
    resource,
)

from mcp_apps_plugin import AppResource, Csp, Permissions, app_resource, ui

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

URI = "ui://w/page"
MIME = "text/html;profile=mcp-app"
HTML = "<!doctype html><title>Ä</title><p>weather</p>"
EMPTY = {
    "csp": {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []}
}
OPTIONS: dict[str, Any] = {
    "csp": Csp(connect_domains=["https://api.example"]),
    "permissions": Permissions(camera=True),
    "domain": "a.example",
    "prefers_border": False,
}
WIRE = {
    "csp": {**EMPTY["csp"], "connectDomains": ["https://api.example"]},
    "permissions": {"camera": {}},
    "domain": "a.example",
    "prefersBorder": False,
}
FILE = Path(__file__).with_name("page.html")

RETURNED = {
    "str": HTML.strip,
    "bytes": lambda: HTML.encode(),  # noqa: PLW0108  not bound to a string
    "bytes with a mark": lambda: b"\xef\xbb\xbf" + HTML.encode(),
    "Path": lambda: FILE,
    "content of str": lambda: ResourceContent(HTML),
    "content of bytes": lambda: ResourceContent(HTML.encode()),
    "content with MIME": lambda: ResourceContent(HTML, mime_type=MIME),
    "content as plain text": lambda: ResourceContent(HTML, mime_type="text/plain"),
    "list of one": lambda: [ResourceContent(HTML)],
    "result of str": lambda: ResourceResult(HTML),
    "result of bytes": lambda: ResourceResult(HTML.encode()),
    "result of one": lambda: ResourceResult([ResourceContent(HTML, meta={"k": 1})]),
}


def handler_of(kind: str) -> Any:
    made = RETURNED[kind]

    def page_handler() -> Any:
        return made()

    return page_handler


async def both(connect: Connect, server: FastMCP[Any], uri: str = URI) -> tuple[Any, Any]:
    """Return the listed resource and the one item that reading gives."""
    async with connect(server) as client:
        (listed,) = [each for each in await client.list_resources() if str(each.uri) == uri]
        (item,) = await client.read_resource(uri)
    return listed, item


def agree(listed: Any, item: Any, expected: dict[str, Any]) -> None:
    assert listed.mime_type == MIME
    assert item.mime_type == MIME
    assert str(item.uri) == str(listed.uri)
    assert listed.meta["ui"] == expected
    assert item.meta["ui"] == expected
    assert item.text == HTML


@pytest.mark.parametrize("kind", RETURNED)
@pytest.mark.parametrize("form", ["@ui", "add_resource", "above", "below", "plain"])
async def test_every_return_type(connect: Connect, kind: str, form: str) -> None:
    """Each return type, declared in each way: one item, exact MIME type, the same `_meta.ui`."""
    server = FastMCP("s")
    handler = handler_of(kind)
    expected = WIRE
    if form == "@ui":
        server.tool(ui(app_resource(URI, **OPTIONS)(handler))(lambda_tool()))
    elif form == "add_resource":
        server.add_resource(app_resource(URI, **OPTIONS)(handler))
    elif form == "above":
        app_resource(**OPTIONS)(server.resource(URI)(handler))
    elif form == "below":
        server.resource(URI)(app_resource(**OPTIONS)(handler))
    else:
        server.resource(URI)(handler)
        expected = EMPTY
    agree(*await both(connect, server), expected)


def lambda_tool() -> Any:
    def show() -> dict[str, int]:
        return {}

    return show


async def test_async_handlers_with_context(connect: Connect) -> None:
    """An async page handler takes FastMCP's `Context`."""
    server = FastMCP("s")

    @app_resource(URI, **OPTIONS)
    async def page(ctx: Context) -> str:
        return HTML if ctx.fastmcp is server else ""

    server.tool(ui(page)(lambda_tool()))
    agree(*await both(connect, server), WIRE)


async def test_registered_handlers_with_context(connect: Connect) -> None:
    """The options of a handler that takes a `Context` are found when its author registers it."""
    server = FastMCP("s")

    @server.resource(URI)
    @app_resource(**OPTIONS)
    def page(ctx: Context) -> str:
        return HTML if ctx.fastmcp is server else ""

    agree(*await both(connect, server), WIRE)


async def test_methods(connect: Connect) -> None:
    """A page may be a static method, declared on both sides."""

    class Pages:
        @app_resource(URI)
        @staticmethod
        def above() -> str:
            return HTML

        @staticmethod
        @app_resource("ui://w/below")
        def below() -> str:
            return HTML

    server = FastMCP("s")
    server.tool(ui(Pages.above)(lambda_tool()))
    server.tool(name="two")(ui(Pages.below)(lambda_tool()))
    agree(*await both(connect, server), EMPTY)
    agree(*await both(connect, server, "ui://w/below"), EMPTY)


async def test_the_stand_alone_resource_decorator(connect: Connect) -> None:
    """`@app_resource` stacks on FastMCP's stand-alone `@resource`, on both sides."""
    for above in (True, False):
        server = FastMCP("s")
        handler = handler_of("str")
        if above:
            made = app_resource(**OPTIONS)(resource(URI)(handler))
        else:
            made = resource(URI)(app_resource(**OPTIONS)(handler))
        assert made is handler
        server.add_resource(made)
        agree(*await both(connect, server), WIRE)


@pytest.mark.parametrize("mime", [None, MIME])
async def test_file_and_text_resources(connect: Connect, mime: str | None) -> None:
    """FastMCP's `FileResource` and `TextResource` are completed like handlers."""
    options = {} if mime is None else {"mime_type": mime}
    for made in (
        FileResource(uri=URI, path=FILE, **options),
        TextResource(uri=URI, text=HTML, **options),
    ):
        server = FastMCP("s")
        server.add_resource(made)
        agree(*await both(connect, server), EMPTY)


@pytest.mark.parametrize("form", ["plain", "above", "below"])
async def test_templates(connect: Connect, form: str) -> None:
    """A page template is completed in its list and in every read."""
    server = FastMCP("s")

    def item(item_id: str) -> str:
        return HTML + item_id

    if form == "above":
        app_resource(**OPTIONS)(server.resource("ui://w/{item_id}")(item))
    elif form == "below":
        server.resource("ui://w/{item_id}")(app_resource(**OPTIONS)(item))
    else:
        server.resource("ui://w/{item_id}")(item)
    expected = EMPTY if form == "plain" else WIRE
    async with connect(server) as client:
        (listed,) = await client.list_resource_templates()
        (read,) = await client.read_resource("ui://w/7")
    assert listed.mime_type == read.mime_type == MIME
    assert listed.meta["ui"] == read.meta["ui"] == expected
    assert read.text == HTML + "7"


async def test_fragments_become_documents(connect: Connect) -> None:
    """A fragment is completed to a document, which a sandboxed frame needs."""
    server = FastMCP("s")
    server.resource(URI)(_fragment())
    _, item = await both(connect, server)
    assert item.text.startswith("<!doctype html><html>")
    assert "<p>hi" in item.text


def _fragment() -> Any:
    def fragment() -> str:
        return "<p>hi</p>"

    return fragment


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        ({"a": 1}, "dict"),
        (None, "NoneType"),
        (3, "int"),
        ("", "empty page"),
        ("  \n", "empty page"),
        (b"\xff\xfe", "not UTF-8"),
        ([], "list"),
        ([HTML], "list"),
        ([ResourceContent(HTML), ResourceContent(HTML)], "2 items"),
        (ResourceResult([ResourceContent(HTML), ResourceContent(HTML)]), "2 items"),
        (ResourceContent(HTML, mime_type="text/html"), "`text/html`"),
        (ResourceContent(HTML, mime_type="text/html; profile=mcp-app"), "MIME type"),
        (ResourceContent({"a": 1}), "MIME type `application/json`"),
    ],
)
async def test_what_is_no_page(connect: Connect, returned: Any, problem: str) -> None:
    """What is no HTML is an error that names the handler, what it returned, and the remedy."""
    server = FastMCP("s")

    def no_page() -> Any:
        return returned

    server.resource(URI)(app_resource(no_page))
    async with connect(server) as client:
        with pytest.raises(Exception, match="no_page") as caught:
            await client.read_resource(URI)
    assert problem in str(caught.value)
    assert "page-content" in str(caught.value)
    assert "Return the HTML as" in str(caught.value)


async def test_a_path_to_nothing(connect: Connect) -> None:
    """A returned path without a file is an error that names handler and file."""
    server = FastMCP("s")

    @server.resource(URI)
    def no_page() -> Any:
        return FILE.with_name("nothing.html")

    async with connect(server) as client:
        with pytest.raises(Exception, match=r"no_page.*nothing\.html.*page-file-missing"):
            await client.read_resource(URI)


async def test_other_resources_are_left_alone(connect: Connect) -> None:
    """A resource that is no page keeps its MIME type, its `_meta` and its items."""
    server = FastMCP("s")
    server.resource("data://x")(handler_of("str"))
    server.resource("data://y", mime_type="text/html")(lambda: ["a"] and "<p>fragment")
    async with connect(server) as client:
        listed = {str(each.uri): each for each in await client.list_resources()}
        assert listed["data://x"].mime_type == "text/plain"
        assert "ui" not in (listed["data://x"].meta or {})
        assert (await client.read_resource("data://y"))[0].text == "<p>fragment"


@pytest.mark.parametrize("give", [dict, "aliases", "models"])
async def test_options_in_every_spelling(connect: Connect, give: Any) -> None:
    """Options are taken from mappings in either case, and from FastMCP's own models."""
    options: dict[str, Any] = {
        "csp": {"connect_domains": ["https://api.example"]},
        "permissions": {"camera": True},
    }
    if give == "aliases":
        options = {
            "csp": {"connectDomains": ["https://api.example"]},
            "permissions": {"camera": {}, "clipboardWrite": False},
        }
    elif give == "models":
        options = {
            "csp": ResourceCSP(connect_domains=["https://api.example"]),
            "permissions": ResourcePermissions(camera={}),
        }
    server = FastMCP("s")
    server.add_resource(app_resource(URI, **options)(handler_of("str")))
    agree(
        *await both(connect, server),
        {"csp": WIRE["csp"], "permissions": {"camera": {}}},
    )


async def test_app_on_a_resource(connect: Connect) -> None:
    """FastMCP's `app=` on a `ui://` resource is completed: explicit `csp`, in list and read."""
    server = FastMCP("s")
    server.resource(
        URI,
        app=AppConfig(
            csp=ResourceCSP(connect_domains=["https://api.example"]),
            permissions=ResourcePermissions(camera={}),
            domain="a.example",
            prefers_border=False,
        ),
    )(handler_of("str"))
    agree(*await both(connect, server), WIRE)


async def test_app_as_a_dict(connect: Connect) -> None:
    """`app={…}` in snake case leaves in camel case, once."""
    server = FastMCP("s")
    server.resource(
        URI, app={"prefers_border": True, "csp": {"frame_domains": ["https://f.example"]}}
    )(handler_of("str"))
    agree(
        *await both(connect, server),
        {"csp": {**EMPTY["csp"], "frameDomains": ["https://f.example"]}, "prefersBorder": True},
    )


async def test_other_meta_stays(connect: Connect) -> None:
    """Keys beside `ui` that an author wrote stay, in the list and in the read item."""
    server = FastMCP("s")

    @app_resource(**OPTIONS)
    @server.resource(URI, meta={"acme/k": 1})
    def page() -> ResourceContent:
        return ResourceContent(HTML, meta={"acme/item": 2})

    listed, item = await both(connect, server)
    agree(listed, item, WIRE)
    assert listed.meta["acme/k"] == 1
    assert item.meta["acme/item"] == 2


async def test_names(connect: Connect) -> None:
    """Name, title and description: what the author said, else from the URI and the docstring."""
    server = FastMCP("s")

    @app_resource("ui://get-time/mcp-app.html")
    def clock() -> str:
        """Show the time."""
        return HTML

    @app_resource("ui://w/named", name="n", title="T", description="D")
    def named() -> str:
        return HTML

    server.tool(ui(clock)(lambda_tool()))
    server.tool(name="b")(ui(named)(lambda_tool()))
    async with connect(server) as client:
        listed = {str(each.uri): each for each in await client.list_resources()}
    clock_page, named_page = listed["ui://get-time/mcp-app.html"], listed["ui://w/named"]
    assert (clock_page.name, clock_page.title) == ("Get Time", "Get Time")
    assert clock_page.description == "Show the time."
    assert (named_page.name, named_page.title, named_page.description) == ("n", "T", "D")


async def test_a_page_registered_by_its_author_is_served_once(connect: Connect) -> None:
    """A page that is linked and registered with `add_resource` is listed once."""
    server = FastMCP("s")
    page = app_resource(URI, **OPTIONS)(handler_of("str"))
    server.add_resource(page)
    server.tool(ui(page)(lambda_tool()))
    agree(*await both(connect, server), WIRE)


async def test_html_of_a_function(connect: Connect) -> None:
    """A function that returns `None` serves its `html=`."""
    server = FastMCP("s")

    @app_resource(URI, html="page.html", **OPTIONS)
    def page() -> None:
        return None

    server.tool(ui(page)(lambda_tool()))
    agree(*await both(connect, server), WIRE)


async def test_subclasses_of_resource(connect: Connect) -> None:
    """A resource class of the author's own is completed, too."""

    class Own(Resource):
        async def read(self) -> str:
            return HTML

    server = FastMCP("s")
    server.add_resource(Own(uri=URI, name="own"))
    agree(*await both(connect, server), EMPTY)


async def test_function_resources(connect: Connect) -> None:
    """`Resource.from_function` makes a page like any other."""
    server = FastMCP("s")
    server.add_resource(FunctionResource.from_function(handler_of("bytes"), uri=URI))
    agree(*await both(connect, server), EMPTY)


async def test_app_resource_objects(connect: Connect) -> None:
    """An `AppResource` from a file: exact bytes, same item, read once."""
    server = FastMCP("s")
    server.tool(ui(AppResource(URI, html="page.html", **OPTIONS))(lambda_tool()))
    agree(*await both(connect, server), WIRE)
