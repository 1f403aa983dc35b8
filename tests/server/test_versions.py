"""`versioned=True`: the listed address follows the page's bytes, and any hash reads the newest."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import logging
import re
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import Context, FastMCP
from fastmcp.apps import AppConfig
from fastmcp.tools.base import ToolResult
from mcp import MCPError
from mcp_types import ResourceLink

from mcp_apps_plugin import (
    AppResource,
    AppsExtension,
    AppsTypeError,
    AppsValueError,
    Code,
    Page,
    app_resource,
    attach_ui,
    audit,
    ui,
)
from mcp_apps_plugin.protocol.versioned import digest_of, unversioned, with_version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastmcp import Client

    Connect = Callable[..., Client[Any]]

LINK = "ui://weather/dashboard"
OLD = f"{LINK}?v=0123456789abcdef"
VERSIONED = re.compile(re.escape(LINK) + r"\?v=[0-9a-f]{16}")


def document(text: str) -> str:
    return f"<!doctype html><title>W</title><p>{text}</p>"


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def make_server(html: Path, **options: Any) -> FastMCP[Any]:
    """Serve one file, versioned."""
    server: FastMCP[Any] = FastMCP("Weather")

    @server.tool
    @ui(LINK, html=html, versioned=True, **options)
    def get_weather() -> dict[str, str]:
        return {"city": "Oslo"}

    return server


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page that is a file."""
    file = tmp_path / "page.html"
    file.write_text(document("one"), encoding="utf-8")
    return file


async def listed_link(client: Client[Any], tool: str = "get_weather") -> str:
    """Return the link of a tool; the resource list has to have the very same address."""
    meta = next(t.meta for t in await client.list_tools() if t.name == tool)
    link: str = meta["ui"]["resourceUri"]
    assert link in [str(resource.uri) for resource in await client.list_resources()]
    return link


async def text_at(client: Client[Any], uri: str) -> str:
    """Read a page; it comes under the address that was asked for."""
    (item,) = await client.read_resource(uri)
    assert str(item.uri) == uri
    assert item.mime_type == "text/html;profile=mcp-app"
    return item.text


async def test_link_and_list_carry_the_hash(connect: Connect, page: Path) -> None:
    """The tool's link and the list have one address, made of the bytes alone."""
    async with connect(make_server(page)) as client:
        link = await listed_link(client)
        (item,) = await client.read_resource(link)
    assert VERSIONED.fullmatch(link)
    ui = json.dumps(item.meta["ui"], sort_keys=True, separators=(",", ":"))
    expected = hashlib.sha256(f"{ui}\n{item.text}".encode()).hexdigest()[:16]
    assert link == f"{LINK}?v={expected}"


async def test_old_hashes_and_none_read_the_newest(connect: Connect, page: Path) -> None:
    """A host that kept an old tool list finds the page of today."""
    async with connect(make_server(page)) as client:
        before = await listed_link(client)
    write(page, document("two"))
    async with connect(make_server(page)) as client:
        after = await listed_link(client)
        assert after != before
        for uri in (before, after, OLD, f"{LINK}?v=3f", LINK):
            assert await text_at(client, uri) == document("two")
        with pytest.raises(MCPError):
            await client.read_resource("ui://weather/other?v=0123456789abcdef")
        with pytest.raises(MCPError):
            await client.read_resource(f"{LINK}?other=1")


async def test_the_same_bytes_have_the_same_hash_everywhere(
    connect: Connect, page: Path, tmp_path: Path, run_python: Callable[..., Any]
) -> None:
    """Neither the process, the folder nor the time is in it."""
    elsewhere = tmp_path / "elsewhere" / "other.html"
    elsewhere.parent.mkdir()
    write(elsewhere, document("one"))
    async with connect(make_server(page)) as one, connect(make_server(elsewhere)) as other:
        link = await listed_link(one)
        assert link == await listed_link(other)
    code = f"""
        import asyncio, json
        from pathlib import Path
        from fastmcp import Client, FastMCP
        from mcp_apps_plugin import ui
        mcp = FastMCP("Replica")
        @mcp.tool
        @ui({LINK!r}, html=Path({str(page)!r}), versioned=True)
        def get_weather() -> dict[str, str]: ...
        async def main():
            async with Client(mcp) as client:
                return (await client.list_tools())[0].meta["ui"]["resourceUri"]
        print(json.dumps(asyncio.run(main())))
    """
    for seed in ("1", "2"):
        assert run_python(code, env={"PYTHONHASHSEED": seed}) == link


