"""`mcp-apps types`: what it writes, and that TypeScript agrees."""

from __future__ import annotations

import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from mcp_apps_plugin.cli.typescript import ToolTypes, declare_tools

SERVER = '''
from typing import Annotated, Literal
from fastmcp import FastMCP
from pydantic import BaseModel, Field
from mcp_apps_plugin import ui

mcp = FastMCP("Types")

class Node(BaseModel):
    name: str
    kids: list["Node"] = []

Depth = Annotated[int, Field(description="How deep")]

@mcp.tool
def tree(depth: Depth, kind: Literal["a", "b"] = "a") -> Node:
    """Grow a tree.\n\n    Slowly."""

@mcp.tool(name="plain-one")
def plain() -> str: ...

@mcp.tool
@ui(visibility="model")
def hidden() -> str: ...
'''
WRITTEN = """\
// Written by `mcp-apps types` from the server's schemas; do not edit.
interface McpAppTools {
  "plain-one": {
    input: Record<string, never>;
    output: {
      result: string;
    };
  };
  /** Grow a tree. */
  tree: {
    input: {
      /** How deep */
      depth: number;
      kind?: "a" | "b";
    };
    output: {
      name: string;
      kids?: McpAppTypes.tree_output_Node[];
    };
  };
}
declare namespace McpAppTypes {
  type tree_output_Node = {
    name: string;
    kids?: McpAppTypes.tree_output_Node[];
  };
}
"""
PAGE = """
import { App } from "./mcp-app.js";
const app = new App({ name: "a", version: "1" });
const result = await app.callServerTool("tree", { depth: 1, kind: "b" });
const kid: string | undefined = result.structuredContent?.kids?.[0].name;
const plain: string | undefined = (await app.callServerTool("plain-one")).structuredContent?.result;
// @ts-expect-error  a string is no depth
await app.callServerTool("tree", { depth: "1" });
// @ts-expect-error  a tree needs a depth
await app.callServerTool("tree");
// @ts-expect-error  there is no such field
result.structuredContent?.leaves;
export { kid, plain };
"""


def test_the_file_is_written(mcp_apps, write, tmp_path):
    """Tools a page may call, with their fields, defaults, choices and recursive types."""
    write(SERVER)
    done = mcp_apps("types", "server.py", "-o", "tools.d.ts")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "tools.d.ts").read_text(encoding="utf-8") == WRITTEN
    assert mcp_apps("types", "server.py").stdout == WRITTEN


@pytest.mark.slow
def test_typescript_checks_a_page_with_it(mcp_apps, write, tmp_path):
    """With the file beside it, a page's calls are checked; without one any name goes."""
    compiler = Path(__file__).parents[1] / "view/js/node_modules/typescript/bin/tsc"
    if shutil.which("node") is None or not compiler.exists():
        pytest.skip("needs Node and `npm install` in tests/view/js")
    write(SERVER)
    mcp_apps("types", "server.py", "-o", "tools.d.ts")
    library = resources.files("mcp_apps_plugin.view") / "mcp-app.d.ts"
    write(library.read_text(encoding="utf-8"), "mcp-app.d.ts")
    write(PAGE, "page.ts")
    options = ["--strict", "--noEmit", "--target", "es2022", "--module", "esnext"]
    command = ["node", str(compiler), *options, "--lib", "es2022,dom", "page.ts", "tools.d.ts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == ""


SCHEMAS = [
    ({"type": "string"}, "string"),
    ({"type": "integer"}, "number"),
    ({"type": ["string", "null"]}, "string | null"),
    ({"enum": [1, "a", None]}, '1 | "a" | null'),
    ({"const": "it's"}, '"it\'s"'),
    ({"anyOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}, "string | null"),
    ({"oneOf": []}, "never"),
    ({"type": "array"}, "unknown[]"),
    ({"type": "array", "items": {"type": ["string", "number"]}}, "(string | number)[]"),
    ({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}, "number[][]"),
    (
        {"type": "array", "prefixItems": [{"type": "number"}], "items": {"type": "string"}},
        "[number, ...string[]]",
    ),
    ({"type": "object"}, "Record<string, unknown>"),
    ({"type": "object", "additionalProperties": False}, "Record<string, never>"),
    ({"type": "object", "additionalProperties": {"type": "number"}}, "Record<string, number>"),
    ({"allOf": [{"type": ["string", "null"]}, {"$ref": "#/$defs/x"}]}, "(string | null) & number"),
    ({"$ref": "#/$defs/missing"}, "unknown"),
    ({}, "unknown"),
    (True, "unknown"),
    (False, "never"),
]


@pytest.mark.parametrize(("schema", "expected"), SCHEMAS, ids=lambda it: str(it)[:40])
def test_each_kind_of_schema(schema, expected):
    """Each keyword has the type that its values have."""
    root = {
        "type": "object",
        "properties": {"it": schema},
        "required": ["it"],
        "$defs": {"x": {"type": "integer"}},
    }
    text = declare_tools([ToolTypes("tool", None, root, None)])
    assert f"      it: {expected};\n" in text


def test_tools_of_a_mounted_server_have_both_names(mcp_apps, write):
    """The page of a mounted server calls its tools by the names they were written with."""
    write(
        """
        from fastmcp import FastMCP

        inner = FastMCP("inner")

        @inner.tool
        def more(n: int) -> int:
            return n

        outer = FastMCP("outer")
        outer.mount(inner, namespace="own")
        """.replace("\n        ", "\n")
    )
    written = mcp_apps("types", "server.py:outer").stdout
    assert written.count("n: number") == 2
    assert '"more"' in written or " more:" in written
    assert '"own_more"' in written or " own_more:" in written


def test_names_and_comments_cannot_break_out():
    """Whatever a server calls its fields, the file stays one declaration."""
    schema = {
        "type": "object",
        "properties": {'a"b': {"type": "string", "description": "ends */ here\nand more"}},
        "additionalProperties": True,
    }
    text = declare_tools([ToolTypes("x-y", "*/ alert()", schema, None)])
    assert '/** * / alert() */\n  "x-y": {' in text
    assert '/** ends * / here */\n      "a\\"b"?: string;\n      [key: string]: unknown;' in text
