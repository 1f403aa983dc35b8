"""The audit: for every code a server that passes and one that does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from fastmcp import FastMCP
from fastmcp.apps import AppConfig, ResourceCSP
from fastmcp.resources import TextResource
from fastmcp.tools import ToolResult

from mcp_apps_plugin import AppResource, Code, Csp, app_resource, attach_ui, audit, ui

if TYPE_CHECKING:
    from pathlib import Path

URI = "ui://w/page"
HTML = "<!doctype html><title>W</title>"


def page_of(uri: str = URI, **options: Any) -> Any:
    @app_resource(uri, **options)
    def page() -> str:
        return HTML

    return page


def tool_of(result: Any = None) -> Any:
    def show() -> Any:
        return {}

    show.__annotations__["return"] = result or dict[str, int]
    return show


async def codes(server: FastMCP[Any], severity: str | None = None) -> list[str]:
    report = await audit(server)
    found = [f.code for f in report.findings if severity in (None, f.severity)]
    assert len(report.findings) == len(report.errors) + len(report.warnings)
    return found


async def only(server: FastMCP[Any]) -> Any:
    (finding,) = (await audit(server)).findings
    for part in (finding.subject, finding.problem, finding.consequence, finding.remedy):
        assert part
    assert finding.problem.endswith((".", "?"))
    return finding


async def test_a_good_server(tmp_path: Path) -> None:
    """A server without faults has no findings, and its report says so."""
    (tmp_path / "p.html").write_text(HTML, encoding="utf-8")
    server = FastMCP("s")
    server.tool(ui(page_of())(tool_of()))
    server.tool(name="b")(ui("ui://w/file", html=tmp_path / "p.html")(tool_of()))
    server.tool(name="c")(ui(visibility="app")(tool_of()))
    server.tool(name="d", app=AppConfig(resource_uri="ui://w/file"))(tool_of())
    server.resource("ui://w/{item}", name="items")(lambda item: HTML + item)
    server.tool(name="e")(ui("ui://w/by-template")(tool_of()))
    report = await audit(server)
    assert report.findings == ()
    assert str(report) == "MCP Apps: server 's': nothing to say."


async def test_a_dangling_link() -> None:
    """A link to a page that nobody serves is an error with the nearest URI as a hint."""
    server = FastMCP("s")
    server.add_resource(page_of("ui://weather/dashboard"))
    server.tool(ui("ui://weather/dashbord")(tool_of()))
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.LINK_DANGLING, "error")
    assert "'show'" in finding.subject
    assert "tool_of.<locals>.show" in finding.subject
    assert "`ui://weather/dashbord`" in finding.problem
    assert "'s'" in finding.problem
    assert "Did you mean `ui://weather/dashboard`?" in finding.problem


async def test_a_dangling_link_without_a_near_one() -> None:
    """Where nothing is near, no hint is made up."""
    server = FastMCP("s")
    server.tool(ui("ui://weather/dashboard")(tool_of()))
    assert "Did you mean" not in (await only(server)).problem


@pytest.mark.parametrize("place", ["child", "parent"])
async def test_links_across_mounts(place: str) -> None:
    """A mounted server's tool may link a page of its own server, and of the one above."""
    child, parent = FastMCP("child"), FastMCP("parent")
    (child if place == "child" else parent).add_resource(page_of())
    child.tool(ui(URI)(tool_of()))
    parent.mount(child)
    assert await codes(parent) == []


async def test_a_fault_in_a_mounted_server() -> None:
    """A mounted server's faults are the whole server's, named with the server they are in."""
    child, parent = FastMCP("child"), FastMCP("parent")
    child.tool(ui("ui://w/nothing")(tool_of()))
    grandchild = FastMCP("grandchild")
    grandchild.tool(ui("ui://w/nowhere")(tool_of()))
    child.mount(grandchild, namespace="g")
    parent.mount(child, namespace="c")
    report = await audit(parent)
    assert {f.code for f in report.findings} == {Code.LINK_DANGLING}
    assert {f.problem.split("server ")[1][:12] for f in report.findings} == {
        "'child' does",
        "'grandchild'",
    }


