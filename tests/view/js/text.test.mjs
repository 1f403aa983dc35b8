// The text itself: small, old enough for every browser a host brings, safe inside a script element, and as declared.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import ts from "typescript";
import { load, minified, source, sourceUrl } from "./support.mjs";

test("as written it is at most 32 KB", () => {
  assert.ok(Buffer.byteLength(source) <= 32 * 1024, Buffer.byteLength(source) + " bytes");
});

const small = minified["tdewolff-minify"];
test("minified and gzipped it is at most 6 KB", { skip: small === undefined && "no Python with tdewolff-minify (set PYTHON)" }, () => {
  const bytes = gzipSync(small, { level: 9 }).length;
  assert.ok(bytes <= 6 * 1024, bytes + " bytes");
});

test("it is ES2020: compiling it to that changes nothing", () => {
  const compile = (target) => ts.transpileModule(source, { compilerOptions: { target, module: ts.ModuleKind.None, removeComments: true } }).outputText;
  assert.equal(compile(ts.ScriptTarget.ES2020), compile(ts.ScriptTarget.ESNext));
});

test("it is a script, not a module, and can stand in a script element", () => {
  assert.doesNotMatch(source, /^\s*(import|export)\s/m);
  for (const text of [source, ...Object.values(minified).filter(Boolean)]) assert.doesNotMatch(text, /<\/script|<!--/i);
});

test("it needs no eval, no network and no storage", () => {
  assert.doesNotMatch(source, /\beval\b|new Function|\bfetch\b|XMLHttpRequest|localStorage|sessionStorage|document\.write/);
});

test("the declarations name what is there", () => {
  const file = ts.createSourceFile("mcp-app.d.ts", readFileSync(new URL("mcp-app.d.ts", sourceUrl), "utf8"), ts.ScriptTarget.ES2022);
  const exported = (node) => node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);
  const values = file.statements.filter(exported).flatMap((node) => {
    if (ts.isClassDeclaration(node) || ts.isFunctionDeclaration(node)) return [node.name.text];
    return ts.isVariableStatement(node) ? node.declarationList.declarations.map((declaration) => declaration.name.text) : [];
  });
  const McpApp = load();
  assert.deepEqual(values.sort(), Object.keys(McpApp).sort());

  const declared = file.statements.find((node) => ts.isClassDeclaration(node) && node.name.text === "App").members.map((member) => member.name?.text).filter(Boolean);
  const app = new McpApp.App({ name: "app", version: "1" });
  const settable = ["onerror", "onclose", "fallbackRequestHandler", "fallbackNotificationHandler"];
  assert.deepEqual(declared.filter((name) => !(name in app) && !settable.includes(name)), []);
  const undeclared = Object.getOwnPropertyNames(app).filter((name) => !declared.includes(name));
  assert.deepEqual(undeclared, []);
});
