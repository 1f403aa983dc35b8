import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, connected, soon, suite, tick } from "./support.mjs";

const input = "ui/notifications/tool-input";
const partial = "ui/notifications/tool-input-partial";
const result = "ui/notifications/tool-result";
const cancelled = "ui/notifications/tool-cancelled";
const changed = "ui/notifications/host-context-changed";

suite("events", (load) => {
  const one = { content: [{ type: "text", text: "1" }], structuredContent: { n: 1 } };

  for (const [event, method, params] of [
    ["toolinput", input, { arguments: { city: "Oslo" } }],
    ["toolinputpartial", partial, { arguments: { city: "Os" } }],
    ["toolresult", result, one],
    ["toolcancelled", cancelled, { reason: "user" }],
    ["hostcontextchanged", changed, { theme: "dark" }],
  ]) {
    test(event + " reaches the on handler, then the listeners in order", async () => {
      const seen = [];
      const { host } = await connected(load(), {
        prepare: (app) => {
          app.addEventListener(event, (p) => seen.push(["first", p]));
          app["on" + event] = (p) => seen.push(["on", p]);
          app.addEventListener(event, (p) => seen.push(["second", p]));
        },
      });
      host.notify(method, params);
      await tick(2);
      assert.deepEqual(seen, [["on", params], ["first", params], ["second", params]]);
    });

    test(event + ": the property reads back, replaces and clears", async () => {
      const { app } = await connected(load());
      const name = "on" + event;
      assert.equal(app[name], undefined);
      const [a, b] = [() => {}, () => {}];
      app[name] = a;
      assert.equal(app[name], a);
      app[name] = b;
      assert.equal(app[name], b);
      app[name] = undefined;
      assert.equal(app[name], undefined);
    });

    test(event + ": a removed listener hears nothing, its twin does", async () => {
      let count = 0;
      const { app, host } = await connected(load());
      const listener = () => count++;
      app.addEventListener(event, listener);
      app.addEventListener(event, listener);
      app.removeEventListener(event, listener);
      app.removeEventListener(event, () => {});
      host.notify(method, params);
      await tick(2);
      assert.equal(count, 1);
    });

    test(event + ": a handler that throws or rejects goes to onerror and harms nobody", async () => {
      const seen = [];
      const { host, errors } = await connected(load(), {
        prepare: (app) => {
          app["on" + event] = () => { throw new Error("sync"); };
          app.addEventListener(event, async () => { throw new Error("async"); });
          app.addEventListener(event, () => seen.push(1));
        },
      });
      host.notify(method, params);
      await tick(2);
      assert.deepEqual(errors.map((error) => error.message).sort(), ["async", "sync"]);
      assert.deepEqual(seen, [1]);
    });
  }

  for (const [event, method, params] of [["toolinput", input, { arguments: {} }], ["toolinputpartial", partial, { arguments: { a: 1 } }], ["toolresult", result, one], ["toolcancelled", cancelled, {}]])
    test(event + " is kept for a late handler and delivered once", async () => {
      const { app, host } = await connected(load());
      host.notify(method, params);
      await tick(2);
      const seen = [];
      app["on" + event] = (p) => seen.push(p);
      assert.deepEqual(seen, [], "never inside the assignment");
      await tick(2);
      app["on" + event] = (p) => seen.push(p);
      app.addEventListener(event, (p) => seen.push(p));
      await tick(2);
      assert.deepEqual(seen, [params]);
    });

  test("handlers set late in one script get what was kept in the order it came", async () => {
    const { app, host } = await connected(load());
    host.notify(input, { arguments: { a: 1 } });
    host.notify(result, one);
    await tick(2);
    const seen = [];
    app.ontoolresult = () => seen.push("result");
    app.ontoolinput = () => seen.push("input");
    await tick(2);
    assert.deepEqual(seen, ["input", "result"]);
  });

  test("several late listeners of one script all get it", async () => {
    const { app, host } = await connected(load());
    host.notify(result, one);
    await tick(2);
    let count = 0;
    app.addEventListener("toolresult", () => count++);
    app.addEventListener("toolresult", () => count++);
    await tick(2);
    assert.equal(count, 2);
  });

  test("a handler that re-arms itself is not called again with the same event", async () => {
    let count = 0;
    const { host } = await connected(load(), {
      prepare: (app) => {
        const arm = () => { app.ontoolresult = () => { count++; arm(); }; };
        arm();
      },
    });
    host.notify(result, one);
    await tick(5);
    assert.equal(count, 1);
  });

  test("only the newest partial is kept, and none once the input is there", async () => {
    const { app, host } = await connected(load());
    host.notify(partial, { arguments: { a: 1 } });
    host.notify(partial, { arguments: { a: 2 } });
    await tick(2);
    const seen = [];
    app.ontoolinputpartial = (p) => seen.push(p.arguments.a);
    await tick(2);
    host.notify(partial, { arguments: { a: 3 } });
    host.notify(input, { arguments: { a: 4 } });
    host.notify(partial, { arguments: { a: 5 } });
    await tick(2);
    assert.deepEqual(seen, [2, 3]);
  });

  test("a partial nobody heard is dropped when the input comes", async () => {
    const { app, host } = await connected(load());
    host.notify(partial, { arguments: { a: 1 } });
    host.notify(input, { arguments: { a: 2 } });
    await tick(2);
    const seen = [];
    app.ontoolinputpartial = () => seen.push("partial");
    app.ontoolinput = () => seen.push("input");
    await tick(2);
    assert.deepEqual(seen, ["input"]);
  });

  test("a replayed input and result are delivered once, the first one", async () => {
    const seen = [];
    const { app, host } = await connected(load(), {
      prepare: (it) => {
        it.ontoolinput = (p) => seen.push(p.arguments.n);
        it.ontoolresult = (p) => seen.push(p.structuredContent.n);
      },
    });
    for (const n of [1, 2]) {
      host.notify(input, { arguments: { n } });
      host.notify(result, { content: [], structuredContent: { n } });
    }
    await tick(2);
    assert.deepEqual(seen, [1, 1]);
    assert.equal((await app.toolResult).structuredContent.n, 1);
  });

  test("of a result and a cancellation, the first counts", async () => {
    for (const [first, second] of [[result, cancelled], [cancelled, result]]) {
      const seen = [];
      const { host } = await connected(load(), {
        prepare: (app) => {
          app.ontoolresult = () => seen.push(result);
          app.ontoolcancelled = () => seen.push(cancelled);
        },
      });
      host.notify(first, {});
      host.notify(second, {});
      await tick(2);
      assert.deepEqual(seen, [first]);
    }
  });

  for (const [name, params] of Object.entries({ "no params": undefined, "null params": null, "no arguments": {}, "null arguments": { arguments: null } }))
    test("tool input with " + name + " means no arguments", async () => {
      const seen = [];
      const { app, host } = await connected(load(), { prepare: (it) => { it.ontoolinput = (p) => seen.push(p); } });
      host.notify(input, params);
      assert.deepEqual(await soon(app.toolInput), { arguments: {} });
      assert.deepEqual(seen, [{ arguments: {} }]);
    });

  for (const bad of ["{}", 1, [], true])
    test("tool arguments that are no object go to onerror, and the next input counts: " + JSON.stringify(bad), async () => {
      const { app, host, errors } = await connected(load());
      host.notify(input, { arguments: bad });
      host.notify(input, { arguments: { ok: 1 } });
      assert.deepEqual(await soon(app.toolInput), { arguments: { ok: 1 } });
      assert.equal(errors.length, 1);
    });

  for (const [name, params, expected] of [
    ["{}", {}, { content: [] }],
    ["no params", undefined, { content: [] }],
    ["null params", null, { content: [] }],
    ["null content", { content: null }, { content: [] }],
    ["content that is no list", { content: "x" }, { content: [] }],
    ["broken blocks", { content: [null, "x", { type: "text", text: "y" }] }, { content: [{ type: "text", text: "y" }] }],
    ["an unknown block type", { content: [{ type: "hologram" }] }, { content: [{ type: "hologram" }] }],
    ["nulls", { content: [], isError: null, _meta: null, structuredContent: null }, { content: [] }],
    ["resultType complete", { content: [], resultType: "complete" }, { content: [] }],
    ["an error flag", { content: [], isError: true }, { content: [], isError: true }],
    ["a list as structured content", { content: [], structuredContent: [1] }, { content: [], structuredContent: [1] }],
    ["_meta and unknown keys", { content: [], _meta: { viewUUID: "u" }, other: 1 }, { content: [], _meta: { viewUUID: "u" }, other: 1 }],
  ])
    test("a result with " + name + " is usable", async () => {
      const { app, host } = await connected(load());
      host.notify(result, params);
      assert.deepEqual(await soon(app.toolResult), expected);
    });

  for (const resultType of ["input_required", "task"])
    test("a result that is not final is refused, and the final one counts: " + resultType, async () => {
      const { app, host, errors } = await connected(load());
      host.notify(result, { resultType, requestState: "secret" });
      host.notify(result, one);
      assert.deepEqual(await soon(app.toolResult), one);
      assert.equal(errors[0].code, "INVALID_RESULT");
    });

  test("toolInput and toolResult can be awaited before connect and long after", async () => {
    const McpApp = load();
    const app = new McpApp.App({ name: "app", version: "1" });
    const early = Promise.all([app.toolInput, app.toolResult]);
    const { host } = await connected(McpApp, { app });
    host.notify(input, { arguments: { a: 1 } });
    host.notify(result, one);
    assert.deepEqual(await soon(early), [{ arguments: { a: 1 } }, one]);
    assert.deepEqual(await soon(Promise.all([app.toolInput, app.toolResult])), [{ arguments: { a: 1 } }, one]);
  });

  test("toolResult rejects with ToolCancelled and its reason, and so does an input that never came", async () => {
    const McpApp = load();
    const { app, host } = await connected(McpApp);
    host.notify(cancelled, { reason: "user action" });
    for (const promise of [app.toolResult, app.toolInput])
      await assert.rejects(soon(promise), (error) => error instanceof McpApp.ToolCancelled && error.reason === "user action" && error.name === "ToolCancelled");
  });

  test("a cancellation without a reason, even without params", async () => {
    const McpApp = load();
    const { app, host } = await connected(McpApp);
    host.notify(cancelled);
    await assert.rejects(soon(app.toolResult), (error) => error instanceof McpApp.ToolCancelled && error.reason === undefined);
  });

  test("a cancellation after the input leaves the input alone", async () => {
    const { app, host } = await connected(load());
    host.notify(input, { arguments: { a: 1 } });
    host.notify(cancelled, {});
    await tick(2);
    assert.deepEqual(await app.toolInput, { arguments: { a: 1 } });
  });

  test("a host that sends no input for a tool without arguments does not leave toolInput pending", async () => {
    const { app, host } = await connected(load());
    host.notify(result, one);
    assert.deepEqual(await soon(app.toolInput), { arguments: {} });
  });

  test("an input just behind the result is still the input", async () => {
    const { app, host } = await connected(load());
    host.notify(result, one);
    host.notify(input, { arguments: { a: 1 } });
    assert.deepEqual(await soon(app.toolInput), { arguments: { a: 1 } });
  });

  test("toolInput and toolResult reject when the connection goes", async () => {
    const { app } = await connected(load());
    const both = [app.toolInput, app.toolResult];
    await app.close();
    for (const promise of both) await assert.rejects(soon(promise), { code: "CONNECTION_CLOSED" });
  });

  test("promises nobody awaits cause no unhandled rejection", async () => {
    const seen = [];
    const note = (error) => seen.push(error);
    process.on("unhandledRejection", note);
    const { app, host } = await connected(load());
    host.notify(cancelled, {});
    await tick(2);
    await app.close();
    await tick(5);
    process.off("unhandledRejection", note);
    assert.deepEqual(seen, []);
  });

  test("the context is merged field by field before handlers run; null takes a field away", async () => {
    const seen = [];
    const { app, host } = await connected(load(), {
      context: { theme: "light", locale: "de", deviceCapabilities: { touch: true, hover: true } },
      prepare: (it) => { it.onhostcontextchanged = (change) => seen.push([change, it.getHostContext()]); },
    });
    host.notify(changed, { theme: "dark", deviceCapabilities: { touch: false } });
    await tick(2);
    const after = { theme: "dark", locale: "de", deviceCapabilities: { touch: false } };
    assert.deepEqual(seen, [[{ theme: "dark", deviceCapabilities: { touch: false } }, after]]);
    host.notify(changed, { locale: null });
    await tick(2);
    assert.equal("locale" in app.getHostContext(), false);
  });

  test("a context change nobody hears is not replayed: it is in the context", async () => {
    const { app, host } = await connected(load());
    host.notify(changed, { theme: "dark" });
    await tick(2);
    let count = 0;
    app.onhostcontextchanged = () => count++;
    await tick(2);
    assert.deepEqual([count, app.getHostContext().theme], [0, "dark"]);
  });

  for (const params of [{ theme: "sepia" }, { displayMode: "hologram" }, { styles: null }, { unknown: { a: 1 } }, {}])
    test("an odd context change is no error: " + JSON.stringify(params), async () => {
      const { host, errors } = await connected(load());
      host.notify(changed, params);
      await tick(2);
      assert.deepEqual(errors, []);
    });

  test("without onerror, faults are written to the console", async () => {
    const { app, host } = await connected(load());
    app.onerror = undefined;
    const seen = [];
    const before = console.error;
    console.error = (error) => seen.push(error.message);
    app.ontoolinput = () => { throw new Error("page fault"); };
    host.notify(input, {});
    await tick(2);
    app.onerror = () => { throw new Error("fault in onerror"); };
    host.notify(result, { resultType: "task" });
    await tick(2);
    console.error = before;
    assert.deepEqual(seen, ["page fault", "fault in onerror"]);
  });

  test("raw notifications: a handler by method sees every one, also replays", async () => {
    let raw = 0;
    let events = 0;
    const { app, host } = await connected(load());
    app.setNotificationHandler(result, (message) => { raw += message.params.content.length + 1; });
    app.ontoolresult = () => events++;
    for (let i = 0; i < 2; i++) host.notify(result, { content: [] });
    await tick(2);
    assert.deepEqual([raw, events], [2, 1]);
  });

  for (const method of ["notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed"])
    test(method + " reaches its handler", async () => {
      const { app, host } = await connected(load());
      const seen = [];
      app.setNotificationHandler(method, (message) => seen.push(message.method));
      host.notify(method);
      await tick(2);
      assert.deepEqual(seen, [method]);
    });

  test("notification handlers: forms, doubles, removal and the fallback", async () => {
    const { app, host } = await connected(load());
    const seen = [];
    app.fallbackNotificationHandler = async (message) => { seen.push(["fallback", message.method]); };
    const schema = { "~standard": { validate: (value) => ({ value: { ...value, parsed: true } }) } };
    app.setNotificationHandler("x/modern", { params: schema }, (params, message) => seen.push([params, message.method]));
    app.setNotificationHandler({ shape: { method: { value: "x/legacy" } } }, (message) => seen.push(message.params));
    assert.throws(() => app.setNotificationHandler("x/modern", () => {}), /x\/modern/);
    host.notify("x/modern", { a: 1 });
    host.notify("x/legacy", { b: 1 });
    host.notify("x/other");
    await tick(2);
    app.removeNotificationHandler("x/legacy");
    host.notify("x/legacy");
    await tick(2);
    assert.deepEqual(seen.map((item) => JSON.stringify(item)).sort(), [[{ a: 1, parsed: true }, "x/modern"], { b: 1 }, ["fallback", "x/other"], ["fallback", "x/legacy"]].map((item) => JSON.stringify(item)).sort());
  });

  for (const method of ["ui/notifications/sandbox-wheel", "ui/notifications/unknown", "toString", "constructor", "__proto__"])
    test("an unknown notification is ignored: " + method, async () => {
      const { host, errors } = await connected(load());
      host.notify(method, { a: 1 });
      await tick(2);
      assert.deepEqual(errors, []);
      assert.equal(host.sent.length, 2);
    });
});