@pytest.mark.parametrize("hide", ["disabled", "auth"])
async def test_a_hidden_page(hide: str) -> None:
    """A page that is disabled, or guarded more than its tool, is a warning."""
    server = FastMCP("s")
    if hide == "auth":
        server.add_resource(page_of(auth=lambda _: False))
    else:
        server.add_resource(page_of())
        server.disable(keys={f"resource:{URI}@"})
    server.tool(ui(URI)(tool_of()))
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.PAGE_HIDDEN, "warning")
    assert URI in finding.problem


async def test_a_hidden_tool() -> None:
    """A tool that is not listed has nothing to find."""
    server = FastMCP("s")
    server.tool(ui("ui://w/nothing")(tool_of()))
    server.disable(names={"show"})
    assert await codes(server) == []


async def test_two_pages_under_one_address(tmp_path: Path) -> None:
    """One URI from two files is an error that names both."""
    for name in ("one.html", "two.html"):
        (tmp_path / name).write_text(HTML, encoding="utf-8")
    server = FastMCP("s")
    server.tool(ui(URI, html=tmp_path / "one.html")(tool_of()))
    server.tool(name="b")(ui(URI, html=tmp_path / "two.html")(tool_of()))
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.PAGE_CONFLICT, "error")
    assert str(tmp_path / "one.html") in finding.problem
    assert str(tmp_path / "two.html") in finding.problem


async def test_two_functions_of_one_name_under_one_address() -> None:
    """The lines tell them apart."""
    server = FastMCP("s")

    @app_resource(URI)
    def page() -> str:
        return HTML

    server.tool(ui(page)(tool_of()))

    @app_resource(URI)
    def page() -> str:
        return HTML * 2

    server.tool(name="b")(ui(page)(tool_of()))
    finding = await only(server)
    assert finding.code == Code.PAGE_CONFLICT
    assert finding.problem.count("test_audit.py:") == 2


@pytest.mark.parametrize("second", ["function", "plain resource"])
async def test_a_page_and_a_resource_under_one_address(tmp_path: Path, second: str) -> None:
    """A page of a tool and another one under its address are both named."""
    (tmp_path / "one.html").write_text(HTML, encoding="utf-8")
    server = FastMCP("s")
    server.tool(ui(URI, html=tmp_path / "one.html")(tool_of()))
    if second == "function":
        server.tool(name="b")(ui(page_of())(tool_of()))
    else:

        @server.resource(URI)
        def page() -> str:
            return HTML

    finding = await only(server)
    assert finding.code == Code.PAGE_CONFLICT
    assert str(tmp_path / "one.html") in finding.problem
    assert "page" in finding.problem.split(" and ")[1]


@pytest.mark.parametrize("mime", ["text/html", "text/html; profile=mcp-app", "text/html+skybridge"])
async def test_a_wrong_mime_type(mime: str) -> None:
    """Another MIME type is named: an error on our page, a warning on FastMCP's resource."""
    plain, ours = FastMCP("s"), FastMCP("s")
    plain.resource(URI, mime_type=mime)(lambda: HTML)
    finding = await only(plain)
    assert (finding.code, finding.severity) == (Code.PAGE_MIME, "warning")
    assert f"`{mime}`" in finding.problem
    ours.resource(URI, mime_type=mime)(app_resource(lambda_page()))
    finding = await only(ours)
    assert (finding.code, finding.severity) == (Code.PAGE_MIME, "error")


def lambda_page() -> Any:
    def page() -> str:
        return HTML

    return page


async def test_page_options_on_a_tool() -> None:
    """`csp` and other page options in a tool's `_meta.ui` are misplaced."""
    server = FastMCP("s")
    app = AppConfig(
        resource_uri=URI, csp=ResourceCSP(connect_domains=[]), domain="x", prefers_border=True
    )
    server.add_resource(page_of())
    server.tool(app=app)(tool_of())
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.TOOL_PAGE_OPTIONS, "warning")
    assert "`csp`, `domain`, `prefersBorder`" in finding.problem


@pytest.mark.parametrize(
    "app",
    [
        AppConfig(resource_uri="ui://w/other"),
        AppConfig(resource_uri=URI, visibility=["app"]),
    ],
)
@pytest.mark.parametrize("above", [True, False])
async def test_two_writers_that_disagree(app: AppConfig, above: bool) -> None:  # noqa: FBT001
    """`@ui` and `app=` that disagree are an error with both values, on either side."""
    server = FastMCP("s")
    server.add_resource(page_of())
    if above:
        ui(URI)(server.tool(app=app)(tool_of()))
    else:
        server.tool(app=app)(ui(URI)(tool_of()))
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.WRITERS_DISAGREE, "error")
    assert "`@ui`" in finding.problem
    assert "`app=`" in finding.problem


