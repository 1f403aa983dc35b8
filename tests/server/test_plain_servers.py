"""A server without UI is, byte for byte, the same with and without this package."""

from __future__ import annotations

from typing import Any

SERVER = """
import asyncio, hashlib, json, sys
import httpx2
from fastmcp import Context, FastMCP
from fastmcp.prompts import Message
from fastmcp.resources import FileResource, ResourceContent, ResourceResult, TextResource
from fastmcp.tools import Tool, ToolResult
from fastmcp.utilities.types import Image

if sys.argv[0] and {imported}:
    import mcp_apps_plugin

child = FastMCP("child")
server = FastMCP("plain", instructions="x")

@server.tool(tags={{"b", "a"}}, meta={{"k": {{"deep": None}}}},
             annotations={{"readOnlyHint": True}})
def add(a: int, b: int = 2) -> int: return a + b
@server.tool
def weather(city: str, ctx: Context) -> dict[str, int | None]: return {{city: None}}
@server.tool
def own() -> ToolResult:
    return ToolResult(content=[], structured_content={{"a": 1}}, meta={{"m": 1}})
@server.tool(output_schema=None)
def image(): return ["w", Image(data=b"x", format="png")]
@server.tool
async def fails() -> str: raise ValueError("no")
@server.tool
def none() -> None: return None
@child.tool
def inner(x: float) -> float: return x
server.add_tool(Tool.from_tool(server._local_provider._components["tool:add@"], name="plus"))
server.mount(child, namespace="c")

@server.resource("data://text")
def text() -> str: return "<p>fragment"
@server.resource("data://html", mime_type="text/html", meta={{"k": 1}})
def html() -> bytes: return b"<p>"
@server.resource("data://two")
def two() -> ResourceResult:
    return ResourceResult([ResourceContent("a", meta={{"x": 1}}), ResourceContent(b"b")])
@server.resource("data://t/{{name}}")
def template(name: str) -> str: return name
server.add_resource(TextResource(uri="data://static", text="s"))
@server.prompt
def ask(topic: str) -> str: return topic

CALLS = [("tools/list", {{}}), ("resources/list", {{}}), ("resources/templates/list", {{}}),
         ("prompts/list", {{}}), ("prompts/get", {{"name": "ask", "arguments": {{"topic": "t"}}}})]
CALLS += [("resources/read", {{"uri": u}}) for u in
          ("data://text", "data://html", "data://two", "data://t/x", "data://static", "data://none")]
CALLS += [("tools/call", {{"name": n, "arguments": a}}) for n, a in
          (("add", {{"a": 1}}), ("weather", {{"city": "Ulm"}}), ("own", {{}}), ("image", {{}}),
           ("fails", {{}}), ("none", {{}}), ("plus", {{"a": 1}}), ("c_inner", {{"x": 1}}),
           ("add", {{"a": "x"}}), ("missing", {{}}))]

async def main():
    answers = []
    for version in ("2025-06-18", "2026-07-28"):
        app = server.http_app(json_response=True, stateless_http=True)
        async with app.router.lifespan_context(app), httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1:8000") as http:
            for number, (method, params) in enumerate(CALLS):
                headers = {{"accept": "application/json, text/event-stream",
                           "mcp-protocol-version": version}}
                if version == "2026-07-28":
                    headers["mcp-method"] = method
                    if name := params.get("name") or params.get("uri"):
                        headers["mcp-name"] = name
                    params = {{**params, "_meta": {{
                        "io.modelcontextprotocol/protocolVersion": version,
                        "io.modelcontextprotocol/clientInfo": {{"name": "w", "version": "1"}},
                        "io.modelcontextprotocol/clientCapabilities": {{}}}}}}
                answer = await http.post("/mcp", headers=headers, json={{
                    "jsonrpc": "2.0", "id": number, "method": method, "params": params}})
                answers.append([version, method, answer.status_code, answer.text])
    return answers
print(json.dumps(asyncio.run(main())))
"""


def test_every_list_read_and_call(run_python: Any) -> None:
    """Lists, reads, calls and errors of both eras are the same bytes, and so are the statuses."""
    env = {"FASTMCP_LOG_LEVEL": "CRITICAL"}
    without = run_python(SERVER.format(imported=False), env=env)
    with_us = run_python(SERVER.format(imported=True), env=env)
    assert len(with_us) == len(without) == 42
    assert 'serverInfo"' in without[-1][3]
    for ours, plain in zip(with_us, without, strict=True):
        assert ours == plain
