import assert from "node:assert/strict";
import { test } from "node:test";
import { connected, everything, soon, suite, tick } from "./support.mjs";

suite("requests to the host", (load) => {
  const link = { url: "https://example.com" };
  const text = [{ type: "text", text: "hi" }];
  /** One row per message: how the page says it, and what is on the wire. */
  const rows = [
    ["callServerTool", [{ name: "t", arguments: { a: 1 } }], "tools/call", { name: "t", arguments: { a: 1 } }, { content: text }, "serverTools"],
    ["readServerResource", [{ uri: "ui://x/y" }], "resources/read", { uri: "ui://x/y" }, { contents: [{ uri: "ui://x/y", text: "z" }] }, "serverResources"],
    ["listServerTools", [{ cursor: "c" }], "tools/list", { cursor: "c" }, { tools: [] }, "serverTools"],
    ["listServerResources", [{ cursor: "c" }], "resources/list", { cursor: "c" }, { resources: [] }, "serverResources"],
    ["createSamplingMessage", [{ messages: [], maxTokens: 1 }], "sampling/createMessage", { messages: [], maxTokens: 1 }, { role: "assistant", content: text[0], model: "m" }, "sampling"],
    ["sendMessage", [{ role: "user", content: text }], "ui/message", { role: "user", content: text }, {}],
    ["updateModelContext", [{ structuredContent: { a: 1 } }], "ui/update-model-context", { structuredContent: { a: 1 } }, {}],
    ["openLink", [link], "ui/open-link", link, {}, "openLinks"],
    ["sendOpenLink", [link], "ui/open-link", link, {}, "openLinks"],
    ["downloadFile", [{ contents: [] }], "ui/download-file", { contents: [] }, {}, "downloadFile"],
    ["requestDisplayMode", [{ mode: "fullscreen" }], "ui/request-display-mode", { mode: "fullscreen" }, { mode: "inline" }],
  ];
  for (const [name, args, method, params, reply, capability] of rows) {
    test(name + " sends " + method + " and gives the host's result", async () => {
      const { app, host } = await connected(load(), { replies: { [method]: { result: reply } } });
      assert.deepEqual(await soon(app[name](...args)), reply);
      const sent = host.find(method);
      const { _meta, ...plain } = sent.params;
      assert.deepEqual(plain, params);
      assert.equal(sent.jsonrpc, "2.0");
      assert.equal(typeof sent.id, "number");
    });

    test(name + " rejects with the host's error", async () => {
      const { app } = await connected(load(), { replies: { [method]: { error: { code: -32603, message: "broken", data: { a: 1 } } } } });
      await assert.rejects(soon(app[name](...args)), { code: -32603, message: "broken", data: { a: 1 } });
    });

    test(name + " rejects a result that is no object", async () => {
      const { app } = await connected(load(), { replies: { [method]: { result: null } } });
      await assert.rejects(soon(app[name](...args)), { code: "INVALID_RESULT" });
    });

    if (capability)
      test(name + " fails at once, by name, when the host lacks " + capability, async () => {
        const McpApp = load();
        const { [capability]: _, ...others } = everything;
        const { app, host } = await connected(McpApp, { capabilities: others });
        await assert.rejects(soon(app[name](...args)), (error) => error instanceof McpApp.CapabilityError && error.name === "CapabilityError" && error.code === "CAPABILITY_NOT_SUPPORTED" && error.capability === capability);
        assert.equal(host.sent.length, 2, "nothing was asked");
      });
  }

  test("a call made before the handshake also fails by name", async () => {
    const McpApp = load();
    const app = new McpApp.App({ name: "app", version: "1" });
    const call = app.callServerTool({ name: "t" });
    await connected(McpApp, { app, capabilities: {} });
    await assert.rejects(soon(call), { capability: "serverTools" });
  });

  for (const [name, args, method, capability] of [["sendMessage", [{ role: "user", content: text }], "ui/message", "message"], ["updateModelContext", [{}], "ui/update-model-context", "updateModelContext"]])
    test(name + " is tried without the draft's capability, and names it when refused", async () => {
      const served = await connected(load(), { capabilities: {}, replies: { [method]: { result: {} } } });
      assert.deepEqual(await soon(served.app[name](...args)), {});
      const refused = await connected(load(), { capabilities: {}, replies: { [method]: { error: { code: -32601, message: "Method not found" } } } });
      await assert.rejects(soon(refused.app[name](...args)), { code: "CAPABILITY_NOT_SUPPORTED", capability });
    });

  test("a host that promised and does not serve is named as well", async () => {
    const { app } = await connected(load(), { replies: { "tools/list": { error: { code: -32601, message: "Method not found" } } } });
    await assert.rejects(soon(app.listServerTools()), { capability: "serverTools" });
  });

  test("a host that declares no capabilities at all is asked", async () => {
    const { app } = await connected(load(), { initialize: { hostContext: {} }, replies: { "tools/call": { result: {} } } });
    assert.deepEqual(await soon(app.callServerTool({ name: "t" })), { content: [] });
  });

  test("enforceStrictCapabilities: false asks whatever the host declared", async () => {
    const { app } = await connected(load(), { capabilities: {}, options: { enforceStrictCapabilities: false }, replies: { "tools/call": { result: {} } } });
    assert.deepEqual(await soon(app.callServerTool({ name: "t" })), { content: [] });
  });

  test("sampling with tools needs sampling.tools", async () => {
    const { app } = await connected(load(), { capabilities: { sampling: {} }, replies: { "sampling/createMessage": { result: { role: "assistant" } } } });
    await assert.rejects(soon(app.createSamplingMessage({ messages: [], maxTokens: 1, tools: [] })), { code: "CAPABILITY_NOT_SUPPORTED" });
    assert.deepEqual(await soon(app.createSamplingMessage({ messages: [], maxTokens: 1 })), { role: "assistant" });
  });

  for (const [name, args, method] of [["openLink", [link], "ui/open-link"], ["downloadFile", [{ contents: [] }], "ui/download-file"], ["sendMessage", [{ content: text }], "ui/message"]])
    test(name + ": a denial has one form, whichever the host uses", async () => {
      for (const reply of [{ result: { isError: true } }, { error: { code: -32000, message: "denied" } }]) {
        const { app } = await connected(load(), { replies: { [method]: reply } });
        assert.equal((await soon(app[name](...args))).isError, true);
      }
    });

  test("a denied context update rejects, as its reply has no error flag", async () => {
    const { app } = await connected(load(), { replies: { "ui/update-model-context": { error: { code: -32000, message: "denied" } } } });
    await assert.rejects(soon(app.updateModelContext({})), { code: -32000 });
  });

  test("a display mode the host does not offer is answered with the current one", async () => {
    const { app, host } = await connected(load(), { context: { displayMode: "pip", availableDisplayModes: ["inline", "pip"] } });
    assert.deepEqual(await soon(app.requestDisplayMode({ mode: "fullscreen" })), { mode: "pip" });
    assert.equal(host.sent.length, 2);
  });

  test("a display mode the host offers is asked for, and the answer may differ", async () => {
    const { app } = await connected(load(), { context: { availableDisplayModes: ["inline", "fullscreen"] }, replies: { "ui/request-display-mode": { result: { mode: "inline" } } } });
    assert.deepEqual(await soon(app.requestDisplayMode({ mode: "fullscreen" })), { mode: "inline" });
  });

  for (const [name, args, method, params] of [
    ["sendLog", [{ level: "info", data: { a: 1 }, logger: "x" }], "notifications/message", { level: "info", data: { a: 1 }, logger: "x" }],
    ["sendSizeChanged", [{ width: 1, height: 2 }], "ui/notifications/size-changed", { width: 1, height: 2 }],
    ["requestTeardown", [], "ui/notifications/request-teardown", {}],
    ["sendToolListChanged", [], "notifications/tools/list_changed", {}],
  ])
    test(name + " sends " + method + " without an id", async () => {
      const { app, host } = await connected(load());
      assert.equal(await soon(app[name](...args)), undefined);
      assert.deepEqual(host.find(method), { jsonrpc: "2.0", method, params });
    });

  test("ping goes both ways", async () => {
    const { app, host } = await connected(load(), { replies: { ping: { result: {} } } });
    assert.deepEqual(await soon(app.ping()), {});
    assert.equal("params" in host.find("ping"), false);
    assert.deepEqual((await host.request("ping")).result, {});
  });

  test("requests without params leave them out", async () => {
    const { app, host } = await connected(load(), { replies: { "resources/list": { result: {} } } });
    assert.deepEqual(await soon(app.listServerResources()), { resources: [] });
    assert.equal("params" in host.find("resources/list"), false);
  });

  test("callServerTool takes a name and arguments as well", async () => {
    const { app, host } = await connected(load(), { replies: { "tools/call": { result: {} } } });
    await soon(app.callServerTool("t", { a: 1 }));
    await soon(app.callServerTool("u"));
    const calls = host.sent.filter((message) => message.method === "tools/call").map(({ params: { _meta, ...rest } }) => rest);
    assert.deepEqual(calls, [{ name: "t", arguments: { a: 1 } }, { name: "u", arguments: {} }]);
  });

  test("a tool call always carries a progress token, beside the caller's _meta", async () => {
    const { app, host } = await connected(load(), { replies: { "tools/call": { result: {} } } });
    await soon(app.callServerTool({ name: "t", _meta: { trace: 1 } }));
    const sent = host.find("tools/call");
    assert.deepEqual(sent.params._meta, { trace: 1, progressToken: sent.id });
  });

  test("other requests carry one when progress is wanted", async () => {
    const { app, host } = await connected(load(), { replies: { "resources/read": { result: {} } } });
    await soon(app.readServerResource({ uri: "x://y" }, { onprogress: () => {} }));
    await soon(app.readServerResource({ uri: "x://y" }));
    assert.equal(host.find("resources/read").params._meta.progressToken, host.find("resources/read").id);
    assert.equal("_meta" in host.find("resources/read", 1).params, false);
  });

  test("a single block becomes a list in sendMessage, and the role is user", async () => {
    const { app, host } = await connected(load(), { replies: { "ui/message": { result: {} } } });
    await soon(app.sendMessage({ content: text[0] }));
    assert.deepEqual(host.find("ui/message").params, { role: "user", content: text });
  });

  for (const [name, reply, expected] of [
    ["without content", {}, { content: [] }],
    ["with nulls", { content: null, isError: null }, { content: [] }],
    ["with resultType complete", { content: text, resultType: "complete" }, { content: text }],
    ["with an error flag", { content: text, isError: true }, { content: text, isError: true }],
  ])
    test("a tool result " + name + " is usable", async () => {
      const { app } = await connected(load(), { replies: { "tools/call": { result: reply } } });
      assert.deepEqual(await soon(app.callServerTool({ name: "t" })), expected);
    });

  for (const resultType of ["input_required", "task", "later"])
    test("an interim tool result is refused: " + resultType, async () => {
      const { app } = await connected(load(), { replies: { "tools/call": { result: { resultType, requestState: "s" } } } });
      await assert.rejects(soon(app.callServerTool({ name: "t" })), { code: "INVALID_RESULT" });
    });

  for (const error of ["text", 5, {}, { code: "x" }, { message: 4 }])
    test("a malformed error answer still rejects: " + JSON.stringify(error), async () => {
      const { app } = await connected(load(), { replies: { "tools/call": { error } } });
      await assert.rejects(soon(app.callServerTool({ name: "t" })), Error);
    });

  test("an error of null beside a result is a result", async () => {
    const { app } = await connected(load(), { replies: { "tools/call": { error: null, result: {} } } });
    assert.deepEqual(await soon(app.callServerTool({ name: "t" })), { content: [] });
  });

  test("answers find their calls in any order; strangers, late ones and doubles are ignored", async () => {
    const { app, host, errors } = await connected(load());
    const calls = ["a", "b"].map((name) => app.callServerTool({ name }));
    const requests = [await host.wait("tools/call"), await host.wait("tools/call", 1)];
    const answer = (request) => host.respond(request, { result: { content: [], structuredContent: { for: request.params.name } } });
    host.send({ jsonrpc: "2.0", id: 999, result: {} });
    host.send({ jsonrpc: "2.0", id: String(requests[0].id), result: {} });
    answer(requests[1]);
    answer(requests[1]);
    answer(requests[0]);
    const results = await soon(Promise.all(calls));
    assert.deepEqual(results.map((result) => result.structuredContent.for), ["a", "b"]);
    assert.deepEqual(errors, []);
  });

  test("ids that collide across directions are no trouble", async () => {
    const { app, host } = await connected(load());
    const call = app.callServerTool({ name: "t" });
    const sent = await host.wait("tools/call");
    assert.deepEqual((await host.request("ping", {}, sent.id)).result, {});
    host.respond(sent, { result: {} });
    assert.deepEqual(await soon(call), { content: [] });
  });

  test("an aborted call tells the host and rejects with the reason", async () => {
    const { app, host } = await connected(load());
    const abort = new AbortController();
    const call = app.callServerTool({ name: "t" }, { signal: abort.signal });
    const sent = await host.wait("tools/call");
    abort.abort(new Error("not needed"));
    await assert.rejects(soon(call), /not needed/);
    assert.deepEqual(host.find("notifications/cancelled").params, { requestId: sent.id, reason: "not needed" });
  });

  test("a reason that is text makes an AbortError", async () => {
    const { app } = await connected(load());
    const abort = new AbortController();
    const call = app.callServerTool({ name: "t" }, { signal: abort.signal });
    abort.abort("why");
    await assert.rejects(soon(call), { name: "AbortError", message: "why" });
  });

  test("a call with a spent signal is not sent", async () => {
    const { app, host } = await connected(load());
    await assert.rejects(soon(app.callServerTool({ name: "t" }, { signal: AbortSignal.abort() })), { name: "AbortError" });
    assert.equal(host.sent.length, 2);
  });

  test("aborting after the answer changes nothing", async () => {
    const { app, host } = await connected(load(), { replies: { "tools/call": { result: {} } } });
    const abort = new AbortController();
    await soon(app.callServerTool({ name: "t" }, { signal: abort.signal }));
    abort.abort();
    await tick(2);
    assert.equal(host.find("notifications/cancelled"), undefined);
  });

  test("a call times out, and the host is told", async () => {
    const { app, host } = await connected(load());
    await assert.rejects(soon(app.callServerTool({ name: "t" }, { timeout: 20 })), { code: "REQUEST_TIMEOUT" });
    assert.equal(host.find("notifications/cancelled").params.requestId, host.find("tools/call").id);
  });

  test("the default timeout is a minute", async (t) => {
    const { app, host } = await connected(load());
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let failure;
    app.callServerTool({ name: "t" }).catch((error) => (failure = error));
    t.mock.timers.tick(59999);
    await Promise.resolve();
    assert.equal(failure, undefined);
    t.mock.timers.tick(1);
    t.mock.timers.reset();
    await tick(5);
    assert.equal(failure.code, "REQUEST_TIMEOUT");
    assert.ok(host.find("tools/call"));
  });

  test("progress reaches onprogress without its token, and resets the clock", async () => {
    const { app, host } = await connected(load());
    const seen = [];
    const call = app.callServerTool({ name: "t" }, { timeout: 80, onprogress: (progress) => seen.push(progress) });
    const { id } = await host.wait("tools/call");
    for (let i = 1; i <= 4; i++) {
      await tick(40);
      host.notify("notifications/progress", { progressToken: id, progress: i, total: 4 });
    }
    await tick(40);
    host.respond({ id }, { result: {} });
    await soon(call);
    assert.deepEqual(seen, [1, 2, 3, 4].map((progress) => ({ progress, total: 4 })));
  });

  test("resetTimeoutOnProgress: false and maxTotalTimeout bound the wait", async () => {
    for (const options of [{ timeout: 60, resetTimeoutOnProgress: false }, { timeout: 60, maxTotalTimeout: 90 }]) {
      const { app, host } = await connected(load());
      const call = app.callServerTool({ name: "t" }, options);
      const { id } = await host.wait("tools/call");
      const timer = setInterval(() => host.notify("notifications/progress", { progressToken: id, progress: 1 }), 15);
      await assert.rejects(soon(call), { code: "REQUEST_TIMEOUT" });
      clearInterval(timer);
    }
  });

  test("an endless timeout is allowed and does not fire at once", async () => {
    const { app, host } = await connected(load());
    const call = app.callServerTool({ name: "t" }, { timeout: Infinity });
    const sent = await host.wait("tools/call");
    await tick(20);
    host.respond(sent, { result: {} });
    assert.deepEqual(await soon(call), { content: [] });
  });

  test("a faulty onprogress goes to onerror; unknown tokens are ignored", async () => {
    const { app, host, errors } = await connected(load());
    const call = app.callServerTool({ name: "t" }, { onprogress: () => { throw new Error("bad bar"); } });
    const sent = await host.wait("tools/call");
    host.notify("notifications/progress", { progressToken: 12345, progress: 1 });
    host.notify("notifications/progress", { progressToken: sent.id, progress: 1 });
    host.respond(sent, { result: {} });
    await soon(call);
    assert.deepEqual(errors.map((error) => error.message), ["bad bar"]);
  });

  test("a transport that cannot send rejects the call", async () => {
    const { app, host } = await connected(load());
    host.transport.send = async () => { throw new Error("gone"); };
    await assert.rejects(soon(app.callServerTool({ name: "t" })), /gone/);
  });

  test("request() sends any method, with and without a result schema", async () => {
    const { app } = await connected(load(), { replies: { "x/y": { result: { n: 1 } } } });
    assert.deepEqual(await soon(app.request({ method: "x/y", params: { a: 1 } })), { n: 1 });
    const schema = { "~standard": { validate: (value) => (value.n === 1 ? { value: { parsed: true } } : { issues: [{ message: "n" }] }) } };
    assert.deepEqual(await soon(app.request({ method: "x/y" }, schema)), { parsed: true });
    const strict = { "~standard": { validate: () => ({ issues: [{ message: "never", path: ["a"] }] }) } };
    await assert.rejects(soon(app.request({ method: "x/y" }, strict, { timeout: 100 })), /never/);
    await assert.rejects(soon(app.request({ method: "x/silent" }, { timeout: 20 })), { code: "REQUEST_TIMEOUT" });
  });

  test("notification() sends any method", async () => {
    const { app, host } = await connected(load());
    await soon(app.notification({ method: "x/n", params: { a: 1 } }));
    assert.deepEqual(host.find("x/n").params, { a: 1 });
  });

  test("the page's names for tools become those of its mount", async () => {
    globalThis.document = {
      querySelector: (selector) => (selector === "script#mcp-app-names" ? { textContent: '{"refresh":"crm_refresh","toString":"crm_toString"}' } : null),
    };
    try {
      const { app, host } = await connected(load(), { options: { autoResize: false }, replies: { "tools/call": { result: {} } } });
      for (const name of ["refresh", "other", "constructor", "toString"]) await soon(app.callServerTool({ name }));
      await soon(app.callServerTool("refresh", {}));
      const names = host.sent.filter((message) => message.method === "tools/call").map((message) => message.params.name);
      assert.deepEqual(names, ["crm_refresh", "other", "constructor", "crm_toString", "crm_refresh"]);
    } finally {
      delete globalThis.document;
    }
  });
});