@pytest.mark.parametrize(
    "app",
    [
        AppConfig(resource_uri=URI),
        AppConfig(resource_uri=URI, visibility=["app", "model"]),
        AppConfig(visibility=["model", "app"]),
    ],
)
async def test_two_writers_that_agree(app: AppConfig) -> None:
    """Two writers that say the same, or different parts, are fine."""
    server = FastMCP("s")
    server.add_resource(page_of())
    server.tool(app=app)(ui(URI)(tool_of()))
    assert await codes(server) == []


async def test_two_writers_of_page_options() -> None:
    """`@app_resource` and `app=` on one page: a difference is an error, else both count."""
    ours = {"csp": Csp(connect_domains=["https://a.example"])}
    same = AppConfig(csp=ResourceCSP(connect_domains=["https://a.example"]), domain="d.example")
    other = AppConfig(csp=ResourceCSP(connect_domains=["https://b.example"]))
    good, bad = FastMCP("s"), FastMCP("s")
    good.resource(URI, app=same)(app_resource(**ours)(lambda_page()))
    assert await codes(good) == []
    bad.resource(URI, app=other)(app_resource(**ours)(lambda_page()))
    finding = await only(bad)
    assert (finding.code, finding.severity) == (Code.WRITERS_DISAGREE, "error")
    assert "https://a.example" in finding.problem
    assert "https://b.example" in finding.problem


@pytest.mark.parametrize(
    ("written", "code", "said"),
    [
        ({"resourceUri": URI, "resourceURI": "x"}, Code.META_INVALID, "`resourceURI`"),
        ({"resourceUri": URI, "resource_uri": "x"}, Code.META_INVALID, "`resource_uri`"),
        ({"resource_uri": URI}, Code.META_INVALID, "`resource_uri` in its `_meta.ui`, and no"),
        ({"resourceURI": URI}, Code.META_INVALID, "`resourceURI` in its `_meta.ui`, and no"),
        ("yes", Code.META_INVALID, "no object"),
        ({"resourceUri": "https://w/page"}, Code.URI_INVALID, "`https://w/page`"),
        ({"resourceUri": "ui://w/{item}"}, Code.URI_INVALID, "template"),
        ({"resourceUri": 3}, Code.URI_INVALID, "int"),
        ({"resourceUri": URI, "visibility": []}, Code.VISIBILITY_INVALID, "[]"),
        ({"resourceUri": URI, "visibility": ["user"]}, Code.VISIBILITY_INVALID, "user"),
        ({"resourceUri": URI, "visibility": "app"}, Code.VISIBILITY_INVALID, "'app'"),
    ],
)
async def test_meta_of_tools_written_by_hand(written: Any, code: Code, said: str) -> None:
    """Unknown keys and wrong values in a `_meta.ui` written by hand are warnings that name them."""
    server = FastMCP("s")
    server.add_resource(page_of())
    server.tool(meta={"ui": written})(tool_of())
    findings = (await audit(server)).findings
    found = [f for f in findings if f.code == code]
    assert len(found) == 1
    assert found[0].severity == "warning"
    assert said in found[0].problem
    assert Code.LINK_DANGLING not in {f.code for f in findings}


@pytest.mark.parametrize(
    ("app", "code", "said"),
    [
        (
            AppConfig(csp=ResourceCSP(connectDomain=["https://a.example"])),
            Code.CSP_INVALID,
            "connectDomain",
        ),
        (
            AppConfig(csp=ResourceCSP(connect_domains=["'self'; script-src *"])),
            Code.CSP_INVALID,
            "script-src",
        ),
        ({"border": True}, Code.PAGE_OPTION_INVALID, "border"),
        ({"csp": "https://a.example"}, Code.CSP_INVALID, "https://a.example"),
    ],
)
async def test_meta_of_pages_written_by_hand(app: Any, code: Code, said: str) -> None:
    """What FastMCP's own models let pass on a page is a warning."""
    server = FastMCP("s")
    server.resource(URI, app=app)(lambda_page())
    finding = await only(server)
    assert (finding.code, finding.severity) == (code, "warning")
    assert said in f"{finding.problem}"