async def test_a_changed_policy_is_a_changed_page(connect: Connect, page: Path) -> None:
    """Hosts keep the policy with the page, so that it is in the hash; the server's defaults too."""
    server = make_server(page)
    server.add_extension(AppsExtension(defaults={"csp": {"connect_domains": ["https://x.test"]}}))
    declared = make_server(page, csp={"connect_domains": ["https://x.test"]})
    async with connect(make_server(page)) as one, connect(server) as two, connect(declared) as same:
        assert await listed_link(one) != await listed_link(two)
        assert await listed_link(two) == await listed_link(same)


async def test_without_the_option_nothing_changes(connect: Connect, page: Path) -> None:
    """An address without the option is listed as it was written; there is no template."""
    server: FastMCP[Any] = FastMCP("Weather")
    server.tool(ui(LINK, html=page)(lambda: {"a": "b"}), name="get_weather")
    async with connect(server) as client:
        assert await listed_link(client) == LINK
        assert await client.list_resource_templates() == []
        # The option was there in the last release: its addresses are still good.
        assert await text_at(client, OLD) == document("one")


async def test_every_way_to_link(connect: Connect, page: Path) -> None:
    """By address, page object, function, `attach_ui`, and FastMCP's `app=`."""
    server: FastMCP[Any] = FastMCP("Weather")
    shared = AppResource(LINK, html=page, versioned=True)
    server.tool(ui(shared)(lambda: "a"), name="by_object")
    server.tool(ui(LINK)(lambda: "a"), name="by_address")
    server.tool(lambda: "a", name="attached")
    server.tool(lambda: "a", name="by_app", app=AppConfig(resource_uri=LINK))
    server.tool(ui(visibility="app")(lambda: "a"), name="no_page")
    attach_ui(server, {"attached": LINK})
    async with connect(server) as client:
        tools = {tool.name: tool.meta for tool in await client.list_tools()}
        links = {m["ui"].get("resourceUri") for n, m in tools.items() if n != "no_page"}
        assert len(links) == 1
        assert VERSIONED.fullmatch(links.pop())
        assert "resourceUri" not in tools["no_page"]["ui"]


async def test_one_of_two_declarations_suffices(connect: Connect, page: Path) -> None:
    """Two tools with one file under one address: it is one page, and versioned."""
    for flags in ((True, False), (False, True)):
        server: FastMCP[Any] = FastMCP("Weather")
        for number, versioned in enumerate(flags):
            tool = ui(LINK, html=page, versioned=versioned)(lambda: "a")
            server.tool(tool, name=f"tool_{number}")
        async with connect(server) as client:
            assert VERSIONED.fullmatch(await listed_link(client, "tool_0"))
            assert await listed_link(client, "tool_0") == await listed_link(client, "tool_1")


async def test_dialects_follow(connect: Connect, page: Path) -> None:
    """Every spelling of the link has the same address."""
    server = make_server(page)
    server.add_extension(AppsExtension(dialects=["flat", "openai"]))
    async with connect(server) as client:
        link = await listed_link(client)
        (tool,) = await client.list_tools()
        assert tool.meta["ui/resourceUri"] == tool.meta["openai/outputTemplate"] == link


async def test_results_carry_the_hash(connect: Connect, page: Path) -> None:
    """What a result names is what the lists name, old hashes included."""
    server = make_server(page)

    @server.tool
    def where() -> ToolResult:
        links = [ResourceLink(type="resource_link", uri=uri, name="w") for uri in (LINK, OLD)]
        return ToolResult(links, meta={"ui": {"resourceUri": LINK}})

    async with connect(server) as client:
        result = await client.call_tool("where")
        link = await listed_link(client)
        assert [str(block.uri) for block in result.content] == [link, link]
        assert result.meta["ui"]["resourceUri"] == link


def as_brought(server: FastMCP[Any], function: Any) -> None:
    server.tool(ui(function)(lambda: "a"), name="get_weather")


