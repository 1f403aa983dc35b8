"""`assert_app_contract`: what it holds for, and what its failure says."""

from __future__ import annotations

import pytest
from fastmcp import Context, FastMCP

from mcp_apps_plugin import AppsExtension, app_resource, attach_ui, elicit, ui
from mcp_apps_plugin.checks import check_server
from mcp_apps_plugin.testing import AppContractError, assert_app_contract, check_app_contract

OSLO = {"get_weather": {"city": "Oslo"}}
PAGE = """<!doctype html><p>x</p><script src="mcp-app.js"></script>
<script>new McpApp.App({ name: "x", version: "1" }).connect()</script>"""


def mounting(server):
    """Mount a server under a namespace."""
    outer = FastMCP("outer")
    outer.mount(server, namespace="inner")
    return outer


async def test_a_good_server(weather):
    """Six kinds of client, every tool that only reads called, every page; plain and mounted."""
    report = await assert_app_contract(weather(), arguments=OSLO, strict=True)
    assert len(report.clients) == 6
    assert set(report.called) == {"get_weather", "refresh"}
    assert report.pages == ("ui://weather/page",)
    assert "it holds" in str(report)


async def test_a_server_whose_pages_are_for_questions_alone():
    """No tool links a page, and there is still something to show."""
    mcp = FastMCP("portfolio")

    @app_resource("ui://portfolio/page")
    def page() -> str:
        return PAGE

    @mcp.tool
    async def assign(ctx: Context) -> str:
        return (await elicit(ctx, "Whom?", str, app=page)).action

    report = await assert_app_contract(mcp)
    assert report.pages == ("ui://portfolio/page",)


async def test_pages_that_nothing_shows():
    """Of a server that asks nothing, a page without a tool is no page."""
    mcp = FastMCP("lonely")

    @mcp.resource("ui://lonely/page", mime_type="text/html;profile=mcp-app")
    def page() -> str:
        return PAGE

    report = await check_app_contract(mcp)
    # Nothing of this package is used there, so that its library stays a name in the page.
    assert {str(f.code) for f in report.broken} == {"server-empty", "page-local-file"}


async def test_what_a_host_wants_is_switched_on(weather):
    """The finding names the switch, and with it there is no finding."""
    for host, dialect in (("chatgpt", "openai"), ("portable", "flat")):
        report = await check_app_contract(weather(), arguments=OSLO, hosts=[host], mounted=False)
        assert {str(finding.code) for finding in report.findings} == {"host-dialect"}
        assert f'dialects=["{dialect}"]' in str(report)
        assert f"MCP_APPS_DIALECTS={dialect}" in str(report)
    mcp = weather()
    mcp.add_extension(AppsExtension(dialects=["openai", "flat"]))
    await assert_app_contract(mcp, arguments=OSLO, hosts=["chatgpt", "portable"], strict=True)


async def test_what_is_not_called_says_why(weather):
    """Nobody takes silence for a look at every result."""
    mcp = weather()

    @mcp.tool(annotations={"destructiveHint": True})
    @ui("ui://weather/page")
    def wipe() -> dict[str, int]:
        return {"left": 0}

    @mcp.tool
    @ui(visibility="app")
    def rename(city: str, to: str, *, quiet: bool = False) -> dict[str, str]:
        return {"city": to, "was": "" if quiet else city}

    report = await assert_app_contract(mcp, arguments=OSLO, skip=["forget"], strict=True)
    assert dict(report.skipped) == {
        "forget": "skipped as told",
        "wipe": 'marked as destructive; to have it called, say `arguments={"wipe": {}}`',
        "rename": "not marked as read-only; to have it called, say "
        '`arguments={"rename": {"city": …, "to": …}}`',
    }
    assert "not called: rename, not marked as read-only; to have it called, say `arg" in str(report)
    checked = await check_server(mcp)
    assert dict(checked.skipped) == {
        **dict.fromkeys(("forget", "rename"), "not marked as read-only"),
        **dict.fromkeys(("get_weather", "refresh"), "no arguments are known"),
        "wipe": "marked as destructive",
    }


