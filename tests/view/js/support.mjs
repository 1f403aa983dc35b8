// The library under test, in both forms a page can get, and a host one can script message by message.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe } from "node:test";
import vm from "node:vm";

export const sourceUrl = new URL("../../../mcp_apps_plugin/view/mcp-app.js", import.meta.url);
export const source = readFileSync(sourceUrl, "utf8");

/** What Python's minifiers make of the text, as pages are served minified: one strips, the other renames as well. */
const minifiers = {
  rjsmin: "import rjsmin,sys;sys.stdout.write(rjsmin.jsmin(sys.stdin.read()))",
  "tdewolff-minify": "import minify,sys;sys.stdout.write(minify.string('text/javascript',sys.stdin.read()))",
};

function minify(code) {
  for (const python of [process.env.PYTHON, "python3", "python"].filter(Boolean)) {
    const run = spawnSync(python, ["-c", code], { input: source, encoding: "utf8" });
    if (run.status === 0) return run.stdout;
  }
  return undefined;
}
/** By minifier; undefined where no Python has it. */
export const minified = Object.fromEntries(Object.entries(minifiers).map(([name, code]) => [name, minify(code)]));

/** A fresh copy of the library: its shared state (ids, mounts) belongs to one page. */
export function load(text = source) {
  const before = globalThis.McpApp;
  vm.runInThisContext(text, { filename: "mcp-app.js" });
  const loaded = globalThis.McpApp;
  globalThis.McpApp = before;
  return loaded;
}

/** Registers the same tests for the source and for each minified text. */
export function suite(name, define) {
  describe(name, () => define(() => load(source)));
  for (const [minifier, text] of Object.entries(minified)) {
    const skip = text === undefined && `not tested as minified: no Python with ${minifier} (set PYTHON)`;
    describe(`${name}, minified by ${minifier}`, { skip }, () => define(() => load(text)));
  }
}

export const tick = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

/** Rejects instead of hanging the run: a promise that stays pending is a failure of the library. */
export function soon(promise, ms = 1500) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("still pending after " + ms + " ms")), ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export const everything = {
  openLinks: {},
  downloadFile: {},
  serverTools: { listChanged: true },
  serverResources: {},
  logging: {},
  message: { text: {} },
  updateModelContext: { text: {} },
  sampling: { tools: {} },
};

/** The host's end of an in-memory channel. Both directions clone, as postMessage does. */
export class Host {
  constructor({ capabilities = everything, context = {}, initialize, replies = {} } = {}) {
    this.sent = [];
    this.replies = replies;
    this.closed = 0;
    this.initialize = initialize ?? {
      protocolVersion: "2026-01-26",
      hostInfo: { name: "host", version: "1" },
      hostCapabilities: capabilities,
      hostContext: context,
    };
    this.transport = {
      start: async () => {},
      send: async (message) => this.receive(structuredClone(message)),
      close: async () => {
        this.closed++;
        this.transport.onclose?.();
      },
    };
    this.nextId = 0;
    this.answers = new Map();
  }

  receive(message) {
    this.sent.push(message);
    if (message.method === "ui/initialize" && this.initialize !== "never") {
      this.send({ jsonrpc: "2.0", id: message.id, ...(this.initialize.error ? this.initialize : { result: this.initialize }) });
    } else if (message.method === undefined) {
      this.answers.get(message.id)?.(message);
    } else if (message.id !== undefined && message.method in this.replies) {
      const reply = this.replies[message.method];
      const body = typeof reply === "function" ? reply(message.params, message) : reply;
      if (body !== undefined) this.send({ jsonrpc: "2.0", id: message.id, ...body });
    }
  }

  /** Delivered later, like a message event. */
  send(message) {
    const copy = structuredClone(message);
    queueMicrotask(() => this.transport.onmessage?.(copy));
  }

  notify(method, params) {
    this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  request(method, params, id = this.nextId++) {
    const answer = new Promise((resolve) => this.answers.set(id, resolve));
    this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return soon(answer);
  }

  /** The first (or nth) message the app sent with this method. */
  find(method, index = 0) {
    return this.sent.filter((message) => message.method === method)[index];
  }

  async wait(method, index = 0) {
    for (let i = 0; i < 300; i++) {
      if (this.find(method, index)) return this.find(method, index);
      await tick(2);
    }
    throw new Error("the app never sent " + method + "; it sent " + this.sent.map((message) => message.method ?? "an answer"));
  }

  respond(request, body) {
    this.send({ jsonrpc: "2.0", id: request.id, ...body });
  }
}

/** An app that is connected to a scripted host; `prepare` runs before connect(). */
export async function connected(McpApp, { prepare, app: given, appCapabilities, options, ...hostOptions } = {}) {
  const host = new Host(hostOptions.host ?? hostOptions);
  const app = given ?? new McpApp.App({ name: "app", version: "1" }, appCapabilities, options);
  const errors = [];
  app.onerror = (error) => errors.push(error);
  await prepare?.(app, host);
  await soon(app.connect(host.transport));
  return { app, host, errors };
}