def as_registered(server: FastMCP[Any], function: Any) -> None:
    server.add_resource(function)
    server.tool(ui(function)(lambda: "a"), name="get_weather")


@pytest.mark.parametrize("add", [as_brought, as_registered])
@pytest.mark.parametrize("kind", ["text", "async", "page", "path"])
async def test_functions(connect: Connect, page: Path, add: Callable[..., None], kind: str) -> None:
    """A function is asked once, at the start; its answer is hashed and served."""
    calls: list[str] = []

    def make() -> Any:
        calls.append(kind)
        return {"text": document("one"), "async": document("one"), "page": Page(page), "path": page}

    if kind == "async":

        async def dashboard() -> Any:
            await asyncio.sleep(0)
            return make()[kind]
    else:

        def dashboard() -> Any:
            return make()[kind]

    server: FastMCP[Any] = FastMCP("Weather")
    add(server, app_resource(LINK, versioned=True)(dashboard))
    async with connect(server) as client:
        for _ in range(3):
            link = await listed_link(client)
            assert VERSIONED.fullmatch(link)
        assert len(calls) == 1
        (item,) = await client.read_resource(link)
        assert "<p>one</p>" in item.text
        assert link == with_version(LINK, digest_of(item.text, item.meta["ui"]))
        assert {await text_at(client, uri) for uri in (LINK, OLD)} == {item.text}


async def test_above_a_resource_of_fastmcp(connect: Connect) -> None:
    """`@app_resource(versioned=True)` without an address completes an `@mcp.resource`."""
    server: FastMCP[Any] = FastMCP("Weather")

    @server.resource(LINK)
    @app_resource(versioned=True)
    def dashboard() -> str:
        return document("one")

    server.tool(ui(dashboard)(lambda: "a"), name="get_weather")
    async with connect(server) as client:
        assert VERSIONED.fullmatch(await listed_link(client))
        assert await text_at(client, OLD) == document("one")


@pytest.mark.parametrize("add", [as_brought, as_registered])
async def test_a_function_that_changes_its_mind(
    connect: Connect, caplog: pytest.LogCaptureFixture, add: Callable[..., None]
) -> None:
    """What was hashed is what is served; that it would now be another is logged, once."""
    count = iter(range(100))
    server: FastMCP[Any] = FastMCP("Weather")
    add(server, app_resource(LINK, versioned=True)(lambda: document(str(next(count)))))
    async with connect(server) as client:
        link = await listed_link(client)
        with caplog.at_level(logging.WARNING, "mcp_apps_plugin"):
            for _ in range(3):
                assert await text_at(client, link) == document("0")
    (said,) = [r.getMessage() for r in caplog.records if "page-version" in r.getMessage()]
    assert LINK in said
    assert "returned another page" in said


def test_a_function_with_parameters_is_refused() -> None:
    """A `Context` or a part of the address makes a page that nobody knows beforehand."""

    def of_context(ctx: Context) -> str:
        return ctx.request_id

    def of_address(city: str) -> str:
        return city

    for function in (of_context, of_address):
        with pytest.raises(AppsValueError) as refused:
            app_resource(LINK, versioned=True)(function)
        assert refused.value.code == Code.PAGE_VERSION
        assert "differs by read" in str(refused.value)

    server: FastMCP[Any] = FastMCP("Weather")
    with pytest.raises(AppsValueError, match="page-version"):
        server.resource("ui://weather/{city}")(app_resource(versioned=True)(of_address))


async def test_methods_can_be_versioned(connect: Connect) -> None:
    """`self` is no parameter of the page."""

    class Station:
        @app_resource(LINK, versioned=True)
        def dashboard(self) -> str:
            return document("one")

        @ui(LINK)
        def get_weather(self) -> str:
            return "a"

    server: FastMCP[Any] = FastMCP("Weather")
    station = Station()
    server.add_resource(station.dashboard)
    server.tool(station.get_weather)
    async with connect(server) as client:
        assert VERSIONED.fullmatch(await listed_link(client))


def test_only_with_html() -> None:
    """On a link to another's page the option says nothing, and is refused."""
    with pytest.raises(AppsTypeError, match=r"`versioned=`.*ui-page-options"):
        ui(LINK, versioned=True)


def fails() -> str:
    message = "no database"
    raise OSError(message)


