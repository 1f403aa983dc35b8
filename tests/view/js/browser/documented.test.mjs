// Pages written after the official SDK's documented patterns: the same code on the official App and on ours, with only
// the import changed, has to do the same.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Browser, skip } from "./support.mjs";

const result = { content: [{ type: "text", text: "21 degrees" }], structuredContent: { city: "Oslo", temperature: 21 } };

/** name, what is imported, body, code; then what the host does, and what is read from the page. */
const patterns = [
  {
    name: "handlers before connect, result into the page",
    names: "App", body: `<p id="in"></p><p id="out"></p>`,
    code: `const app = new App({ name: "WeatherApp", version: "1.0.0" }, {});
      app.ontoolinput = (params) => { document.getElementById("in").textContent = params.arguments?.city; };
      app.ontoolresult = (params) => { document.getElementById("out").textContent = params.content?.find((c) => c.type === "text")?.text + " " + params.structuredContent.temperature; };
      await app.connect();`,
    open: { input: { arguments: { city: "Oslo" } }, result },
    ready: () => document.getElementById("out").textContent !== "",
    read: () => [document.getElementById("in").textContent, document.getElementById("out").textContent],
    expect: ["Oslo", "21 degrees 21"],
  },
  {
    name: "addEventListener composes, removeEventListener takes away",
    names: "App", body: "",
    code: `const app = new App({ name: "a", version: "1" });
      window.seen = [];
      const gone = () => window.seen.push("gone");
      app.addEventListener("toolresult", () => window.seen.push("one"));
      app.addEventListener("toolresult", gone);
      app.addEventListener("toolresult", (r) => window.seen.push(r.structuredContent.city));
      app.removeEventListener("toolresult", gone);
      await app.connect();`,
    open: { input: { arguments: {} }, result },
    ready: () => window.seen.length > 1,
    read: () => window.seen,
    expect: ["one", "Oslo"],
  },
  {
    name: "a button calls a server tool and checks isError",
    names: "App", body: `<button id="go">go</button><p id="out"></p>`,
    code: `const app = new App({ name: "a", version: "1" });
      document.getElementById("go").addEventListener("click", async () => {
        try {
          const result = await app.callServerTool({ name: "get_weather", arguments: { location: "Tokyo" } });
          document.getElementById("out").textContent = result.isError ? "error" : JSON.stringify(result.structuredContent);
        } catch (error) { document.getElementById("out").textContent = "failed " + error; }
      });
      await app.connect();
      document.getElementById("go").click();`,
    open: {},
    ready: () => document.getElementById("out").textContent !== "",
    read: () => JSON.parse(document.getElementById("out").textContent),
    expect: { name: "get_weather", args: { location: "Tokyo" } },
  },
  {
    name: "theme, variables and fonts at the start and on change",
    names: "App, applyDocumentTheme, applyHostStyleVariables, applyHostFonts, getDocumentTheme", body: "",
    code: `const app = new App({ name: "a", version: "1" });
      const apply = (ctx) => {
        if (ctx.theme) applyDocumentTheme(ctx.theme);
        if (ctx.styles?.variables) applyHostStyleVariables(ctx.styles.variables);
        if (ctx.styles?.css?.fonts) applyHostFonts(ctx.styles.css.fonts);
      };
      app.onhostcontextchanged = apply;
      await app.connect();
      const ctx = app.getHostContext();
      if (ctx) apply(ctx);
      window.first = getDocumentTheme();
      window.theme_ = getDocumentTheme;`,
    open: { context: { theme: "dark", styles: { variables: { "--color-background-primary": "rgb(1, 2, 3)" }, css: { fonts: "@font-face { font-family: Host; src: local('Host') }" } } } },
    then: () => window.bridge.setHostContext({ theme: "light", styles: { variables: { "--color-background-primary": "rgb(4, 5, 6)" } } }),
    ready: () => window.theme_?.() === "light",
    read: () => [window.first, window.theme_(), document.documentElement.getAttribute("data-theme"), document.documentElement.style.colorScheme, document.documentElement.style.getPropertyValue("--color-background-primary"), [...document.querySelectorAll("style")].filter((style) => style.textContent.includes("Host")).length],
    expect: ["dark", "light", "light", "light", "rgb(4, 5, 6)", 1],
  },
  {
    name: "link, message, context, log, download, resources",
    names: "App", body: "",
    code: `const app = new App({ name: "a", version: "1" });
      await app.connect();
      const link = await app.openLink({ url: "https://docs.example.com" });
      const denied = await app.openLink({ url: "ftp://docs.example.com" });
      const message = await app.sendMessage({ role: "user", content: [{ type: "text", text: "Show me details" }] });
      await app.updateModelContext({ content: [{ type: "text", text: "cart: 3" }] });
      await app.sendLog({ level: "info", data: "refreshed", logger: "WeatherApp" });
      const download = await app.downloadFile({ contents: [{ type: "resource", resource: { uri: "file:///export.json", mimeType: "application/json", text: "{}" } }] });
      const resource = await app.readServerResource({ uri: "videos://bunny" });
      const list = await app.listServerResources();
      window.out = [link.isError ?? false, denied.isError, message.isError ?? false, download.isError ?? false, resource.contents[0].text, list.resources[0].uri];`,
    open: {},
    ready: () => window.out,
    read: () => window.out,
    expect: [false, true, false, false, "resource text", "x://y"],
  },
  {
    name: "display mode toggle",
    names: "App", body: `<main id="main"></main>`,
    code: `const app = new App({ name: "a", version: "1" }, { availableDisplayModes: ["inline", "fullscreen"] });
      await app.connect();
      const ctx = app.getHostContext();
      const newMode = ctx?.displayMode === "inline" ? "fullscreen" : "inline";
      if (ctx?.availableDisplayModes?.includes(newMode)) {
        const result = await app.requestDisplayMode({ mode: newMode });
        document.getElementById("main").classList.toggle("fullscreen", result.mode === "fullscreen");
        window.done_ = true;
      }`,
    open: { context: { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] } },
    ready: () => window.done_,
    read: () => document.getElementById("main").className,
    expect: "fullscreen",
  },
  {
    name: "teardown saves first",
    names: "App", body: "",
    code: `const app = new App({ name: "a", version: "1" });
      app.onteardown = async () => { await app.callServerTool({ name: "save" }); window.saved = true; return {}; };
      await app.connect();
      window.up = true;`,
    open: {},
    then: () => window.bridge.teardownResource({}),
    ready: () => window.saved,
    read: () => window.saved,
    expect: true,
  },
  {
    name: "partial input, then the input",
    names: "App", body: `<pre id="code"></pre>`,
    code: `const app = new App({ name: "a", version: "1" });
      window.steps = [];
      app.ontoolinputpartial = (params) => { window.steps.push("partial " + (params.arguments?.code ?? "")); };
      app.ontoolinput = (params) => { window.steps.push("full " + params.arguments?.code); };
      app.ontoolcancelled = (params) => { window.steps.push("cancelled " + params.reason); };
      await app.connect();`,
    open: {},
    then: async () => {
      for (const code of ["a", "ab"]) await window.bridge.sendToolInputPartial({ arguments: { code } });
      await window.bridge.sendToolInput({ arguments: { code: "abc" } });
      await window.bridge.sendToolCancelled({ reason: "user action" });
    },
    ready: () => window.steps.length === 4,
    read: () => window.steps,
    expect: ["partial a", "partial ab", "full abc", "cancelled user action"],
  },
  {
    name: "app-provided tools by oncalltool and onlisttools",
    names: "App", body: "",
    code: `const app = new App({ name: "a", version: "1" }, { tools: { listChanged: true } });
      app.onlisttools = async () => ({ tools: [{ name: "greet", description: "Greet the user", inputSchema: { type: "object" } }] });
      app.oncalltool = async (params, extra) => ({ content: [{ type: "text", text: "Hello, " + params.arguments.name + " " + (extra.mcpReq.signal instanceof AbortSignal) }] });
      await app.connect();`,
    open: {},
    then: async () => {
      const { tools } = await window.bridge.listTools({});
      const { content } = await window.bridge.callTool({ name: "greet", arguments: { name: "World" } });
      window.frame.contentWindow.postMessage({ forTest: [tools[0].name, content[0].text] }, "*");
      window.answer = [tools[0].name, content[0].text];
    },
    ready: () => true,
    readHost: () => window.answer,
    expect: ["greet", "Hello, World true"],
  },
  {
    name: "manual sizes with autoResize off, and the explicit transport",
    names: "App, PostMessageTransport", body: "",
    code: `const app = new App({ name: "a", version: "1" }, {}, { autoResize: false });
      await app.connect(new PostMessageTransport(window.parent, window.parent));
      await app.sendSizeChanged({ width: 400, height: 600 });
      window.done_ = true;`,
    open: {},
    ready: () => window.done_,
    readHost: () => window.log.filter(([name]) => name === "size").map(([, size]) => size),
    expect: [{ width: 400, height: 600 }],
  },
  {
    name: "capabilities are looked at before use",
    names: "App", body: "",
    code: `const app = new App({ name: "a", version: "1" });
      await app.connect();
      const { name, version } = app.getHostVersion() ?? {};
      window.out = [Boolean(app.getHostCapabilities()?.serverTools), Boolean(app.getHostCapabilities()?.sampling), name + version];`,
    open: { capabilities: { serverTools: {} } },
    ready: () => window.out,
    read: () => window.out,
    expect: [true, false, "bridge2"],
  },
];

describe("documented patterns, on the official App and on ours", { skip }, () => {
  /** @type {Browser} */
  let b;
  before(async () => { b = await Browser.start(); });
  after(() => b?.stop());

  for (const pattern of patterns)
    test(pattern.name, async () => {
      const pages = b.both(pattern.names, pattern.body, pattern.code);
      for (const which of ["official", "ours"]) {
        await b.open({ ...pattern.open, html: pages[which] });
        if (pattern.then) await b.page.evaluate(pattern.then);
        await b.until(() => b.inFrame(pattern.ready), which + " ready");
        const got = pattern.readHost ? await b.page.evaluate(pattern.readHost) : await b.inFrame(pattern.read);
        assert.deepEqual(got, pattern.expect, which);
      }
    });
});
