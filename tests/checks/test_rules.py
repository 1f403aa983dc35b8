"""Every rule, with a server that breaks it and one that does not."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import socket
from pathlib import Path

import mcp_types
import pytest
import uvicorn
from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware

from mcp_apps_plugin.checks import Options, check_url, rules
from mcp_apps_plugin.checks.codes import RULES, CheckCode
from mcp_apps_plugin.checks.snapshot import Snapshot
from mcp_apps_plugin.checks.surface import Surface
from mcp_apps_plugin.protocol.constants import EXTENSION_ID
from mcp_apps_plugin.view import library

_SPEC = importlib.util.spec_from_file_location("making", Path(__file__).with_name("conftest.py"))
making = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(making)
make, document, URI = making.make_server, making.document, making.URI
BROWSER = {code for code in RULES if code.startswith("browser-")}


def _fastmcp(strip=None):
    """Make a FastMCP server whose tool list depends on who asks."""
    mcp = FastMCP("shop")

    @mcp.tool(meta={"ui": {"resourceUri": URI}})
    def show() -> dict:
        return {"n": 1}

    @mcp.resource(URI, mime_type="text/html;profile=mcp-app")
    def page() -> str:
        return document()

    class Strip(Middleware):
        async def on_list_tools(self, context, call_next):
            tools = await call_next(context)
            if strip is not None and strip(context.fastmcp_context):
                return [tool.model_copy(update={"meta": {}}) for tool in tools]
            return tools

    mcp.add_middleware(Strip())
    return mcp


@contextlib.asynccontextmanager
async def _served(app):
    config = uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = asyncio.create_task(server.serve(sockets=[listening]))
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        server.should_exit = True
        await running


def _no_apps(ctx):
    return not ctx.client_supports_extension(EXTENSION_ID)


def _legacy(ctx):
    return ctx.session.protocol_version < "2026"


def _ui(**keys):
    return {"ui": {"resourceUri": URI, **keys}}


def _both(ui):
    return {"ui": ui, "listed_ui": ui}


ENUMERATED = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
OPTIONAL = {"type": "object", "properties": {"n": {"anyOf": [{"type": "null"}]}}}
GREETING = '{ jsonrpc: "2.0", id: 0, method: "ui/initialize", params: { appInfo: {}, '
COMPLETE = GREETING + 'appCapabilities: {}, protocolVersion: "2026-01-26" } }'
INITIALIZED = 'send({ jsonrpc: "2.0", method: "ui/notifications/initialized" });'
SIZE = 'notify("ui/notifications/size-changed", { height: 1 });'
APP = "const app = new McpApp.App({ name: 'shop', version: '1' });"
CALL = 'app.callServerTool({ name: "%s", arguments: {} });'
FRAMES = {**making.OPTIONS["csp"], "frameDomains": ["https://a.example"]}
NARROW = {"csp": {"connectDomains": []}}

#: Each rule's code, options of a server that breaks it, and of one that does not.
CASES = {
    "server-empty": ({"meta": {}}, {}),
    "uri-invalid": ({"meta": {"ui": {"resourceUri": "https://a.example"}}}, {}),
    "link-dangling": ({"read": False}, {}),
    "link-conflict": (
        {"meta": {**_ui(), "ui/resourceUri": "ui://shop/other"}},
        {"meta": {**_ui(), "ui/resourceUri": URI, "openai/outputTemplate": URI}},
    ),
    "link-flat": ({"meta": {"ui/resourceUri": URI}}, {"meta": {**_ui(), "ui/resourceUri": URI}}),
    "meta-invalid": ({"meta": {"ui": True}}, {"meta": _ui(visibility=["model"])}),
    "visibility-invalid": ({"meta": _ui(visibility=[])}, {"meta": _ui(visibility=["app"])}),
    "tool-page-options": ({"meta": _ui(csp={})}, {}),
    "tool-name": ({"tool": {"name": "x" * 129}}, {"tool": {"name": "x" * 128}}),
    "output-schema": ({"tool": {"outputSchema": OPTIONAL}}, {"tool": {"outputSchema": ENUMERATED}}),
    "page-uri": ({"item": {"uri": "ui://shop/Page"}}, {}),
    "page-mime": ({"item": {"mimeType": "text/html; profile=mcp-app"}}, {}),
    "page-content": ({"items": 2}, {}),
    "page-doctype": ({"html": document().replace("<!doctype html>", "<html>")}, {}),
    "listing-differs": ({"ui": None}, {"listed_ui": None}),
    "csp-invalid": (_both({"csp": {"connectDomains": ["a.example; script-src *"]}}), {}),
    "permissions-invalid": (
        _both({"permissions": {"camera": True}}),
        _both({"permissions": {"camera": {}}}),
    ),
    "page-option-invalid": (_both({"border": True}), _both({"prefersBorder": True})),
    "page-origin": (
        {"html": document(head='<script src="https://cdn.example/x.js"></script>')},
        {"html": document(head='<script src="data:text/javascript,1"></script>')},
    ),
    "page-size": ({"html": document("/*" + "x" * 1_000_000 + "*/")}, {}),
    "page-local-file": (
        {"html": document(head='<script src="app.js"></script>')},
        {"html": document(head='<script src="https://cdn.example/app.js"></script>')},
    ),
    "page-no-handshake": ({"html": "<!doctype html><p>shop"}, {}),
    "page-initialize": (
        {"html": document(f"send({GREETING} clientInfo: {{}} }} }});{INITIALIZED}", handshake="")},
        {"html": document(f"send({COMPLETE});{INITIALIZED}", handshake="")},
    ),
    "page-not-initialized": ({"html": document(f"send({COMPLETE});", handshake="")}, {}),
    "page-request-kind": (
        {"html": document('send({ jsonrpc: "2.0", method: "tools/call", params: {} });')},
        {"html": document('send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} });')},
    ),
    "page-tool-unknown": (
        {"html": document(CALL % "refresh")},
        {"html": document(CALL % "show")},
    ),
    "page-variable": (
        {"html": document(head="<style>p { color: var(--color-text-main, red) }</style>")},
        {"html": document(head="<style>p { color: var(--color-text-primary, red) }</style>")},
    ),
    "page-variable-fallback": (
        {"html": document(head="<style>p { color: var(--color-text-primary) }</style>")},
        {
            "html": document(
                head="<style>:root { --color-text-primary: red }"
                "p { color: var(--color-text-primary) }</style>"
            )
        },
    ),
    "page-viewport-height": (
        {"html": document(SIZE, head="<style>html, body { min-height: 100vh }</style>")},
        {"html": document(SIZE, head="<style>main, p { min-height: 100vh }</style>")},
    ),
    "page-storage": (
        {"html": document('localStorage.setItem("a", "b");')},
        {"html": document('try { localStorage.setItem("a", "b") } catch {}')},
    ),
    "page-eval": (
        {"html": document('new Function("return 1")();')},
        {"html": document('try { new Function("") } catch {}')},
    ),
    "page-sandbox": (
        {"html": document('alert("sold out");')},
        {"html": document('function alert(text) {} alert("sold out");')},
    ),
    "page-script-syntax": ({"html": document("let = = 1;")}, {}),
    "page-library-name": (
        {"html": document(f"</script><script>{library()}</script><script>{APP} app.callTool('x')")},
        {"html": document(f"</script><script>{library()}</script><script>{APP} app.ping()")},
    ),
    "result-text": ({"answer": {"content": []}}, {"answer": {"structuredContent": None}}),
    "result-structure": ({"answer": {"structuredContent": [1]}}, {}),
    "result-schema": (
        {"tool": {"outputSchema": ENUMERATED}, "answer": {"structuredContent": {"n": "one"}}},
        {"tool": {"outputSchema": ENUMERATED}},
    ),
    "result-size": ({"answer": {"structuredContent": {"n": "x" * 1_000_000}}}, {}),
    "call-failed": (
        {"extra": [{"name": "gone", "inputSchema": {"type": "object"}, "_meta": _ui()}]},
        {},
    ),
    "call-arguments": (
        {
            "tool": {"inputSchema": {"type": "object", "required": ["city"]}},
            "answer": {"isError": True},
        },
        {"tool": {"inputSchema": {"type": "object", "required": ["city"]}}},
    ),
    "host-domain": (
        _both({"domain": "shop.example"}),
        _both({"domain": "0" * 32 + ".claudemcpcontent.com"}),
        "claude",
    ),
    "host-csp": (_both(NARROW), {}, "chatgpt"),
    "host-frames": (_both({"csp": FRAMES}), {}, "portable"),
    "host-dialect": ({}, {"meta": {**_ui(), "openai/outputTemplate": URI}}, "chatgpt"),
    "host-annotations": ({"tool": {"annotations": {"readOnlyHint": True}}}, {}, "vscode"),
    "host-external": (
        _both({"csp": {"resourceDomains": ["https://cdn.example"]}}),
        {},
        "portable",
    ),
}
#: The rules whose servers are made in a test of their own.
APART = {
    "input-schema",
    "capability-missing",
    "meta-withheld",
    "eras-differ",
    "server-unreachable",
    "page-read",
}


def _codes(findings):
    return {str(finding.code) for finding in findings}


@pytest.mark.parametrize("code", CASES)
async def test_a_rule_finds_its_fault_and_nothing_else(code, judge):
    """A server that breaks the rule has its finding; one that does not has none."""
    broken, good, *hosts = CASES[code]
    found = await judge(make(**broken), hosts=frozenset(hosts))
    assert code in _codes(found)
    assert all(str(finding).endswith(f"[{finding.code}]") for finding in found)
    assert code not in _codes(await judge(make(**good), hosts=frozenset(hosts)))


@pytest.mark.parametrize("code", [c for c in CASES if len(CASES[c]) == 3])
async def test_a_hosts_rule_speaks_only_when_asked(code, judge):
    """What one host wants is no finding for everybody."""
    assert code not in _codes(await judge(make(**CASES[code][0])))


async def test_a_server_without_faults(judge):
    """Nothing is said but that this kind of server cannot declare the capability."""
    assert _codes(await judge(make())) == {"capability-missing"}


@pytest.mark.parametrize("call", ["app.connect();", "app.run(async () => {});", ""])
async def test_a_page_with_the_library_connects_by_either_call(judge, call):
    """`run` connects as `connect` does; without either the page stays silent."""
    page = f"<script>const app = new McpApp.App({{ name: 'shop', version: '1' }});{call}</script>"
    found = await judge(make(html=f"<!doctype html><p>shop<script>{library()}</script>{page}"))
    assert ("page-no-handshake" in _codes(found)) == (call == "")


@pytest.mark.parametrize(
    ("script", "body", "submits"),
    [
        ('it.addEventListener("submit", save);', "<form id=it></form>", True),
        ("document.forms[0].onsubmit = save;", "<form></form>", True),
        ("", '<form onsubmit="save()"></form>', True),
        ("", '<form action="/save"></form>', True),
        ('it.addEventListener("click", () => say("submit"));', "<form><button></form>", False),
        ("const onsubmit = save;", "<form></form>", False),
    ],
)
async def test_hosts_need_not_let_a_page_submit_a_form(judge, script, body, submits):
    """A strict sandbox has no `allow-forms`, so that nobody hears of a `submit`."""
    html = document(script).replace("<script", f"{body}<script", 1)
    assert ("page-sandbox" in _codes(await judge(make(html=html)))) is submits


async def test_a_page_without_its_name_and_version(judge):
    """The library sends them in the handshake, so that it fails as one written by hand does."""
    used = f"</script><script>{library()}</script>\n<script>\nnew McpApp.App().connect()"
    found = await judge(make(html=document(used)))
    (lacking,) = [f for f in found if f.code == "page-initialize"]
    assert (lacking.severity, "name and version" in lacking.problem) == ("warning", True)
    line = document(used).partition("new McpApp.App()")[0].count("\n") + 1
    assert f"at line {line}: " in lacking.problem
    own = "</script><script>const McpApp = { App: class {} }; new McpApp.App()"
    assert "page-initialize" not in _codes(await judge(make(html=document(own))))


async def test_the_capability_is_asked_for_in_both_eras(judge):
    """FastMCP alone loses it in the legacy era, and says it in the modern one."""
    found = await judge(_fastmcp())
    (missing,) = [f for f in found if f.code == CheckCode.CAPABILITY_MISSING]
    assert "legacy" in missing.subject


async def test_links_must_not_depend_on_the_client(judge):
    """A server that withholds links from clients without Apps, and one that does not."""
    assert "meta-withheld" in _codes(await judge(_fastmcp(_no_apps)))
    assert "meta-withheld" not in _codes(await judge(_fastmcp()))


async def test_links_must_not_depend_on_the_era(judge):
    """A server that links pages in one era alone, and one that does not."""
    assert "eras-differ" in _codes(await judge(_fastmcp(_legacy)))
    assert "eras-differ" not in _codes(await judge(_fastmcp()))


async def test_a_server_that_cannot_be_reached(judge):
    """Nobody listens there: one finding, and no traceback."""
    (found,) = await judge("http://127.0.0.1:9/mcp")
    assert found.code == CheckCode.SERVER_UNREACHABLE


async def test_a_server_that_never_answers(judge):
    """It is given up after a while, and not waited for without end."""

    async def silent(scope, receive, send):
        del receive, send
        if scope["type"] == "lifespan":
            raise NotImplementedError  # it has none
        await asyncio.Event().wait()

    async with asyncio.timeout(30), _served(silent) as url:
        (found,) = await judge(f"{url}/mcp", seconds=0.5)
    assert found.code == CheckCode.SERVER_UNREACHABLE


async def test_a_server_that_wants_a_header():
    """What it asks of every request is sent with every request."""

    async def guarded(scope, receive, send):
        if scope["type"] == "http" and (b"authorization", b"Bearer x") not in scope["headers"]:
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await app(scope, receive, send)

    app = _fastmcp().http_app()
    async with _served(guarded) as url:
        refused = await check_url(f"{url}/mcp")
        report = await check_url(f"{url}/mcp", Options(headers={"Authorization": "Bearer x"}))
    assert _codes(refused.findings) == {"server-unreachable"}
    assert "--header" in str(refused)
    assert (report.ui_tools, report.pages) == (1, 1)


@pytest.mark.parametrize(("schema", "is_found"), [({}, True), ({"type": "object"}, False)])
async def test_a_tool_takes_an_object(schema, is_found):
    """The Python client refuses the whole list for another input; clients that do not are told."""
    tool = mcp_types.Tool(name="show", input_schema=schema, _meta=_ui())
    snapshot = Snapshot("modern", "apps", mcp_types.ServerCapabilities(), (tool,))
    assert ("input-schema" in _codes(rules.judge(Surface(snapshot)))) is is_found


@pytest.mark.parametrize("key", ["resource_uri", "resourceURI", "resourceuri"])
async def test_a_link_under_a_key_that_was_misspelt(judge, key):
    """No host sees it, so it is more than an unknown key."""
    (found,) = [f for f in await judge(make(meta={"ui": {key: URI}})) if f.code == "meta-invalid"]
    assert (found.severity, f"`{key}`" in found.problem) == ("error", True)
    (found,) = [f for f in await judge(make(meta=_ui(**{key: URI}))) if f.code == "meta-invalid"]
    assert found.severity == "warning"


async def test_a_page_whose_reading_fails(judge):
    """A handler that raises is another fault than a page that is not there."""
    mcp = _fastmcp()

    @mcp.tool(meta={"ui": {"resourceUri": "ui://shop/broken"}})
    def other() -> dict:
        return {}

    @mcp.resource("ui://shop/broken", mime_type="text/html;profile=mcp-app")
    def broken() -> str:
        message = "no template"
        raise OSError(message)

    found = await judge(mcp)
    assert {str(f.code) for f in found if "ui://shop/broken" in f.subject} == {"page-read"}
    assert "page-read" not in _codes(await judge(_fastmcp()))


def test_every_rule_has_a_case():
    """No rule without a server that breaks it; those for browsers have a file of their own."""
    assert set(CASES) | APART | BROWSER == set(RULES)
    assert {code.value for code in CheckCode} <= set(RULES)


@pytest.mark.parametrize("code", sorted(RULES))
def test_every_rule_is_documented(code):
    """Each code is a heading of the reference."""
    text = (Path(__file__).parents[2] / "docs/reference/checks.md").read_text(encoding="utf-8")
    assert f"\n### `{code}`\n" in text
