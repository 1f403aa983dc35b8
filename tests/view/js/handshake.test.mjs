import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, connected, everything, soon, suite, tick } from "./support.mjs";

suite("handshake", (load) => {
  const make = (capabilities, options) => new (load().App)({ name: "app", version: "1" }, capabilities, options);

  test("initialize carries appInfo, appCapabilities and the protocol version, and its id is 0", async () => {
    const { host } = await connected(load(), { appCapabilities: { availableDisplayModes: ["inline"] } });
    assert.deepEqual(host.sent[0], {
      jsonrpc: "2.0",
      id: 0,
      method: "ui/initialize",
      params: { appInfo: { name: "app", version: "1" }, appCapabilities: { availableDisplayModes: ["inline"] }, protocolVersion: "2026-01-26" },
    });
  });

  test("initialized follows the result, without an id, and before anything else", async () => {
    const { host } = await connected(load());
    assert.equal(host.sent[1].method, "ui/notifications/initialized");
    assert.equal("id" in host.sent[1], false);
    assert.equal(host.sent.length, 2);
  });

  test("what the host said is there after connect, and nothing before", async () => {
    const app = make();
    assert.equal(app.getHostContext(), undefined);
    assert.equal(app.getHostCapabilities(), undefined);
    assert.equal(app.getHostVersion(), undefined);
    const host = new Host({ context: { theme: "dark", displayMode: "inline" } });
    await app.connect(host.transport);
    assert.deepEqual(app.getHostContext(), { theme: "dark", displayMode: "inline" });
    assert.deepEqual(app.getHostCapabilities(), everything);
    assert.deepEqual(app.getHostVersion(), { name: "host", version: "1" });
    assert.equal(app.transport, host.transport);
  });

  const lenient = {
    "an unknown CSS variable": { hostContext: { styles: { variables: { "--brand-new": "1px" } } } },
    "a null CSS variable": { hostContext: { styles: { variables: { "--color-text-primary": null } } } },
    "an unknown theme": { hostContext: { theme: "sepia" } },
    "a null theme": { hostContext: { theme: null } },
    "an unknown display mode": { hostContext: { displayMode: "hologram", availableDisplayModes: ["hologram", "inline"] } },
    "an unknown platform": { hostContext: { platform: "watch" } },
    "a tool without a schema": { hostContext: { toolInfo: { tool: { name: "t" } } } },
    "boolean capabilities": { hostCapabilities: { openLinks: true, serverTools: true } },
    "an odd experimental value": { hostCapabilities: { experimental: { x: 1 } } },
    "a missing host context": { hostContext: undefined },
    "a null host context": { hostContext: null },
    "missing host info": { hostInfo: undefined },
    "missing host capabilities": { hostCapabilities: undefined },
    "another protocol version": { protocolVersion: "2099-01-01" },
    "a missing protocol version": { protocolVersion: undefined },
    "an extra resultType": { resultType: "complete" },
    "unknown keys everywhere": { hostContext: { x: { y: 1 } }, hostCapabilities: { z: {} }, extra: 1 },
  };
  for (const [name, change] of Object.entries(lenient))
    test("does not fail over " + name, async () => {
      const initialize = { protocolVersion: "2026-01-26", hostInfo: { name: "h", version: "1" }, hostCapabilities: {}, hostContext: {}, ...change };
      const { app, errors } = await connected(load(), { initialize });
      assert.equal(typeof app.getHostContext(), "object");
      assert.deepEqual(errors, []);
    });

  test("an error answer rejects connect with the host's code", async () => {
    const host = new Host({ initialize: { error: { code: -32602, message: "no" } } });
    await assert.rejects(soon(make().connect(host.transport)), { code: -32602, message: "no" });
    assert.equal(host.closed, 1);
  });

  for (const result of [null, 1, "x", []])
    test("a result that is no object rejects connect: " + JSON.stringify(result), async () => {
      const host = new Host({ initialize: "never" });
      const connecting = make().connect(host.transport);
      host.respond(await host.wait("ui/initialize"), { result });
      await assert.rejects(soon(connecting), { code: "INVALID_RESULT" });
    });

  test("a silent host rejects connect after the timeout, without a cancel notice", async () => {
    const host = new Host({ initialize: "never" });
    await assert.rejects(soon(make().connect(host.transport, { timeout: 20 })), { code: "REQUEST_TIMEOUT" });
    assert.equal(host.find("notifications/cancelled"), undefined);
  });

  test("connect can be aborted", async () => {
    const host = new Host({ initialize: "never" });
    const abort = new AbortController();
    const connecting = make().connect(host.transport, { signal: abort.signal });
    await host.wait("ui/initialize");
    abort.abort(new Error("changed my mind"));
    await assert.rejects(soon(connecting), /changed my mind/);
  });

  test("a transport that cannot start rejects connect", async () => {
    const host = new Host();
    host.transport.start = async () => { throw new Error("no channel"); };
    await assert.rejects(soon(make().connect(host.transport)), /no channel/);
  });

  test("a transport that cannot send rejects connect", async () => {
    const host = new Host();
    host.transport.send = async () => { throw new Error("gone"); };
    await assert.rejects(soon(make().connect(host.transport)), /gone/);
  });

  test("outside any window, connect says there is no host", async () => {
    await assert.rejects(soon(make().connect()), { code: "NO_HOST" });
  });

  test("connecting twice is one handshake and one promise", async () => {
    const app = make();
    const host = new Host();
    const first = app.connect(host.transport);
    assert.equal(app.connect(), first);
    assert.equal(app.connect(host.transport), first);
    await first;
    assert.equal(app.connect(), first);
    assert.equal(host.sent.filter((message) => message.method === "ui/initialize").length, 1);
  });

  test("connecting to a second transport is refused", async () => {
    const { app } = await connected(load());
    await assert.rejects(app.connect(new Host().transport), { code: "ALREADY_CONNECTED" });
  });

  test("after close, the app can be connected anew and gets its data anew", async () => {
    const { app } = await connected(load());
    await app.close();
    const host = new Host();
    const seen = [];
    app.ontoolinput = (params) => seen.push(params.arguments);
    await soon(app.connect(host.transport));
    host.notify("ui/notifications/tool-input", { arguments: { n: 2 } });
    assert.deepEqual(await soon(app.toolInput), { arguments: { n: 2 } });
    assert.deepEqual(seen, [{ n: 2 }]);
  });

  test("after a failed handshake, connecting again works", async () => {
    const app = make();
    await assert.rejects(app.connect(new Host({ initialize: { error: { code: 1, message: "busy" } } }).transport));
    const host = new Host();
    await soon(app.connect(host.transport));
    assert.ok(host.find("ui/notifications/initialized"));
  });

  test("close during the handshake rejects connect", async () => {
    const host = new Host({ initialize: "never" });
    const app = make();
    const connecting = app.connect(host.transport);
    await host.wait("ui/initialize");
    await app.close();
    await assert.rejects(soon(connecting), { code: "CONNECTION_CLOSED" });
  });

  test("close before connect settles what waits", async () => {
    const app = make();
    const call = app.callServerTool({ name: "t" });
    const { toolInput, toolResult } = app;
    await app.close();
    for (const promise of [call, toolInput, toolResult]) await soon(assert.rejects(promise, { code: "CONNECTION_CLOSED" }));
  });

  test("close closes the transport, calls onclose once and rejects what is open", async () => {
    const { app, host } = await connected(load());
    let closes = 0;
    app.onclose = () => closes++;
    const call = app.callServerTool({ name: "t" });
    await host.wait("tools/call");
    await app.close();
    await app.close();
    await assert.rejects(soon(call), { code: "CONNECTION_CLOSED" });
    await assert.rejects(soon(app.callServerTool({ name: "t" })), { code: "CONNECTION_CLOSED" });
    await assert.rejects(soon(app.sendLog({ level: "info", data: 1 })), { code: "CONNECTION_CLOSED" });
    assert.deepEqual([closes, host.closed, app.transport], [1, 1, undefined]);
  });

  test("a connection the other side closes ends the same way", async () => {
    const { app, host } = await connected(load());
    let closes = 0;
    app.onclose = () => closes++;
    const call = app.openLink({ url: "https://example.com" });
    host.transport.onclose();
    await assert.rejects(soon(call), { code: "CONNECTION_CLOSED" });
    assert.equal(closes, 1);
  });

  test("messages after close are ignored", async () => {
    const { app, host, errors } = await connected(load());
    let seen = 0;
    app.ontoolinput = () => seen++;
    const { onmessage } = host.transport;
    await app.close();
    onmessage({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: {} } });
    onmessage({ jsonrpc: "2.0", id: 9, method: "ping" });
    await tick(5);
    assert.deepEqual([seen, errors, host.sent.filter((message) => message.id === 9)], [0, [], []]);
  });

  test("calls made before connect and during the handshake wait for it, in order", async () => {
    const app = make();
    const host = new Host({ initialize: "never", replies: { "tools/call": { result: {} }, "ui/open-link": { result: {} } } });
    const calls = [app.callServerTool({ name: "early" })];
    const connecting = app.connect(host.transport);
    calls.push(app.openLink({ url: "https://example.com" }), app.sendLog({ level: "info", data: "x" }));
    const initialize = await host.wait("ui/initialize");
    await tick(5);
    assert.equal(host.sent.length, 1);
    host.respond(initialize, { result: { hostCapabilities: everything, hostContext: {} } });
    await soon(Promise.all([connecting, ...calls]));
    assert.deepEqual(host.sent.map((message) => message.method), ["ui/initialize", "ui/notifications/initialized", "tools/call", "ui/open-link", "notifications/message"]);
  });

  test("a call that waits for a handshake that never comes times out", async () => {
    await assert.rejects(soon(make().callServerTool({ name: "t" }, { timeout: 20 })), { code: "REQUEST_TIMEOUT" });
  });

  test("a call that waits for a handshake that fails, fails", async () => {
    const app = make();
    const call = app.callServerTool({ name: "t" });
    await assert.rejects(app.connect(new Host({ initialize: { error: { code: -1, message: "nope" } } }).transport));
    await assert.rejects(soon(call), /nope/);
  });

  test("an early call that is aborted is never sent", async () => {
    const app = make();
    const abort = new AbortController();
    const call = app.callServerTool({ name: "t" }, { signal: abort.signal });
    abort.abort();
    await assert.rejects(soon(call), { name: "AbortError" });
    const host = new Host();
    await app.connect(host.transport);
    await tick(5);
    assert.equal(host.sent.length, 2);
  });

  test("a context change that overtakes the initialize result is newer than it", async () => {
    const app = make();
    const host = new Host({ initialize: "never" });
    const connecting = app.connect(host.transport);
    const initialize = await host.wait("ui/initialize");
    host.notify("ui/notifications/host-context-changed", { theme: "dark" });
    host.respond(initialize, { result: { hostCapabilities: {}, hostContext: { theme: "light", locale: "de" } } });
    await soon(connecting);
    assert.deepEqual(app.getHostContext(), { theme: "dark", locale: "de" });
  });

  test("data that overtakes the initialize result is not lost", async () => {
    const app = make();
    const host = new Host({ initialize: "never" });
    const connecting = app.connect(host.transport);
    const initialize = await host.wait("ui/initialize");
    host.notify("ui/notifications/tool-input", { arguments: { a: 1 } });
    host.respond(initialize, { result: { hostCapabilities: {}, hostContext: {} } });
    await soon(connecting);
    assert.deepEqual(await soon(app.toolInput), { arguments: { a: 1 } });
  });

  test("two apps on one page do not take each other's answers", async () => {
    // As two mounts of one component: both hear every message of the one parent window.
    const McpApp = load();
    const listeners = new Set();
    const parent = { postMessage: (message) => queueMicrotask(() => answer(structuredClone(message))) };
    const deliver = (data) => listeners.forEach((listener) => listener({ source: parent, data: structuredClone(data) }));
    const answers = [];
    const answer = (message) => {
      if (message.method === "ui/initialize") deliver({ jsonrpc: "2.0", id: message.id, result: { hostCapabilities: everything, hostContext: {} } });
      else if (message.method === "tools/call") deliver({ jsonrpc: "2.0", id: message.id, result: { content: [], structuredContent: { echo: message.params.name } } });
      else if (message.method === undefined) answers.push(message);
    };
    const before = { add: globalThis.addEventListener, remove: globalThis.removeEventListener };
    Object.assign(globalThis, { parent, addEventListener: (_, listener) => listeners.add(listener), removeEventListener: (_, listener) => listeners.delete(listener) });
    try {
      const [first, second] = [1, 2].map((n) => new McpApp.App({ name: "app" + n, version: "1" }));
      for (const app of [first, second]) app.onelicit = async () => ({ action: "accept", content: { by: app === first ? 1 : 2 } });
      await soon(Promise.all([first.connect(), second.connect()]));
      const results = await soon(Promise.all([first.callServerTool({ name: "a" }), second.callServerTool({ name: "b" })]));
      assert.deepEqual(results.map((result) => result.structuredContent.echo), ["a", "b"]);
      const inputs = [];
      first.ontoolinput = () => inputs.push(1);
      second.ontoolinput = () => inputs.push(2);
      deliver({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params: {} });
      assert.deepEqual(inputs, [1, 2]);
      deliver({ jsonrpc: "2.0", id: 0, method: "elicitation/create", params: { message: "?" } });
      await tick(5);
      assert.deepEqual(answers.map((message) => message.result.content.by), [2], "only the newest answers");
      await second.close();
      deliver({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params: { message: "?" } });
      await tick(5);
      assert.equal(answers[1].result.content.by, 1);
      // A stranger's window is not the host, whatever it says.
      listeners.forEach((listener) => listener({ source: {}, data: { jsonrpc: "2.0", id: 2, method: "ping" } }));
      await tick(5);
      assert.equal(answers.length, 2);
      await first.close();
      assert.equal(listeners.size, 0);
    } finally {
      Object.assign(globalThis, { addEventListener: before.add, removeEventListener: before.remove });
      delete globalThis.parent;
    }
  });
});
