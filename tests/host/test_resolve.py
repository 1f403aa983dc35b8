import mcp_types
import pytest
from fastmcp import Client, FastMCP
from fastmcp.resources import ResourceContent, ResourceResult
from fastmcp.server.middleware import Middleware
from mcp import MCPError

from mcp_apps_plugin.host import PageUnavailableError, resolve_page
from mcp_apps_plugin.host.resolve import _listed_ui
from mcp_apps_plugin.protocol.constants import MIME_TYPE
from mcp_apps_plugin.protocol.csp import DEFAULT_POLICY

HTML = "<!doctype html><p>ø"
URI = "ui://a/page"


@pytest.fixture
def resolve(mode):
    """Serve one page and resolve it through a real client."""

    async def resolving(*contents, listed=None, link=URI, meta=None, mime=MIME_TYPE):
        mcp = FastMCP("a")

        @mcp.tool(meta=meta or {"ui": {"resourceUri": link}})
        def shows() -> str:
            return ""

        if contents:

            @mcp.resource(URI, mime_type=mime, meta=listed)
            def page() -> ResourceResult:
                return ResourceResult(list(contents))

        async with Client(mcp, mode=mode) as client:
            (tool,) = await client.list_tools()
            return await resolve_page(client, tool)

    return resolving


def item(content=HTML, mime=MIME_TYPE, **meta):
    return ResourceContent(content, mime_type=mime, meta=meta or None)


async def test_a_page_without_options_gets_the_default_policy(resolve):
    """Nothing declared is nothing allowed."""
    page = await resolve(item())
    assert (page.uri, page.html, page.csp, page.policy) == (URI, HTML, None, DEFAULT_POLICY)
    assert (page.permissions.to_wire(), page.domain, page.prefers_border) == ({}, None, None)


async def test_options_come_with_the_page(resolve):
    """Every option of the content item is read, and the policy is built from it."""
    ui = {
        "csp": {"connectDomains": ["https://api.example"], "frameDomains": ["https://f.example"]},
        "permissions": {"camera": {}, "clipboardWrite": {}},
        "domain": "x.example",
        "prefersBorder": False,
    }
    page = await resolve(item(ui=ui))
    assert page.csp.connect_domains == ("https://api.example",)
    assert page.permissions.to_wire() == {"camera": {}, "clipboardWrite": {}}
    assert (page.domain, page.prefers_border) == ("x.example", False)
    assert "connect-src 'self' https://api.example;" in page.policy
    assert "frame-src https://f.example;" in page.policy


async def test_the_item_replaces_the_listing_as_a_whole(resolve):
    """An item with options of its own makes the listing's count for nothing."""
    listed = {"ui": {"csp": {"connectDomains": ["https://listed.example"]}}}
    page = await resolve(item(ui={"prefersBorder": True}), listed=listed)
    assert (page.csp, page.prefers_border) == (None, True)
    page = await resolve(item(), listed=listed)
    assert page.csp.connect_domains == ("https://listed.example",)


async def test_what_is_no_origin_never_reaches_the_policy(resolve):
    """A server cannot inject into the header, nor loosen it."""
    bad = [
        "https://a.example; script-src *",
        "*",
        "'unsafe-eval'",
        "data:",
        7,
        "https://ok.example",
    ]
    page = await resolve(
        item(ui={"csp": {"resourceDomains": bad}, "permissions": {"camera": True}})
    )
    assert page.csp.resource_domains == ("https://ok.example",)
    assert "unsafe-eval" not in page.policy
    assert "*" not in page.policy
    assert page.permissions.to_wire() == {}


