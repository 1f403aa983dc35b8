// Whatever a host sends: nothing is thrown out of the message handler, nothing stays pending, the app goes on working.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, connected, soon, suite, tick } from "./support.mjs";

const rounds = Number(process.env.FUZZ_ROUNDS ?? 3000);
const seed = Number(process.env.FUZZ_SEED ?? 20260126);

/** mulberry32: small and repeatable, so that a failure can be run again from its seed. */
function random(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const methods = [
  "ui/initialize", "ui/notifications/tool-input", "ui/notifications/tool-input-partial", "ui/notifications/tool-result", "ui/notifications/tool-cancelled",
  "ui/notifications/host-context-changed", "ui/resource-teardown", "tools/call", "tools/list", "elicitation/create", "ping", "notifications/cancelled",
  "notifications/progress", "notifications/tools/list_changed", "x/unknown", "toString", "__proto__", "constructor", "", 5, null, {}, [],
];
const keys = ["arguments", "content", "structuredContent", "isError", "_meta", "reason", "theme", "styles", "variables", "requestId", "progressToken", "name", "mode", "message", "resultType", "code", "data", "__proto__", "constructor", "toolInfo", "displayMode", "availableDisplayModes"];
const ids = [0, 1, 2, 3, -1, 1.5, NaN, Infinity, "0", "1", "", null, undefined, {}, [], true];

function generator(next) {
  const pick = (list) => list[Math.floor(next() * list.length)];
  const value = (depth = 0) => {
    const kind = Math.floor(next() * (depth > 3 ? 7 : 9));
    if (kind === 7) return Array.from({ length: Math.floor(next() * 4) }, () => value(depth + 1));
    if (kind === 8) return object(depth);
    return pick([null, undefined, true, 0, -1, 1e308, NaN, "", "text", "\u0000\ud800", "dark", "inline", "accept", "input_required", 5n, new Date(0), new Map([[1, 2]]), /x/])
  };
  const object = (depth = 0) => {
    const made = {};
    for (let i = Math.floor(next() * 5); i > 0; i--) Object.defineProperty(made, pick(keys), { value: value(depth + 1), enumerable: true, configurable: true, writable: true });
    return made;
  };
  return () => {
    if (next() < 0.1) return value();
    const message = { jsonrpc: next() < 0.92 ? "2.0" : pick(["1.0", 2, null, undefined]) };
    if (next() < 0.55) message.id = pick(ids);
    if (next() < 0.75) message.method = pick(methods);
    if (next() < 0.75) message.params = next() < 0.75 ? object() : value();
    if (next() < 0.35) message.result = value();
    if (next() < 0.25) message.error = next() < 0.5 ? { code: pick([-32601, -32000, "x", null, 1]), message: value() } : value();
    return message;
  };
}

suite("fuzz", (load) => {
  test(`${rounds} malformed messages, seed ${seed}`, async (t) => {
    const make = generator(random(seed));
    const McpApp = load();
    const unhandled = [];
    const note = (error) => unhandled.push(error);
    process.on("unhandledRejection", note);
    let delivered = 0;
    let calls = 0;
    let settled = 0;
    const perConnection = 60;
    for (let done = 0; done < rounds; done += perConnection) {
      const { app, host } = await connected(McpApp, {
        options: { autoResize: false },
        prepare: (it) => {
          it.onelicit = async (params) => params;
          it.registerTool("name", { inputSchema: { type: "object", required: ["a"] } }, async (args) => args);
          for (const event of ["toolinput", "toolresult", "hostcontextchanged"]) it.addEventListener(event, ({ arguments: args, content }) => (args ?? content)?.toString());
        },
      });
      app.onclose = () => {};
      const open = [];
      for (let i = 0; i < perConnection; i++) {
        if (i % 10 === 0) {
          for (const call of [app.callServerTool({ name: "t" }), app.readServerResource({ uri: "x://y" }), app.requestDisplayMode({ mode: "pip" }), app.toolInput, app.toolResult]) {
            calls++;
            open.push(call.then(() => settled++, () => settled++));
          }
        }
        const message = make();
        // Synchronously, as a message event would: anything thrown here would be an uncaught error in the page.
        assert.doesNotThrow(() => host.transport.onmessage(message), undefined, "message " + delivered);
        delivered++;
      }
      await tick();
      assert.equal(typeof app.getHostContext(), "object");
      host.nextId = 1000;
      assert.deepEqual((await host.request("ping", {})).result, {}, "still answering after message " + delivered);
      await app.close();
      await soon(Promise.all(open));
    }
    process.off("unhandledRejection", note);
    assert.deepEqual(unhandled, []);
    assert.equal(settled, calls);
    assert.equal({}.polluted ?? Object.keys(Object.prototype).length, 0);
    t.diagnostic(`${delivered} messages delivered, ${calls} promises settled, seed ${seed}`);
    console.log(`fuzz: ${delivered} malformed messages, ${calls} promises, none left pending (seed ${seed})`);
  });

  test("300 malformed handshake results: connect settles every time", async () => {
    const next = random(seed + 1);
    const make = generator(next);
    const McpApp = load();
    let settled = 0;
    for (let i = 0; i < 300; i++) {
      const host = new Host({ initialize: "never" });
      const app = new McpApp.App({ name: "app", version: "1" }, {}, { autoResize: false });
      app.onerror = () => {};
      const connecting = app.connect(host.transport, { timeout: 30 });
      await host.wait("ui/initialize");
      const made = make();
      host.transport.onmessage(next() < 0.5 ? { jsonrpc: "2.0", id: 0, result: made } : { jsonrpc: "2.0", id: 0, error: made });
      await soon(connecting.then(() => settled++, () => settled++));
      await app.close();
    }
    assert.equal(settled, 300);
  });
});
