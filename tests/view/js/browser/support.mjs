// A host page with the official AppBridge in real Chromium; apps run in sandboxed frames of opaque origin.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { minified, source } from "../support.mjs";

const require = createRequire(import.meta.url);
const executable = [process.env.CHROMIUM, "/usr/lib/chromium/chromium", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
/** For `test(name, { skip })`. */
export const skip = executable ? false : "no Chromium found (set CHROMIUM to its path)";

export const library = Object.values(minified).find(Boolean) ?? source;
export const official = readFileSync(require.resolve("@modelcontextprotocol/ext-apps/app-with-deps"), "utf8");

/** The policy of a host that grants nothing, and the library's own official twin from this server. */
const policy = (origin) => `default-src 'none'; script-src 'unsafe-inline' ${origin}; style-src 'unsafe-inline'; connect-src 'none'`;

async function bridgeBundle() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";`,
      resolveDir: new URL("..", import.meta.url).pathname,
    },
    bundle: true, write: false, format: "iife", globalName: "Bridge", platform: "browser", logLevel: "error",
  });
  return outputFiles[0].text;
}

/** Runs in the host page. Every app gets a frame, a bridge, and a log of what it did. */
function hostScript() {
  window.open_ = async ({ html, capabilities, context = {}, resize = true, sandbox = "allow-scripts", height = 150, input, result }) => {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", sandbox);
    frame.style.cssText = "border:0;width:500px;height:" + height + "px";
    document.body.replaceChildren(frame);
    const log = [];
    const bridge = new Bridge.AppBridge(null, { name: "bridge", version: "2" }, capabilities ?? { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, downloadFile: {}, message: { text: {} }, updateModelContext: { text: {} } }, { hostContext: context });
    const on = (name, reply) => { bridge[name] = async (params) => { log.push([name, params]); return reply?.(params); }; };
    on("oncalltool", ({ name, arguments: args }) => ({ content: [{ type: "text", text: name + " done" }], structuredContent: { name, args } }));
    on("onreadresource", ({ uri }) => ({ contents: [{ uri, text: "resource text", mimeType: "text/plain" }] }));
    on("onlistresources", () => ({ resources: [{ uri: "x://y", name: "y" }] }));
    on("onopenlink", ({ url }) => (url.startsWith("https:") ? {} : { isError: true }));
    on("onmessage", () => ({}));
    on("onupdatemodelcontext", () => ({}));
    on("ondownloadfile", () => ({}));
    on("onrequestdisplaymode", ({ mode }) => ({ mode: mode === "fullscreen" ? "fullscreen" : "inline" }));
    bridge.onloggingmessage = (params) => log.push(["log", params]);
    bridge.onrequestteardown = () => log.push(["requestteardown"]);
    bridge.onsizechange = (params) => {
      log.push(["size", params]);
      if (resize && params.height) frame.style.height = params.height + "px";
    };
    bridge.onerror = (error) => log.push(["error", String(error?.message ?? error)]);
    const initialized = new Promise((resolve) => (bridge.oninitialized = resolve));
    await bridge.connect(new Bridge.PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.srcdoc = html;
    await initialized;
    const at = performance.timeOrigin + performance.now();
    if (input) await bridge.sendToolInput(input);
    if (result) await bridge.sendToolResult(result);
    Object.assign(window, { bridge, log, frame });
    return at;
  };
}

export class Browser {
  static async start() {
    const self = new Browser();
    self.server = createServer((request, response) => {
      const [type, body] = request.url === "/official.js" ? ["text/javascript", official] : ["text/html", "<!doctype html><title>host</title><body></body>"];
      response.writeHead(200, { "content-type": type, "access-control-allow-origin": "*" }).end(body);
    });
    await new Promise((resolve) => self.server.listen(0, "127.0.0.1", resolve));
    self.origin = "http://127.0.0.1:" + self.server.address().port;
    self.browser = await chromium.launch({
      executablePath: executable,
      chromiumSandbox: false,
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    });
    self.page = await self.browser.newPage();
    self.consoleErrors = [];
    self.page.on("console", (message) => message.type() === "error" && self.consoleErrors.push(message.text()));
    self.page.on("pageerror", (error) => self.consoleErrors.push(String(error)));
    await self.page.goto(self.origin);
    await self.page.addScriptTag({ content: await bridgeBundle() });
    await self.page.evaluate(hostScript);
    return self;
  }

  async stop() {
    await this.browser?.close();
    this.server?.close();
  }

  /** A page with our library, under the strictest policy. */
  page_(body) {
    const script = "<script>" + library.replaceAll("</script", "<\\/script") + "</script>";
    return `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${policy("")}">${script}</head><body>${body}</body></html>`;
  }

  /** One page written after the official documentation; only its import differs between the two. */
  both(names, body, code) {
    const html = (head, import_) => `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${policy(this.origin)}">${head}</head><body>${body}<script type="module">${import_}\n${code}</script></body></html>`;
    return {
      ours: html("<script>" + library.replaceAll("</script", "<\\/script") + "</script>", `const { ${names} } = globalThis.McpApp;`),
      official: html("", `import { ${names} } from "${this.origin}/official.js";`),
    };
  }

  async open(options) {
    const late = this.page.waitForTimeout(15000).then(() => { throw new Error("no handshake; console: " + this.consoleErrors.join(" | ")); });
    late.catch(() => {}); // the page may be gone by then
    return Promise.race([this.page.evaluate((given) => window.open_(given), options), late]);
  }
  log() {
    return this.page.evaluate(() => window.log);
  }
  async entries(name) {
    return (await this.log()).filter((entry) => entry[0] === name).map((entry) => entry[1]);
  }
  /** Runs in the app's frame. */
  inFrame(code, argument) {
    return this.page.frames().filter((frame) => frame.parentFrame()).pop().evaluate(code, argument);
  }
  async until(check, what = "condition") {
    for (let i = 0; i < 200; i++) {
      // A frame that is still being replaced cannot be asked.
      if (await Promise.resolve().then(check).catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error("timed out: " + what + "; log " + JSON.stringify(await this.log()) + "; console " + this.consoleErrors.join(" | "));
  }
  settle(ms = 400) {
    return this.page.waitForTimeout(ms);
  }
}
