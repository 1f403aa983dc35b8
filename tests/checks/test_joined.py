"""The audit's findings and those from outside: each fault once, and none of them lost."""

from __future__ import annotations

from fastmcp import FastMCP

from mcp_apps_plugin.checks import check_server
from mcp_apps_plugin.checks.codes import CheckCode, found
from mcp_apps_plugin.checks.run import joined
from mcp_apps_plugin.protocol.findings import Code

PAGE = """<!doctype html><p>x<script>"ui/initialize ui/notifications/initialized";
{script}</script>"""


def _found(subject, problem="is wrong.", *, code=Code.PAGE_MIME, severity="error"):
    return found(code, subject, problem, "Nothing shows.", "Correct it.", severity=severity)


async def test_two_faults_of_one_kind_on_one_page():
    """Both are said: the second is not taken for the first."""
    mcp = FastMCP("shop")

    @mcp.tool(meta={"ui": {"resourceUri": "ui://shop/page"}})
    def show() -> dict:
        return {"n": 1}

    @mcp.resource("ui://shop/page", mime_type="text/html;profile=mcp-app")
    def page() -> str:
        return PAGE.format(script='alert("a"); confirm("b"); app.callServerTool({name: "gone"});')

    report = await check_server(mcp)
    assert [f.problem[:17] for f in report.findings if f.code == CheckCode.PAGE_SANDBOX] == [
        "uses `alert()` at",
        "uses `confirm()` ",
    ]


def test_a_page_is_not_another_whose_address_is_longer():
    """Nor a tool another one."""
    declared = [
        _found("page ui://shop/page2 of server.page"),
        _found("tool 'show2' of server.show", code=Code.OUTPUT_SCHEMA),
    ]
    seen = [_found("page ui://shop/page"), _found("tool 'show'", code=Code.OUTPUT_SCHEMA)]
    assert joined(declared, seen) == [*declared, *seen]


def test_the_same_fault_is_said_once_in_the_words_of_the_audit():
    """It weighs as much as the heavier of the two."""
    declared = [_found("page ui://shop/page of server.page", severity="warning")]
    (only,) = joined(declared, [_found("page ui://shop/page")])
    assert (only.subject, only.severity) == ("page ui://shop/page of server.page", "error")


def test_an_answer_that_quotes_the_audit_is_no_second_fault():
    """And one about something else is."""
    declared = [_found("page ui://shop/page of server.page", "has no file.", code=Code.URI_INVALID)]
    quoting = _found("page ui://shop/page", "failed: has no file. [x]", code=CheckCode.PAGE_READ)
    another = _found("page ui://shop/page", "failed: no disk.", code=CheckCode.PAGE_READ)
    assert joined(declared, [quoting, another]) == [*declared, another]