@pytest.mark.parametrize(("uri", "border"), [(URI, True), ("ui://a/{name}", None)])
async def test_a_listing_is_read_to_its_end(mode, uri, border):
    """Over several pages; a page behind a template is on none of them."""
    mcp = FastMCP("a", list_page_size=2)

    @mcp.tool(meta={"ui": {"resourceUri": URI}})
    def shows() -> str:
        return ""

    for n in range(5):
        mcp.resource(f"data://{n}")(lambda: "")

    def page() -> ResourceResult:
        return ResourceResult([item()])

    def named_page(name: str) -> ResourceResult:
        return ResourceResult([item(f"<!doctype html>{name}")])

    options = {"mime_type": MIME_TYPE, "meta": {"ui": {"prefersBorder": True}}}
    mcp.resource(uri, **options)(page if uri == URI else named_page)
    async with Client(mcp, mode=mode) as client:
        (tool,) = await client.list_tools()
        assert (await resolve_page(client, tool)).prefers_border is border


async def test_a_listing_that_turns_in_circles_is_left():
    """A server that always has one more page is not followed for ever."""

    class Circles:
        async def list_resources_mcp(self, **_):
            return mcp_types.ListResourcesResult(resources=[], next_cursor="again")

    assert await _listed_ui(Circles(), URI) is None


async def test_a_server_that_lists_nothing_still_has_pages(mode):
    """Pages need not be listed, nor need a server have a list at all."""

    class NoList(Middleware):
        async def on_list_resources(self, *_):
            raise MCPError(code=-32601, message="Method not found")

    mcp = FastMCP("a", middleware=[NoList()])

    @mcp.tool(meta={"ui": {"resourceUri": URI}})
    def shows() -> str:
        return ""

    @mcp.resource(URI, mime_type=MIME_TYPE)
    def page() -> ResourceResult:
        return ResourceResult([item()])

    async with Client(mcp, mode=mode) as client:
        (tool,) = await client.list_tools()
        assert (await resolve_page(client, tool)).policy == DEFAULT_POLICY


@pytest.mark.parametrize("ui", [{"csp": []}, {"csp": None, "domain": 7, "prefersBorder": 1}])
async def test_nonsense_in_the_options_is_as_if_absent(resolve, ui):
    """What has no meaning grants nothing and breaks nothing."""
    page = await resolve(item(ui=ui))
    assert (page.policy, page.domain, page.prefers_border) == (DEFAULT_POLICY, None, None)


async def test_a_blob_is_utf8(resolve):
    """A page as base64 is decoded, a byte order mark dropped."""
    assert (await resolve(item("\ufeff".encode() + HTML.encode()))).html == HTML


@pytest.mark.parametrize(
    ("contents", "code", "words"),
    [
        ((), "link-dangling", "is not served"),
        ((item(), item()), "page-content", "2 content items"),
        ((item(mime="text/html"),), "page-mime", "'text/html'"),
        ((item(mime="text/html; profile=mcp-app"),), "page-mime", "without a space"),
        ((item(b"\xff\xfe\xff"),), "page-content", "not UTF-8"),
        ((item(""),), "page-content", "is empty"),
        ((item('{"not": "html"}'),), "page-content", "no HTML document"),
    ],
)
async def test_each_fault_has_a_name(resolve, contents, code, words):
    """Never a blank frame as the first sign: the error says which page and what to do."""
    with pytest.raises(PageUnavailableError, match=words) as raised:
        await resolve(*contents)
    assert raised.value.code == code
    assert URI in str(raised.value)


async def test_no_link_is_no_page_and_a_wrong_one_an_error(resolve):
    """A tool without a link has no page; one with a link of another scheme is at fault."""
    assert await resolve(item(), meta={"ui": {"visibility": ["app"]}}) is None
    with pytest.raises(PageUnavailableError, match="no `ui://` URI") as raised:
        await resolve(item(), link="https://a.example/page")
    assert raised.value.code == "uri-invalid"


async def test_other_failures_of_the_server_stay_its_own(mode):
    """An error that says nothing about the page is not dressed up as one."""
    mcp = FastMCP("a")

    @mcp.tool(meta={"ui": {"resourceUri": URI}})
    def shows() -> str:
        return ""

    @mcp.resource(URI, mime_type=MIME_TYPE)
    def page() -> str:
        message = "disk"
        raise OSError(message)

    async with Client(mcp, mode=mode) as client:
        (tool,) = await client.list_tools()
        with pytest.raises(MCPError):
            await resolve_page(client, tool)
