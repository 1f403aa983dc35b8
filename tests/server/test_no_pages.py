"""What is at a `ui://` address, is no page, and was declared by nobody: it stays FastMCP's."""

from __future__ import annotations

from typing import Any

import pytest

SERVER = """
import asyncio, json
from pathlib import Path
from fastmcp import Client, FastMCP
from fastmcp.resources import FileResource, ResourceContent, ResourceResult
from fastmcp.server import create_proxy
if {imported}:
    import mcp_apps_plugin

MIME = "text/html;profile=mcp-app"
PNG = bytes([137, 80, 78, 71, 255])
Path("image.png").write_bytes(PNG)
one = lambda *args, **more: ResourceContent(*args, **more)

RETURNED = {{
    "two": lambda: ResourceResult([one("<b>1</b>"), one("<b>2</b>")]),
    "two-in-a-list": lambda: [one("<b>1</b>", meta={{"k": 1}}), one("<b>2</b>", mime_type=MIME)],
    "none-at-all": lambda: ResourceResult([]),
    "json": lambda: ResourceResult([one("{{}}", mime_type="application/json")], meta={{"r": 1}}),
    "json-of-a-dict": lambda: [one({{"a": 1}})],
    "html": lambda: [one("<p>", mime_type="text/html")],
    "nearly": lambda: [one("<p>", mime_type="text/html; profile=mcp-app")],
    "png": lambda: PNG,
    "png-in-a-list": lambda: [one(PNG, mime_type="image/png")],
    "empty": lambda: "",
    "blank": lambda: " \\n",
    "empty-bytes": lambda: b"",
    "empty-item": lambda: [one("", meta={{"ui": {{"domain": "a.example"}}}})],
    "dict": lambda: {{"a": 1}},
    "list": lambda: [1, 2],
    "empty-list": lambda: [],
    "number": lambda: 3,
    "nothing": lambda: None,
    "alone": lambda: one("{{}}", mime_type="application/json"),
    "set": lambda: {{1}},
}}
SAID_TO_BE_PAGES = ["dict", "list", "empty-list", "number", "nothing"]
# On purpose something else than a page.
OTHERS = ["application/json", "text/html", "text/html+skybridge", "text/plain", "image/png"]

def add(server):
    for name, make in RETURNED.items():
        server.resource(f"ui://a/{{name}}", name=name)(make)
        server.resource(f"ui://m/{{name}}", name=f"m{{name}}", meta={{"k": 1}})(make)
    server.resource("ui://t/{{name}}", name="t")(lambda name: RETURNED[name]())
    server.add_resource(FileResource(
        uri="ui://f/file", path=Path("image.png").resolve(), mime_type="image/png"))
    for number, mime in enumerate(OTHERS):
        server.resource(f"ui://o/{{number}}", mime_type=mime)(lambda: "<p>raw")
        server.resource(f"ui://o/{{number}}/meta", mime_type=mime, meta={{"k": 1}},
            app={{"csp": {{"connectDomains": ["https://a.example"]}}}})(lambda: "<p>raw")
        server.resource(f"ui://o/{{number}}/t/{{{{name}}}}", name=f"t{{number}}", mime_type=mime)(
            lambda name: name)
    return server

def shapes():
    yield "alone", "", add(FastMCP("s"))
    root = FastMCP("root")
    root.mount(add(FastMCP("s")), namespace="far")
    yield "mounted", "far/", root
    yield "proxied", "", create_proxy(add(FastMCP("s")), name="proxy")

async def main():
    seen = {{}}
    for shape, prefix, server in shapes():
        # A back end's JSON that is called a page cannot be told from one.
        names = [name for name in RETURNED if shape != "proxied" or name not in SAID_TO_BE_PAGES]
        uris = [f"ui://{{prefix}}{{kind}}/{{name}}" for name in names for kind in "amt"]
        uris += [f"ui://{{prefix}}f/file"]
        uris += [f"ui://{{prefix}}o/{{n}}{{more}}" for n in range(len(OTHERS))
                 for more in ("", "/meta", "/t/x")]
        async with Client(server, mode={mode!r}) as client:
            for times in range(2):
                for uri in uris[times::2]:
                    try:
                        result = await client.read_resource_mcp(uri)
                        answer = result.model_dump_json(by_alias=True)
                    except Exception as error:
                        answer = f"{{type(error).__name__}}: {{error}}"
                    seen[f"{{shape}} {{uri}}"] = answer
                listed = await client.list_resources() + await client.list_resource_templates()
            for each in listed:
                uri = str(getattr(each, "uri", None) or each.uri_template)
                if f"{{prefix}}o/" in uri:
                    seen[f"{{shape}} listed {{uri}}"] = each.model_dump_json(by_alias=True)
    return seen
print(json.dumps(asyncio.run(main())))
"""


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_it_passes_as_fastmcp_makes_it(run_python: Any, mode: str) -> None:
    """The same bytes and the same errors with and without this package, in every composition."""
    env = {"FASTMCP_LOG_LEVEL": "CRITICAL"}
    without, with_us = (
        run_python(SERVER.format(imported=imported, mode=mode), env=env)
        for imported in (False, True)
    )
    assert len(without) == 3 * (20 * 3 + 1 + 15 + 15) - 5 * 3
    assert sum('"contents"' in answer for answer in without.values()) > len(without) / 2
    assert with_us.keys() == without.keys()
    different = {uri: with_us[uri] for uri, answer in without.items() if with_us[uri] != answer}
    assert different == {}
