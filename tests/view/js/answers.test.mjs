import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod/v4";
import { connected, soon, suite, tick } from "./support.mjs";

const text = (value) => ({ content: [{ type: "text", text: value }] });

suite("answers to the host", (load) => {
  for (const method of ["initialize", "sampling/createMessage", "roots/list", "tools/list", "tools/call", "elicitation/create", "ui/initialize", "toString", "constructor", "__proto__", ""])
    test("an unknown request gets -32601: " + JSON.stringify(method), async () => {
      const { host } = await connected(load());
      assert.equal((await host.request(method, {})).error.code, -32601);
    });

  for (const id of [0, 1, -1, "0", "", "abc"])
    test("a request with the id " + JSON.stringify(id) + " is answered with it", async () => {
      const { host } = await connected(load());
      assert.deepEqual(await host.request("ping", undefined, id), { jsonrpc: "2.0", id, result: {} });
    });

  for (const params of [null, undefined, {}])
    test("ping with params " + JSON.stringify(params), async () => {
      const { host } = await connected(load());
      assert.deepEqual((await host.request("ping", params)).result, {});
    });

  for (const params of ["x", 1, [1]])
    test("params that are no object get -32602: " + JSON.stringify(params), async () => {
      const { host } = await connected(load());
      assert.equal((await host.request("ping", params)).error.code, -32602);
    });

  test("requests during the handshake are answered", async () => {
    const McpApp = load();
    const app = new McpApp.App({ name: "app", version: "1" });
    const { host } = await connected(McpApp, {
      app,
      prepare: (_, it) => {
        const { start } = it.transport;
        it.transport.start = async () => { await start(); it.early = it.request("ping"); };
      },
    });
    assert.deepEqual((await host.early).result, {});
  });

  test("a handler by method: request and context, and its fault becomes an error", async () => {
    const { app, host } = await connected(load());
    let extra;
    app.setRequestHandler("x/echo", async (request, given) => { extra = given; return { echo: request.params }; });
    app.setRequestHandler("x/fail", () => { throw Object.assign(new Error("bad"), { code: -32050, data: { a: 1 } }); });
    app.setRequestHandler("x/plain", () => { throw new Error("plain"); });
    app.setRequestHandler("x/text", () => { throw "text"; });
    app.setRequestHandler("x/void", () => {});
    assert.deepEqual((await host.request("x/echo", { a: 1, _meta: { b: 2 } }, 7)).result, { echo: { a: 1, _meta: { b: 2 } } });
    assert.equal(extra.mcpReq.id, 7);
    assert.equal(extra.mcpReq.method, "x/echo");
    assert.deepEqual(extra.mcpReq._meta, { b: 2 });
    assert.ok(extra.mcpReq.signal instanceof AbortSignal && extra.signal === extra.mcpReq.signal && extra.requestId === 7);
    assert.deepEqual((await host.request("x/fail")).error, { code: -32050, message: "bad", data: { a: 1 } });
    assert.deepEqual((await host.request("x/plain")).error, { code: -32603, message: "plain" });
    assert.deepEqual((await host.request("x/text")).error, { code: -32603, message: "text" });
    assert.deepEqual((await host.request("x/void")).result, {});
  });

  test("a handler may ask and tell the host through its context", async () => {
    const { app, host } = await connected(load(), { replies: { "x/ask": { result: { n: 1 } } } });
    app.setRequestHandler("x/go", async (_, { mcpReq }) => {
      await mcpReq.notify({ method: "x/told" });
      return mcpReq.send({ method: "x/ask" });
    });
    assert.deepEqual((await host.request("x/go")).result, { n: 1 });
    assert.ok(host.find("x/told"));
  });

  test("request handlers: schema form, 1.x form, doubles, removal, fallback", async () => {
    const { app, host } = await connected(load());
    app.setRequestHandler("x/modern", { params: z.object({ n: z.number() }), result: z.any() }, ({ n }) => ({ n: n + 1 }));
    app.setRequestHandler(z.object({ method: z.literal("x/legacy"), params: z.any() }), (request) => ({ method: request.method }));
    assert.throws(() => app.setRequestHandler("x/modern", () => {}), /x\/modern/);
    assert.throws(() => app.assertCanSetRequestHandler("x/legacy"), /x\/legacy/);
    assert.deepEqual((await host.request("x/modern", { n: 1 })).result, { n: 2 });
    assert.equal((await host.request("x/modern", { n: "1" })).error.code, -32602);
    assert.deepEqual((await host.request("x/legacy")).result, { method: "x/legacy" });
    app.removeRequestHandler("x/legacy");
    assert.equal((await host.request("x/legacy")).error.code, -32601);
    app.fallbackRequestHandler = async (request) => ({ fallback: request.method });
    assert.deepEqual((await host.request("x/any")).result, { fallback: "x/any" });
  });

  test("a request the host cancels is aborted and not answered", async () => {
    const { app, host } = await connected(load());
    let reason;
    app.setRequestHandler("x/slow", (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => { reason = signal.reason.message; resolve({}); })));
    host.send({ jsonrpc: "2.0", id: 0, method: "x/slow" });
    await tick(2);
    host.notify("notifications/cancelled", { requestId: 0, reason: "enough" });
    host.notify("notifications/cancelled", { requestId: 99 });
    await tick(5);
    assert.equal(reason, "enough");
    assert.equal(host.sent.filter((message) => message.id === 0 && message.method === undefined).length, 0);
  });

  test("closing aborts what is being answered", async () => {
    const { app, host, errors } = await connected(load());
    let aborted = false;
    app.setRequestHandler("x/slow", (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => { aborted = true; resolve({}); })));
    host.send({ jsonrpc: "2.0", id: 0, method: "x/slow" });
    await tick(2);
    await app.close();
    await tick(2);
    assert.equal(aborted, true);
    assert.deepEqual(errors, []);
  });

  // ---- teardown ----

  test("teardown is answered, with and without a reason, with and without a handler", async () => {
    for (const params of [{}, { reason: "closed" }, undefined, { reason: null }]) {
      const { host } = await connected(load());
      assert.deepEqual((await host.request("ui/resource-teardown", params)).result, {});
    }
    const { app, host } = await connected(load());
    const seen = [];
    app.onteardown = async (params, extra) => { await tick(10); seen.push(params, extra.signal.aborted); return { saved: true }; };
    assert.deepEqual((await host.request("ui/resource-teardown", { reason: "closed" })).result, { saved: true });
    assert.deepEqual(seen, [{ reason: "closed" }, false]);
  });

  test("a failing teardown handler is told to the host", async () => {
    const { app, host } = await connected(load());
    app.onteardown = () => { throw new Error("not saved"); };
    assert.deepEqual((await host.request("ui/resource-teardown")).error, { code: -32603, message: "not saved" });
  });

  test("a doubled teardown runs once and is answered twice", async () => {
    const { app, host } = await connected(load());
    let count = 0;
    app.onteardown = () => { count++; return {}; };
    await Promise.all([host.request("ui/resource-teardown"), host.request("ui/resource-teardown")]);
    assert.equal(count, 1);
  });

  test("the app may still call while it is torn down, to save its state", async () => {
    const { app, host } = await connected(load(), { replies: { "tools/call": { result: {} } } });
    app.onteardown = async () => { await app.callServerTool({ name: "save" }); return {}; };
    assert.deepEqual((await host.request("ui/resource-teardown")).result, {});
    assert.ok(host.find("tools/call"));
  });

  test("run: on teardown the signal fires, the finalizer runs, and only then the host is answered", async () => {
    const McpApp = load();
    const app = new McpApp.App({ name: "app", version: "1" });
    const log = [];
    const { host } = await connected(McpApp, { app });
    const done = app.run(async (signal, given) => {
      assert.equal(given, app);
      log.push("start");
      try {
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      } finally {
        await tick(20);
        log.push("finalized");
      }
    });
    const { result } = await host.request("ui/resource-teardown", { reason: "closed" });
    log.push("answered");
    assert.deepEqual(result, {});
    assert.equal(await soon(done), undefined, "being interrupted is no failure");
    assert.deepEqual(log, ["start", "finalized", "answered"]);
  });

  test("run connects, after the program has set its handlers", async () => {
    const McpApp = load();
    const { Host } = await import("./support.mjs");
    const host = new Host();
    const app = new McpApp.App({ name: "app", version: "1" });
    const value = await soon(app.run(async () => {
      app.onelicit = async () => ({ action: "cancel" });
      await app.connect(host.transport);
      return app.getHostVersion().name;
    }));
    assert.equal(value, "host");
    assert.deepEqual(host.find("ui/initialize").params.appCapabilities, { elicitation: {} });
  });

  test("run: several programs, one of which fails; teardown waits for the rest", async () => {
    const { app, host } = await connected(load());
    let finalized = 0;
    const failing = app.run(async () => { throw new Error("program fault"); });
    await assert.rejects(soon(failing), /program fault/);
    const waiting = [1, 2].map(() => app.run(async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await tick(10);
      finalized++;
    }));
    await host.request("ui/resource-teardown");
    assert.equal(finalized, 2);
    await soon(Promise.all(waiting));
  });

  test("run: a finalizer that fails rejects run and does not keep the host waiting", async () => {
    const { app, host } = await connected(load());
    const done = app.run(async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new Error("finalizer fault");
    });
    done.catch(() => {});
    assert.deepEqual((await host.request("ui/resource-teardown")).result, {});
    await assert.rejects(soon(done), /finalizer fault/);
  });

  test("run: a lost connection fires the signal as well; a failed one rejects run", async () => {
    const { app, host } = await connected(load());
    let fired = false;
    const done = app.run((signal) => new Promise((resolve) => signal.addEventListener("abort", () => { fired = true; resolve(); })));
    host.transport.onclose();
    await soon(done);
    assert.equal(fired, true);
    const lonely = new (load().App)({ name: "app", version: "1" });
    await assert.rejects(soon(lonely.run((signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))))), { code: "NO_HOST" });
  });

  test("run: a program that is already over does not hold up teardown", async () => {
    const { app, host } = await connected(load());
    assert.equal(await soon(app.run(() => 5)), 5);
    assert.deepEqual((await host.request("ui/resource-teardown")).result, {});
  });

  // ---- elicitation ----

  const form = { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: { id: { type: "string" } } }, _meta: { ui: { resourceUri: "ui://a/b" } } };

  test("an elicitation handler set before connect declares the capability, and only then", async () => {
    const withHandler = await connected(load(), { prepare: (app) => { app.onelicit = async () => ({ action: "cancel" }); } });
    assert.deepEqual(withHandler.host.find("ui/initialize").params.appCapabilities, { elicitation: {} });
    const without = await connected(load());
    assert.deepEqual(without.host.find("ui/initialize").params.appCapabilities, {});
    const cleared = await connected(load(), { prepare: (app) => { app.onelicit = () => {}; app.onelicit = undefined; } });
    assert.deepEqual(cleared.host.find("ui/initialize").params.appCapabilities, {});
  });

  for (const answer of [{ action: "accept", content: { id: "x" } }, { action: "accept", content: {} }, { action: "decline" }, { action: "cancel" }])
    test("an elicitation is answered: " + JSON.stringify(answer), async () => {
      let given;
      const { host } = await connected(load(), { prepare: (app) => { app.onelicit = async (params, { signal }) => { given = [params, signal instanceof AbortSignal]; return answer; }; } });
      assert.deepEqual((await host.request("elicitation/create", form)).result, answer);
      assert.deepEqual(given, [form, true]);
    });

  for (const answer of [undefined, null, {}, { action: "accept" }, { action: "accept", content: "x" }, { action: "accept", content: [] }, { action: "maybe" }, "accept"])
    test("a malformed answer is an error, so that the host shows its own form: " + JSON.stringify(answer), async () => {
      const { host } = await connected(load(), { prepare: (app) => { app.onelicit = async () => answer; } });
      assert.ok((await host.request("elicitation/create", form)).error.code < 0);
    });

  test("an elicitation without a mode is a form; one by URL is refused; a fault is an error", async () => {
    const { app, host } = await connected(load(), { prepare: (it) => { it.onelicit = async () => ({ action: "decline" }); } });
    const { mode, ...plain } = form;
    assert.deepEqual((await host.request("elicitation/create", plain)).result, { action: "decline" });
    assert.equal((await host.request("elicitation/create", { mode: "url", url: "https://example.com" })).error.code, -32602);
    app.onelicit = async () => { throw new Error("no form"); };
    assert.equal((await host.request("elicitation/create", form)).error.message, "no form");
  });

  test("a cancelled elicitation aborts its handler", async () => {
    let aborted = false;
    const { host } = await connected(load(), { prepare: (app) => { app.onelicit = (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => { aborted = true; resolve({ action: "cancel" }); })); } });
    host.send({ jsonrpc: "2.0", id: "e", method: "elicitation/create", params: form });
    await tick(2);
    host.notify("notifications/cancelled", { requestId: "e" });
    await tick(5);
    assert.equal(aborted, true);
  });

  test("concurrent elicitations do not cross", async () => {
    const { host } = await connected(load(), { prepare: (app) => { app.onelicit = async ({ message }) => { await tick(message === "a" ? 20 : 1); return { action: "accept", content: { message } }; }; } });
    const answers = await Promise.all(["a", "b"].map((message) => host.request("elicitation/create", { message })));
    assert.deepEqual(answers.map((answer) => answer.result.content.message), ["a", "b"]);
  });

  // ---- app-provided tools ----

  test("oncalltool and onlisttools answer, and declare the capability", async () => {
    const { app, host } = await connected(load(), {
      prepare: (it) => {
        it.oncalltool = async (params) => text("called " + params.name);
        it.onlisttools = async () => ({ tools: [{ name: "a", inputSchema: { type: "object" } }] });
      },
    });
    assert.deepEqual(host.find("ui/initialize").params.appCapabilities, { tools: {} });
    assert.deepEqual((await host.request("tools/call", { name: "a" })).result, text("called a"));
    assert.equal((await host.request("tools/list")).result.tools.length, 1);
    assert.equal(typeof app.oncalltool, "function");
  });

  test("a declared but empty tool set is an empty list", async () => {
    const { host } = await connected(load(), { appCapabilities: { tools: { listChanged: true } } });
    assert.deepEqual((await host.request("tools/list", {})).result, { tools: [] });
    assert.equal((await host.request("tools/call", { name: "x" })).error.code, -32602);
  });

  test("a registered tool is declared, listed with all it has, and called", async () => {
    const { host } = await connected(load(), {
      prepare: (app) => {
        app.registerTool("plain", {}, async (extra) => text("signal " + (extra.mcpReq.signal instanceof AbortSignal)));
        app.registerTool("full", {
          title: "T", description: "D", annotations: { readOnlyHint: true }, _meta: { a: 1 },
          inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
          outputSchema: { type: "object", properties: { twice: { type: "number" } }, required: ["twice"] },
        }, async ({ n }) => ({ content: [], structuredContent: { twice: 2 * n } }));
      },
    });
    assert.deepEqual(host.find("ui/initialize").params.appCapabilities, { tools: { listChanged: true } });
    assert.deepEqual((await host.request("tools/list", {})).result.tools, [
      { name: "plain", inputSchema: { type: "object", properties: {} } },
      {
        name: "full", title: "T", description: "D", annotations: { readOnlyHint: true }, _meta: { a: 1 },
        inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        outputSchema: { type: "object", properties: { twice: { type: "number" } }, required: ["twice"] },
      },
    ]);
    assert.deepEqual((await host.request("tools/call", { name: "plain" })).result, text("signal true"));
    assert.deepEqual((await host.request("tools/call", { name: "full", arguments: { n: 2 } })).result, { content: [], structuredContent: { twice: 4 } });
  });

  const shape = { type: "object", required: ["n"], properties: { n: { type: "integer" }, kind: { enum: ["a", "b"] }, deep: { type: "object", required: ["x"], properties: { x: { type: ["string", "null"] } } }, list: { type: "array" } } };
  for (const [args, ok] of [
    [{ n: 1 }, true], [{ n: 1, kind: "a", deep: { x: null }, list: [], extra: 1 }, true], [{ n: 1, deep: { x: "s" } }, true],
    [undefined, false], [null, false], [{}, false], [{ n: "1" }, false], [{ n: 1.5 }, false], [{ n: 1, kind: "c" }, false], [{ n: 1, deep: {} }, false], [{ n: 1, deep: [] }, false], [{ n: 1, deep: { x: 1 } }, false], [{ n: 1, list: {} }, false], ["x", false],
  ])
    test("tool arguments against a JSON schema: " + JSON.stringify(args) + (ok ? " pass" : " are an error result"), async () => {
      let called = false;
      const { host } = await connected(load(), { prepare: (app) => { app.registerTool("t", { inputSchema: shape }, async () => { called = true; return { content: [] }; }); } });
      const { result } = await host.request("tools/call", { name: "t", ...(args !== undefined && { arguments: args }) });
      assert.equal(result.isError ?? false, !ok);
      assert.equal(called, ok);
      if (!ok) assert.match(result.content[0].text, /^t/);
    });

  test("a zod schema validates, parses and is listed as JSON schema", async () => {
    const { host } = await connected(load(), {
      prepare: (app) => {
        app.registerTool("z", { inputSchema: z.object({ n: z.coerce.number() }), outputSchema: z.object({ n: z.number() }) }, async ({ n }) => ({ content: [], structuredContent: { n } }));
      },
    });
    const [listed] = (await host.request("tools/list", {})).result.tools;
    assert.equal(listed.inputSchema.type, "object");
    assert.ok(listed.inputSchema.properties.n && listed.outputSchema.properties.n);
    assert.deepEqual((await host.request("tools/call", { name: "z", arguments: { n: "3" } })).result.structuredContent, { n: 3 });
    assert.equal((await host.request("tools/call", { name: "z", arguments: { n: "x" } })).result.isError, true);
  });

  test("a Standard Schema that cannot say its JSON schema is listed as an object", async () => {
    const schema = { "~standard": { validate: async (value) => ({ value }) } };
    const { host } = await connected(load(), { prepare: (app) => { app.registerTool("s", { inputSchema: schema }, async (args) => text(JSON.stringify(args))); } });
    assert.deepEqual((await host.request("tools/list", {})).result.tools[0].inputSchema, { type: "object" });
    assert.deepEqual((await host.request("tools/call", { name: "s", arguments: { a: 1 } })).result, text('{"a":1}'));
  });

  test("a tool that throws, or whose output does not fit, gives an error result; an error result is not checked", async () => {
    const { host } = await connected(load(), {
      prepare: (app) => {
        const outputSchema = { type: "object", required: ["n"] };
        app.registerTool("throws", {}, async () => { throw new Error("boom"); });
        app.registerTool("misfits", { outputSchema }, async () => ({ content: [], structuredContent: {} }));
        app.registerTool("fails", { outputSchema }, async () => ({ content: [], isError: true }));
      },
    });
    assert.deepEqual((await host.request("tools/call", { name: "throws" })).result, { ...text("boom"), isError: true });
    assert.equal((await host.request("tools/call", { name: "misfits" })).result.isError, true);
    assert.deepEqual((await host.request("tools/call", { name: "fails" })).result, { content: [], isError: true });
  });

  for (const name of ["nope", "toString", "__proto__"])
    test("an unknown tool is a protocol error: " + name, async () => {
      const { host } = await connected(load(), { prepare: (app) => { app.registerTool("t", {}, async () => ({ content: [] })); } });
      assert.equal((await host.request("tools/call", { name })).error.code, -32602);
    });

  test("disable, enable, update and remove take effect and are announced", async () => {
    const { app, host } = await connected(load(), { prepare: (it) => { it.tool = it.registerTool("t", {}, async () => ({ content: [] })); } });
    const names = async () => (await host.request("tools/list", {})).result.tools.map((tool) => tool.description ?? tool.name);
    assert.equal(host.find("notifications/tools/list_changed"), undefined);
    app.tool.disable();
    assert.deepEqual(await names(), []);
    assert.equal((await host.request("tools/call", { name: "t" })).error.code, -32602);
    app.tool.enable();
    app.tool.update({ description: "new" });
    assert.deepEqual(await names(), ["new"]);
    app.tool.remove();
    app.tool.remove();
    assert.deepEqual(await names(), []);
    app.registerTool("u", {}, async () => ({ content: [] }));
    assert.deepEqual(await names(), ["u"]);
    assert.equal(host.sent.filter((message) => message.method === "notifications/tools/list_changed").length, 5);
  });

  test("no announcement when listChanged was not declared", async () => {
    const { app, host } = await connected(load(), { appCapabilities: { tools: {} } });
    app.registerTool("t", {}, async () => ({ content: [] }));
    await tick(2);
    assert.equal(host.find("notifications/tools/list_changed"), undefined);
  });

  test("a tool name twice, and a first tool after connect, are refused with the remedy", async () => {
    const { app } = await connected(load());
    assert.throws(() => app.registerTool("t", {}, async () => ({ content: [] })), /listChanged/);
    const declared = await connected(load(), { appCapabilities: { tools: { listChanged: true } } });
    declared.app.registerTool("t", {}, async () => ({ content: [] }));
    assert.throws(() => declared.app.registerTool("t", {}, async () => ({ content: [] })), /t$/);
  });
});
