// Our App inside the official AppBridge, in a sandboxed frame of opaque origin.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Browser, skip } from "./support.mjs";

describe("our App in the official AppBridge", { skip }, () => {
  /** @type {Browser} */
  let b;
  before(async () => { b = await Browser.start(); });
  after(() => b?.stop());

  const app = `<p id="out">waiting</p><script>
    const app = new McpApp.App({ name: "ours", version: "1" }, { availableDisplayModes: ["inline", "fullscreen"] });
    const seen = [];
    for (const event of ["toolinput", "toolinputpartial", "toolresult", "toolcancelled", "hostcontextchanged"]) app.addEventListener(event, (params) => seen.push([event, params]));
    app.onteardown = async () => { await app.sendLog({ level: "info", data: "saving" }); return {}; };
    app.onerror = (error) => seen.push(["error", error.message]);
    app.registerTool("shout", { inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] } }, async ({ word }) => ({ content: [{ type: "text", text: word.toUpperCase() }] }));
    app.connect();
  </script>`;

  test("handshake, input, result; opaque origin, storage out of reach", async () => {
    await b.open({ html: b.page_(app), context: { theme: "dark", locale: "de" }, input: { arguments: { city: "Oslo" } }, result: { content: [{ type: "text", text: "ok" }], structuredContent: { n: 1 } } });
    await b.until(() => b.inFrame(() => seen.length === 2), "input and result");
    const got = await b.inFrame(() => {
      let storage = "works";
      try { localStorage.getItem("x"); } catch (error) { storage = error.name; }
      return { seen, storage, origin: self.origin, host: app.getHostVersion(), theme: app.getHostContext().theme };
    });
    assert.deepEqual(got, {
      seen: [["toolinput", { arguments: { city: "Oslo" } }], ["toolresult", { content: [{ type: "text", text: "ok" }], structuredContent: { n: 1 } }]],
      storage: "SecurityError", origin: "null", host: { name: "bridge", version: "2" }, theme: "dark",
    });
    assert.deepEqual(await b.entries("error"), []);
  });

  test("every call to the host", async () => {
    const results = await b.inFrame(async () => [
      await app.callServerTool({ name: "refresh", arguments: { a: 1 } }),
      await app.readServerResource({ uri: "x://y" }),
      await app.listServerResources(),
      await app.openLink({ url: "https://example.com" }),
      await app.openLink({ url: "ftp://example.com" }),
      await app.sendMessage({ role: "user", content: [{ type: "text", text: "hi" }] }),
      await app.updateModelContext({ content: [{ type: "text", text: "state" }], structuredContent: { n: 1 } }),
      await app.downloadFile({ contents: [{ type: "resource", resource: { uri: "file:///x.json", mimeType: "application/json", text: "{}" } }] }),
      await app.ping(),
      await app.listServerTools().catch((error) => error.code),
    ]);
    assert.deepEqual(results, [
      { content: [{ type: "text", text: "refresh done" }], structuredContent: { name: "refresh", args: { a: 1 } } },
      { contents: [{ uri: "x://y", text: "resource text", mimeType: "text/plain" }] },
      { resources: [{ uri: "x://y", name: "y" }] },
      {}, { isError: true }, {}, {}, {}, {}, "CAPABILITY_NOT_SUPPORTED",
    ]);
    assert.deepEqual(await b.entries("error"), []);
  });

  test("display mode, and what cannot be cloned is sent as JSON", async () => {
    assert.deepEqual(await b.inFrame(() => app.requestDisplayMode({ mode: "fullscreen" })), { mode: "fullscreen" });
    const args = await b.inFrame(async () => (await app.callServerTool({ name: "x", arguments: new Proxy({ a: 1 }, {}) })).structuredContent.args);
    assert.deepEqual(args, { a: 1 });
  });

  test("a theme change reaches the page, merged", async () => {
    await b.page.evaluate(() => window.bridge.setHostContext({ theme: "light", locale: "de" }));
    await b.until(() => b.inFrame(() => app.getHostContext().theme === "light"), "theme");
    assert.equal(await b.inFrame(() => app.getHostContext().locale), "de");
  });

  test("the host lists and calls the app's tools", async () => {
    const { tools } = await b.page.evaluate(() => window.bridge.listTools({}));
    assert.deepEqual(tools.map((tool) => tool.name), ["shout"]);
    const result = await b.page.evaluate(() => window.bridge.callTool({ name: "shout", arguments: { word: "hey" } }));
    assert.equal(result.content[0].text, "HEY");
    const bad = await b.page.evaluate(() => window.bridge.callTool({ name: "shout", arguments: {} }));
    assert.equal(bad.isError, true);
  });

  test("logs, requested teardown, teardown", async () => {
    await b.inFrame(() => app.requestTeardown());
    await b.until(async () => (await b.log()).some(([name]) => name === "requestteardown"), "request");
    assert.deepEqual(await b.page.evaluate(() => window.bridge.teardownResource({})), {});
    assert.deepEqual((await b.entries("log")).map((entry) => entry.data), ["saving"]);
    assert.deepEqual(await b.entries("error"), []);
  });

  test("cancellation and partial input", async () => {
    await b.open({ html: b.page_(app) });
    await b.page.evaluate(async () => {
      await window.bridge.sendToolInputPartial({ arguments: { ci: "O" } });
      await window.bridge.sendToolInput({ arguments: { city: "Oslo" } });
      await window.bridge.sendToolCancelled({ reason: "user" });
    });
    await b.until(() => b.inFrame(() => seen.length === 3), "events");
    assert.deepEqual(await b.inFrame(() => seen.map(([event]) => event)), ["toolinputpartial", "toolinput", "toolcancelled"]);
    assert.equal(await b.inFrame(() => app.toolResult.catch((error) => error.name + " " + error.reason)), "ToolCancelled user");
  });

  test("run: the host is answered after the finalizer", async () => {
    await b.open({ html: b.page_(`<script>
      const app = new McpApp.App({ name: "run", version: "1" });
      app.run(async (signal) => {
        try { await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))); }
        finally { await app.callServerTool({ name: "save" }); await app.sendLog({ level: "info", data: "finalized" }); }
      });
    </script>`) });
    await b.page.evaluate(() => window.bridge.teardownResource({}).then(() => window.log.push(["answered"])));
    assert.deepEqual((await b.log()).filter(([name]) => name !== "size").map(([name]) => name), ["oncalltool", "log", "answered"]);
  });

  test("two mounts in one document: each gets its own answers and the data once", async () => {
    await b.open({ html: b.page_(`<script>
      const inputs = [];
      const apps = [1, 2].map((n) => { const app = new McpApp.App({ name: "m" + n, version: "1" }); app.ontoolinput = () => inputs.push(n); app.connect(); return app; });
    </script>`) });
    await b.inFrame(() => Promise.all(apps.map((app) => app.connect())));
    await b.page.evaluate(() => window.bridge.sendToolInput({ arguments: {} }));
    const names = await b.inFrame(async () => (await Promise.all(apps.map((app, i) => app.callServerTool({ name: "t" + i })))).map((result) => result.structuredContent.name));
    assert.deepEqual(names, ["t0", "t1"]);
    await b.until(() => b.inFrame(() => inputs.length === 2), "inputs");
    await b.settle(100);
    assert.deepEqual(await b.inFrame(() => inputs), [1, 2]);
  });

  test("handlers may come long after the data", async () => {
    await b.open({ html: b.page_(`<script>const app = new McpApp.App({ name: "late", version: "1" }); app.connect();</script>`), input: { arguments: { a: 1 } }, result: { content: [], structuredContent: { n: 1 } } });
    await b.settle(100);
    assert.equal(await b.inFrame(() => McpApp.data === undefined), true);
    const got = await b.inFrame(() => new Promise((resolve) => { app.ontoolresult = async (result) => resolve([result.structuredContent, (await app.toolInput).arguments]); }));
    assert.deepEqual(got, [{ n: 1 }, { a: 1 }]);
  });

  test("data and tool names the server put into the page, also below the script", async () => {
    await b.open({ html: b.page_(`<script>const app = new McpApp.App({ name: "d", version: "1" }); app.connect();</script>
      <script type="application/json" id="mcp-app-data">{"rows":[1,2],"html":"<\\/script>"}</script><script type="application/json" id="mcp-app-names">{"refresh":"crm_refresh"}</script>`) });
    const got = await b.inFrame(async () => [McpApp.data, (await app.callServerTool("refresh", {})).structuredContent.name]);
    assert.deepEqual(got, [{ rows: [1, 2], html: "</script>" }, "crm_refresh"]);
  });

  test("opened on its own, a page says that there is no host", async () => {
    const alone = await b.browser.newPage();
    await alone.setContent(b.page_(`<script>const app = new McpApp.App({ name: "alone", version: "1" }); const failed = app.connect().catch((error) => error.code);</script>`));
    assert.equal(await alone.evaluate(() => failed), "NO_HOST");
    await alone.close();
  });

  // ---- size ----

  const sized = (style, body = "") => b.page_(`<style>${style}</style>${body}<script>const app = new McpApp.App({ name: "size", version: "1" }); app.connect();</script>`);
  const reports = async () => (await b.entries("size")).map((size) => size.height);

  test("the size of the content is reported once, and again when the content changes", async () => {
    await b.open({ html: sized("body{margin:0} div{height:321px}", "<div></div>") });
    await b.settle();
    assert.deepEqual(await b.entries("size"), [{ width: 500, height: 321 }]);
    await b.inFrame(() => { document.querySelector("div").style.height = "123px"; });
    await b.settle();
    assert.deepEqual(await reports(), [321, 123]);
  });

  // [what, style, whether its boxes grow with the content, so that growth can be observed]
  for (const [name, style, grows] of [
    ["100vh with margins", "body{height:100vh}", false],
    ["100vh with borders", "body{margin:0;height:100vh;border:3px solid}", false],
    ["110vh", "body{margin:0;min-height:110vh}", true],
    ["100% heights", "html,body{height:100%}", false],
    ["100vh inside a padded body", "body{padding:10px} div{height:100vh}", true],
  ])
    test("no feedback loop: " + name, async () => {
      await b.open({ html: sized(style, "<div>x</div>") });
      await b.settle(900);
      const first = await reports();
      assert.ok(first.length <= 4, "reports: " + first);
      await b.settle(400);
      assert.deepEqual(await reports(), first);
      if (!grows) return;
      await b.inFrame(() => { document.body.insertAdjacentHTML("beforeend", '<div style="height:3000px">tall</div>'); });
      await b.until(async () => (await reports()).pop() >= 3000, "growth");
    });

  for (const pace of [0, 5, 20, 60])
    test(`content that grows a row every ${pace} ms is followed to its end`, async () => {
      await b.open({ html: sized("body{margin:0} p{margin:0;height:16px}", "<p></p>") });
      await b.inFrame(async (ms) => {
        for (let i = 0; i < 40; i++) {
          document.body.append(document.createElement("p"));
          await new Promise((resolve) => (ms ? setTimeout(resolve, ms) : requestAnimationFrame(resolve)));
        }
      }, pace);
      await b.until(async () => (await reports()).pop() === 41 * 16, "all rows");
    });

  test("autoResize: false reports nothing until asked", async () => {
    await b.open({ html: b.page_(`<script>const app = new McpApp.App({ name: "size", version: "1" }, {}, { autoResize: false }); app.connect();</script>`) });
    await b.settle();
    assert.deepEqual(await reports(), []);
    await b.inFrame(() => { window.stop_ = app.setupSizeChangedNotifications(); });
    await b.until(async () => (await reports()).length === 1, "report");
    await b.inFrame(() => { window.stop_(); document.body.style.height = "700px"; });
    await b.settle(200);
    assert.equal((await reports()).length, 1);
  });

  test("a measurement that was already asked for is not reported after the end", async () => {
    await b.open({ html: b.page_(`<script>const app = new McpApp.App({ name: "size", version: "1" }, {}, { autoResize: false }); app.connect();</script>`) });
    await b.settle();
    await b.inFrame(async () => {
      const stop = app.setupSizeChangedNotifications();
      // The library's observer is older, so it was called just before this one, and asked for the next frame.
      await new Promise((resolve) => new ResizeObserver(resolve).observe(document.body));
      stop();
      document.body.style.height = "700px";
    });
    await b.settle(200);
    assert.equal((await reports()).length, 1);
  });

  // ---- looks ----

  test("useTheme: 76 fallbacks at once, the host's values over them, changes followed", async () => {
    await b.open({ html: b.page_(`<script>
      const app = new McpApp.App({ name: "t", version: "1" });
      const early = (McpApp.useTheme(app), getComputedStyle(document.documentElement).getPropertyValue("--color-text-primary"));
      app.connect();
    </script>`), context: { theme: "dark", styles: { variables: { "--color-text-primary": "rgb(1, 2, 3)" }, css: { fonts: "@font-face{font-family:X;src:local('X')}" } }, safeAreaInsets: { top: 7, right: 0, bottom: 0, left: 1 } } });
    const got = await b.inFrame(() => {
      const style = getComputedStyle(document.documentElement);
      const names = [...document.getElementById("mcp-app-fallbacks").sheet.cssRules[0].style].filter((name) => name.startsWith("--"));
      return {
        early: early !== "", count: new Set(names).size, theme: document.documentElement.dataset.theme, scheme: style.colorScheme, host: style.getPropertyValue("--color-text-primary"),
        top: style.getPropertyValue("--safe-area-inset-top"), fonts: document.getElementById("mcp-app-fonts").textContent.length > 0, names,
      };
    });
    const { names, ...rest } = got;
    assert.deepEqual(rest, { early: true, count: 76, theme: "dark", scheme: "dark", host: "rgb(1, 2, 3)", top: "7px", fonts: true });
    assert.ok(names.includes("--font-heading-3xl-line-height") && names.includes("--shadow-hairline") && names.includes("--color-ring-warning"));
    await b.page.evaluate(() => window.bridge.setHostContext({ theme: "light" }));
    await b.until(() => b.inFrame(() => McpApp.getDocumentTheme() === "light"), "theme");
  });

  test("fallback colours resolve, and differ between light and dark", async () => {
    await b.open({ html: b.page_(`<p id="p" style="color:var(--color-text-danger);background:var(--color-background-secondary)">x</p><script>const app = new McpApp.App({ name: "t", version: "1" }); McpApp.useTheme(app); app.connect();</script>`) });
    const colours = await b.inFrame(() => ["light", "dark"].map((theme) => {
      McpApp.applyDocumentTheme(theme);
      const { color, backgroundColor } = getComputedStyle(document.getElementById("p"));
      return [color, backgroundColor];
    }));
    assert.notDeepEqual(colours[0], colours[1]);
    for (const colour of colours.flat()) assert.match(colour, /^(color|rgb)/);
  });

  test("helpers ignore what they do not know", async () => {
    const got = await b.inFrame(() => {
      McpApp.applyDocumentTheme("sepia");
      McpApp.applyHostStyleVariables({ color: "red", "--x": null, "--y": "1px" });
      McpApp.applyHostStyleVariables(undefined);
      McpApp.applySafeAreaInsets(undefined);
      const { style } = document.documentElement;
      return [style.color, style.getPropertyValue("--x"), style.getPropertyValue("--y"), McpApp.getDocumentTheme()];
    });
    assert.deepEqual(got, ["", "", "1px", "dark"]);
  });
});