def uses_the_request() -> str:
    from fastmcp.server.dependencies import get_context

    return get_context().request_id


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (fails, "OSError: no database"),
        (uses_the_request, "RuntimeError"),
        (lambda: 3, "returned int"),
    ],
)
@pytest.mark.parametrize("add", [as_brought, as_registered])
async def test_what_cannot_be_known_at_the_start_is_an_error(
    function: Any, said: str, add: Callable[..., None], connect: Connect
) -> None:
    """The server does not start, and says which page and why."""
    server: FastMCP[Any] = FastMCP("Weather")
    add(server, app_resource(LINK, versioned=True)(functools.partial(function)))
    (finding,) = (await audit(server)).errors
    assert finding.code in {Code.PAGE_VERSION, Code.PAGE_CONTENT}
    assert said in str(finding)
    assert LINK in finding.subject
    with pytest.raises(RuntimeError, match="cannot start"):
        async with connect(server):
            pass


async def test_a_lenient_start_lists_it_without_a_hash(connect: Connect) -> None:
    """With the audit off, a page that has no hash is listed and read as if it had none to have."""
    fine = False

    def late() -> str:
        if not fine:
            message = "not yet"
            raise OSError(message)
        return document("late")

    server: FastMCP[Any] = FastMCP("Weather")
    as_brought(server, app_resource(LINK, versioned=True)(late))
    server.add_extension(AppsExtension(audit="off"))
    async with connect(server) as client:
        assert await listed_link(client) == LINK
        fine = True
        assert await text_at(client, LINK) == document("late")


async def test_a_template_is_listed_for_those_in_front(connect: Connect, page: Path) -> None:
    """It fits every hash and none, so that proxies find what they were told long ago."""
    async with connect(make_server(page)) as client:
        (template,) = await client.list_resource_templates()
        (resource,) = await client.list_resources()
        assert template.uri_template == LINK + "{?v}"
        assert template.mime_type == resource.mime_type
        assert template.meta["ui"] == resource.meta["ui"]


async def test_metadata_is_written_once(page: Path) -> None:
    """Ten lists make no new tool and no new page."""
    server = make_server(page)
    first = [*await server.list_tools(), *await server.list_resources()]
    for _ in range(10):
        again = [*await server.list_tools(), *await server.list_resources()]
        assert [id(each) for each in again] == [id(each) for each in first]
        assert [id(each.meta) for each in again] == [id(each.meta) for each in first]


@pytest.mark.parametrize("registered", [False, True])
async def test_a_disabled_page_is_there_under_no_address(
    connect: Connect, page: Path, *, registered: bool
) -> None:
    """Visibility knows the page by the address its author wrote; a hash is no way around it."""
    server: FastMCP[Any] = FastMCP("Weather")
    if registered:
        as_registered(server, app_resource(LINK, versioned=True)(lambda: document("one")))
    else:
        server = make_server(page)
    async with connect(server) as client:
        link = await listed_link(client)
        server.disable(keys={f"resource:{LINK}@"})
        assert await client.list_resources() == []
        assert await client.list_resource_templates() == []
        assert all("resourceUri" not in tool.meta["ui"] for tool in await client.list_tools())
        for uri in (link, OLD, LINK):
            with pytest.raises(MCPError):
                await client.read_resource(uri)


async def test_the_audit_speaks_of_addresses_as_written(page: Path) -> None:
    """It finds the link served, names pages by their own address, and misses nothing else."""
    server = make_server(page)
    assert (await audit(server)).findings == ()
    write(page, '<!doctype html><img src="https://cdn.test/a.png">')
    broken = make_server(page)
    (finding,) = (await audit(broken)).findings
    assert finding.code == Code.PAGE_ORIGIN
    assert finding.subject.startswith(f"page {LINK} of ")


def test_addresses() -> None:
    """Only a hash is taken off, and only one is put on."""
    assert with_version(LINK, "a1") == with_version(OLD, "a1") == f"{LINK}?v=a1"
    assert unversioned(OLD) == unversioned(LINK) == LINK
    for other in (f"{LINK}?w=1", f"{LINK}?v=", f"{LINK}?v=1&w=2", f"{LINK}?v=1#x", "file://a?v=1"):
        assert unversioned(other) == other