@pytest.fixture
def rows():
    """A server whose tools share rows, and the rows."""
    mcp, rows = FastMCP("rows"), {1: "milk", 2: "eggs"}

    @app_resource("ui://rows/page")
    def page() -> str:
        return PAGE

    @mcp.tool
    @ui(visibility="app")
    def delete_row(row: int) -> dict[str, int]:
        rows.pop(row, None)
        return {"left": len(rows)}

    @mcp.tool
    @ui(visibility="app")
    def add_row(row: int) -> dict[str, int]:
        rows[row] = "new"
        return {"left": len(rows)}

    @mcp.tool(annotations={"readOnlyHint": True})
    @ui(page)
    def show(row: int) -> dict[str, str]:
        return {"row": rows[row]}

    return mcp, rows


async def test_what_may_write_is_not_called_by_itself(rows):
    """Without a word a tool may write, so that nothing calls it with what it made up."""
    mcp, kept = rows
    report = await assert_app_contract(mcp, strict=True)
    assert kept == {1: "milk", 2: "eggs"}
    assert report.called == ("show",)
    assert [name for name, _ in report.skipped] == ["delete_row", "add_row"]


async def test_what_may_write_comes_last_and_in_the_order_of_the_arguments(rows):
    """So that what reads finds what was there, and the next era finds it again."""
    mcp, kept = rows
    arguments = {"delete_row": {"row": 2}, "add_row": {"row": 2}, "show": {"row": 2}}
    report = await assert_app_contract(mcp, arguments=arguments)
    assert report.called == ("show", "delete_row", "add_row")
    assert kept == {1: "milk", 2: "new"}


async def test_a_failure_names_what_was_called_before(rows):
    """The tool that fails is not the one at fault, and its message says which may be."""
    mcp, _ = rows
    report = await check_app_contract(mcp, arguments={"delete_row": {"row": 1}})
    (found,) = report.broken
    assert found.subject == "tool 'show'"
    assert "Called before it, and not marked as read-only: `delete_row`." in found.problem
    assert "For a legacy client" in found.problem


async def test_a_failure_of_its_own_names_nothing_else(rows):
    """What was called between two equal failures explains neither; it is one fault."""
    mcp, _ = rows
    named = {"show": {"row": 3}, "delete_row": {"row": 1}}
    (found,) = (await check_app_contract(mcp, arguments=named)).broken
    assert found.subject == "tool 'show'"
    assert "Called before" not in found.problem
    assert "For a" not in found.problem


@pytest.mark.parametrize("named", [True, False])
async def test_a_tool_that_asks_its_user(named):
    """In a test the user is `elicitation=`, and that is what the remedy says, once."""
    mcp = FastMCP("shop")

    @app_resource("ui://shop/page")
    def page() -> str:
        return PAGE

    @mcp.tool(annotations=None if named else {"readOnlyHint": True})
    @ui(page)
    async def pick(ctx: Context) -> dict[str, str]:
        return {"action": (await elicit(ctx, "Which one: cannot say?" * 30, str)).action}

    options = {"arguments": {"pick": {}}} if named else {}
    (found,) = (await check_app_contract(mcp, **options)).broken
    assert (found.code, found.subject) == ("call-failed", "tool 'pick'")
    assert "asks its user 'Which one: cannot say?" in found.problem
    assert "and nobody is there to answer" in found.problem
    assert 'elicitation={"field": value}' in found.remedy
    assert "skip=['pick']" in found.remedy
    assert "client that supports" not in str(found)
    report = await assert_app_contract(mcp, **options, elicitation={"value": "x"})
    assert report.called == ("pick",)


async def test_a_tool_that_is_named_is_called_whatever_it_is(weather):
    """A tool without a page, and one that is marked as destructive."""
    mcp = weather()

    @mcp.tool(annotations={"destructiveHint": True})
    def wipe() -> str:
        return "wiped"

    report = await assert_app_contract(mcp, arguments={**OSLO, "wipe": {}}, mounted=False)
    assert "wipe" in report.called