@pytest.mark.parametrize(
    ("html", "field"),
    [
        ('<script src="https://cdn.example/a.js"></script>', "resourceDomains"),
        ('<link rel="stylesheet" href="https://cdn.example/a.css">', "resourceDomains"),
        ('<img src="https://cdn.example/a.png">', "resourceDomains"),
        ('<script type="module">import "https://cdn.example/a.js"</script>', "resourceDomains"),
        ('<style>body { background: url("https://cdn.example/a.png") }</style>', "resourceDomains"),
        ('<script>fetch("https://cdn.example/data")</script>', "connectDomains"),
        ('<iframe src="https://cdn.example/"></iframe>', "frameDomains"),
    ],
)
async def test_an_origin_that_is_not_declared(html: str, field: str) -> None:
    """Every way to load an origin that the policy does not allow is named; declared, it is fine."""
    text = f"{HTML}<body>\n{html}</body>"
    server = FastMCP("s")
    server.add_resource(TextResource(uri=URI, text=text))
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.PAGE_ORIGIN, "warning")
    assert "https://cdn.example" in finding.problem
    assert field in finding.problem
    assert "line 2" in finding.problem
    good = FastMCP("s")
    meta = {"ui": {"csp": {field: ["https://cdn.example"]}}}
    good.add_resource(TextResource(uri=URI, text=text, meta=meta))
    assert await codes(good) == []


async def test_an_origin_in_a_page_of_ours(tmp_path: Path) -> None:
    """In a page declared here an undeclared origin stops the start; defaults count as declared."""
    script = '<script>fetch("https://api.example/x")</script>'
    (tmp_path / "p.html").write_text(HTML + script, encoding="utf-8")
    bad, good = FastMCP("s"), FastMCP("s")
    bad.tool(ui(URI, html=tmp_path / "p.html")(tool_of()))
    assert await codes(bad, "error") == [Code.PAGE_ORIGIN]
    csp = {"connect_domains": ["https://api.example"]}
    good.tool(ui(AppResource(URI, html=tmp_path / "p.html", csp=csp))(tool_of()))
    assert await codes(good) == []


async def test_a_page_over_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page over the size budget is a warning with both figures."""
    (tmp_path / "p.html").write_text(HTML + "x" * 1_000_000, encoding="utf-8")
    server = FastMCP("s")
    server.tool(ui(URI, html=tmp_path / "p.html")(tool_of()))
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.PAGE_SIZE, "warning")
    assert "1,000,000" in finding.problem
    monkeypatch.setenv("MCP_APPS_PAGE_BUDGET", "2000000")
    assert await codes(server) == []


@dataclass
class Optional:
    a: int | None = None


@dataclass
class Plain:
    a: int = 0


async def test_any_of_in_an_output_schema() -> None:
    """`anyOf` in a UI tool's output schema is a warning; without UI, or without it, is fine."""
    server = FastMCP("s")
    server.tool(ui(page_of())(tool_of(Optional)))
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.OUTPUT_SCHEMA, "warning")
    assert "$.properties.a" in finding.problem
    good = FastMCP("s")
    good.tool(tool_of(Optional))
    good.tool(name="b")(ui(page_of())(tool_of(Plain)))
    assert await codes(good) == []


async def test_a_text_that_names_no_field() -> None:
    """A text whose field is not in the result's schema is an error that lists the fields."""
    server = FastMCP("s")
    server.tool(ui(page_of(), text="{a} and {b}", fallback="{c}")(tool_of(Plain)))
    report = await audit(server)
    assert [f.code for f in report.errors] == [Code.TEXT_INVALID] * 2
    assert "`b`" in report.errors[0].problem
    assert "It has `a`" in report.errors[0].problem
    for result in (dict[str, int], ToolResult):
        good = FastMCP("s")
        good.tool(ui(page_of(), text="{x}")(tool_of(result)))
        assert await codes(good) == []


@pytest.mark.parametrize("kind", ["no address", "template"])
async def test_a_page_without_an_address(kind: str) -> None:
    """A page function that never got a fixed address is an error on the tool that links it."""
    server = FastMCP("s")
    page = app_resource(csp=Csp())(lambda_page())
    if kind == "template":

        @server.resource("ui://w/{item}")
        @app_resource
        def page(item: str) -> str:
            return HTML + item

    server.tool(ui(page)(tool_of()))
    findings = (await audit(server)).errors
    assert Code.URI_INVALID in [f.code for f in findings]
    (finding,) = [f for f in findings if f.code == Code.URI_INVALID]
    assert "'show'" in finding.subject
    assert "@app_resource" in finding.remedy