async def test_what_keeps_a_server_from_starting_breaks_it(weather):
    """Only the audit sees a pattern that means no tool; no client would be told of it."""
    mcp = weather()
    attach_ui(mcp, {"list_orders": "ui://weather/page"})
    report = await check_app_contract(mcp, arguments=OSLO, mounted=False)
    assert {str(finding.code) for finding in report.broken} == {"attach-unmatched"}
    await assert_app_contract(mcp, arguments=OSLO, mounted=False, ignore=["attach-unmatched"])


async def test_a_page_without_its_file_is_said_once(tmp_path):
    """The audit names the file; the server's answer to a client only repeats it."""
    mcp = FastMCP("dice")
    mcp.tool(ui("ui://dice/page", html=tmp_path / "page.html")(lambda: {"n": 1}), name="roll")
    for server in (mcp, mounting(mcp)):
        report = await check_server(server)
        assert [str(f.code) for f in report.errors] == ["page-file-missing"]
    report = await check_app_contract(mcp)
    assert [str(f.code) for f in report.broken if "page-file" in str(f)] == ["page-file-missing"]


async def test_a_page_that_a_server_of_ours_cannot_serve_has_the_servers_own_code(weather):
    """Its answer says what is wrong, so that nobody has to look for its log."""
    mcp = weather()

    @mcp.tool
    @ui(app_resource("ui://weather/data")(lambda: {"city": "Oslo"}))
    def show() -> dict[str, int]:
        return {"n": 1}

    report = await check_app_contract(mcp, arguments=OSLO, mounted=False)
    (found,) = report.broken
    assert (found.code, found.subject) == ("page-content", "page ui://weather/data")
    assert str(found).count("[page-content]") == 1
    assert "returned dict, which is no HTML" in found.remedy


async def test_an_empty_server_breaks_it():
    """There is nothing that it could hold for."""
    with pytest.raises(AppContractError, match="server-empty"):
        await assert_app_contract(FastMCP("empty"))


async def test_the_message_is_the_report(weather):
    """Every finding with its code, and what was looked at."""
    html = "<!doctype html><p>no handshake"
    with pytest.raises(AppContractError) as raised:
        await assert_app_contract(weather(html), arguments=OSLO)
    assert str(raised.value) == str(raised.value.report)
    assert "page ui://weather/page" in str(raised.value)
    assert "[page-no-handshake]" in str(raised.value)
    assert "tools: get_weather, refresh, forget" in str(raised.value)


async def test_what_is_skipped_is_not_called(weather):
    """A tool that must not run is not called; the rest still is."""
    report = await assert_app_contract(weather(), arguments=OSLO, skip=["refresh"])
    assert report.called == ("get_weather",)


@pytest.mark.parametrize("options", [{"arguments": {"typo": {}}}, {"skip": ["typo"]}])
async def test_a_tool_that_is_not_there(weather, options):
    """A name that means nothing is an error, as it would pass for ever."""
    with pytest.raises(ValueError, match="typo"):
        await assert_app_contract(weather(), **options)


async def test_a_code_that_is_not_there(weather):
    """So is a code."""
    with pytest.raises(ValueError, match="typo"):
        await assert_app_contract(weather(), ignore=["typo"])


async def test_a_known_fault_is_accepted(weather):
    """By its code, and no other with it."""
    html = "<!doctype html><p>no handshake"
    await assert_app_contract(weather(html), arguments=OSLO, ignore=["page-no-handshake"])


async def test_an_audit_error_does_not_hide_the_rest(weather):
    """A server that would not start is looked at all the same."""
    mcp = weather()

    @mcp.tool
    @ui("ui://weather/nowhere")
    def lost() -> str:
        return "lost"

    report = await check_app_contract(mcp, arguments=OSLO)
    assert report.clients