async def test_an_address_written_twice() -> None:
    """`@app_resource` and `@mcp.resource` with different addresses are an error with both."""
    server = FastMCP("s")
    server.resource("ui://w/one")(page_of("ui://w/two"))
    finding = await only(server)
    assert (finding.code, finding.severity) == (Code.PAGE_USAGE, "error")
    assert "ui://w/one" in finding.problem
    assert "ui://w/two" in finding.problem


async def test_an_unmatched_pattern() -> None:
    """A pattern of `attach_ui` without a tool is an error; see `test_attach_ui` for more."""
    server = FastMCP("s")
    attach_ui(server, {"nothing_*": page_of()})
    assert await codes(server, "error") == [Code.ATTACH_UNMATCHED]


async def test_everything_at_once(tmp_path: Path) -> None:
    """One report has every fault of a server, errors first."""
    (tmp_path / "big.html").write_text(HTML + "x" * 1_000_001, encoding="utf-8")
    server = FastMCP("s")
    server.tool(name="a")(ui("ui://w/missing")(tool_of(Optional)))
    server.tool(name="b")(ui("ui://w/file", html=tmp_path / "none.html")(tool_of()))
    server.tool(name="c")(ui("ui://w/big", html=tmp_path / "big.html")(tool_of()))
    server.tool(name="d", app=AppConfig(resource_uri="ui://w/else"))(tool_of())
    attach_ui(server, {"x": page_of()})
    report = await audit(server)
    assert sorted(str(f.code) for f in report.errors) == [
        "attach-unmatched",
        "link-dangling",
        "page-file-missing",
    ]
    assert sorted(str(f.code) for f in report.warnings) == [
        "link-dangling",
        "output-schema",
        "page-size",
    ]
    assert [f.severity for f in report.findings] == ["error"] * 3 + ["warning"] * 3
    assert str(report).startswith("MCP Apps: server 's':\n  error: ")


ORIGINS = {
    "page.html": """<!doctype html><title>P</title>
<link rel="stylesheet" href="look/page.css">
<script src="mcp-app.js"></script>
<script type="importmap">{"imports": {"chart": "https://map.example/chart.js"}}</script>
<script type="module" src="main.js"></script>
<script src="plain.js" defer></script>
<script>
  fetch("https://inline.example/a");
</script>
<style>
  p { background: url(https://style.example/a.png) }
</style>
<p style="background: url(https://attribute.example/a.png)">
""",
    "main.js": """import { App } from "./mcp-app.js";
import {
  other,
} from "./deep/other.js";

new App({ name: "p", version: "1" }).connect();
fetch("https://module.example/a");
other();
""",
    "deep/other.js": """import chart from "chart";
export function other() {
  chart(new WebSocket("wss://imported.example/"));
}
""",
    "plain.js": """

fetch("https://classic.example/a");
""",
    "look/page.css": """@import "more/nested.css";
p { background: url("https://sheet.example/a.png") }
""",
    "look/more/nested.css": """
/* much
   above */ @import url(https://fonts.example/a.css);
""",
}


async def test_an_origin_is_named_where_its_author_wrote_it(tmp_path: Path) -> None:
    """Wherever it was put into the page from: the file and its own line, never the document's."""
    for name, text in ORIGINS.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    mcp = FastMCP("S")

    @mcp.tool
    @ui("ui://s/p", html=tmp_path / "page.html")
    def show() -> str:
        return ""

    found = [f for f in (await audit(mcp)).findings if f.code == Code.PAGE_ORIGIN]
    places = {
        f.problem.split("`")[1]: f.place.removeprefix(f"{tmp_path}/").replace("\\", "/")
        for f in found
    }
    assert places == {
        "https://map.example/chart.js": "deep/other.js:1",
        "https://inline.example/a": "page.html:8",
        "https://style.example/a.png": "page.html:11",
        "https://attribute.example/a.png": "page.html:13",
        "https://module.example/a": "main.js:7",
        "wss://imported.example/": "deep/other.js:3",
        "https://classic.example/a": "plain.js:3",
        "https://sheet.example/a.png": "look/page.css:2",
        "https://fonts.example/a.css": "look/more/nested.css:3",
    }
    assert not any("at line" in f.problem for f in found)
