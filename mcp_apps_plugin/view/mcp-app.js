// The page half of MCP Apps (protocol 2026-01-26): one classic script, no dependencies, no build step.
// It defines the global `McpApp`. In pages this package serves, a script element with src="mcp-app.js" and
// `import { App } from "./mcp-app.js"` are both replaced by this text; as a bare file it exports nothing, so
// a module that is served un-inlined writes `import "./mcp-app.js"` and uses the global.
// What it promises to pages is written in mcp-app.d.ts.
/** @typedef {(...args: any[]) => any} Fn */
/** @typedef {(...args: any[]) => Promise<any>} AsyncFn */
globalThis.McpApp = (() => {
  const TEARDOWN = "ui/resource-teardown";
  const ELICIT = "elicitation/create";
  const VERSION = "2026-01-26";

  // By wire method: the method of App, the capability it needs from the host, the list its result must have. Only draft
  // hosts declare a capability in brackets, others serve it all the same: so ask, and name it when refused. "!" is a
  // notification.
  /** @type {Record<string, string>} */
  const MESSAGES = {
    "tools/call": "callServerTool serverTools content",
    "tools/list": "listServerTools serverTools tools",
    "resources/read": "readServerResource serverResources contents",
    "resources/list": "listServerResources serverResources resources",
    "sampling/createMessage": "createSamplingMessage sampling",
    "ui/message": "sendMessage (message)",
    "ui/update-model-context": "updateModelContext (updateModelContext)",
    "ui/open-link": "openLink openLinks",
    "ui/download-file": "downloadFile downloadFile",
    "ui/request-display-mode": "requestDisplayMode",
    "notifications/message": "sendLog !",
    "notifications/tools/list_changed": "sendToolListChanged !",
    "ui/notifications/size-changed": "sendSizeChanged !",
    "ui/notifications/request-teardown": "requestTeardown !",
  };

  /** @type {Fn} */
  const isObject = (value) => ({}).toString.call(value) === "[object Object]";
  const quiet = () => {};

  class AppError extends Error {
    /** @param {any} code @param {any} message @param {any} [more] */
    constructor(code, message, more) {
      super(message);
      Object.assign(this, { name: "AppError", code }, more);
    }
  }
  class CapabilityError extends AppError {}
  class ToolCancelled extends AppError {}

  /** @type {Fn} */
  const malformed = (what) => new AppError(-32602, "Malformed " + what);
  const closed = () => new AppError("CONNECTION_CLOSED", "Connection closed");
  /** @type {Fn} */
  const asError = (reason = "Aborted") => (reason instanceof Error ? reason : Object.assign(new Error(reason), { name: "AbortError" }));

  /** A promise nobody has to await. @returns {any} */
  const deferred = () => {
    /** @type {any} */
    let ends;
    const promise = new Promise((...both) => (ends = both));
    promise.catch(quiet);
    return { promise, resolve: ends[0], reject: ends[1] };
  };

  /** JSON the server put into the page. @type {Fn} */
  const embedded = (id) => {
    const element = globalThis.document?.querySelector("script#" + id);
    if (element) return JSON.parse(/** @type {string} */ (element.textContent));
  };

  // ---- what hosts send, made safe to use ----

  /** Shallow, as hosts send whole fields; null takes a field away. @type {Fn} */
  const merged = (base, changes) => {
    const all = { ...base, ...changes };
    for (const key in all) if (all[key] == null) delete all[key];
    return all;
  };

  /** @type {Fn} */
  const toolInput = (params) => {
    const args = params.arguments ?? {};
    if (!isObject(args)) throw malformed("arguments");
    return { ...params, arguments: args };
  };

  /** Fills in what a host left out, and refuses what only hosts handle, such as a request for more input. @type {Fn} */
  const finalResult = (raw, list) => {
    const { resultType = "complete", ...result } = merged(raw);
    if (!isObject(raw) || resultType !== "complete") throw new AppError("INVALID_RESULT", "Malformed result");
    if (list) result[list] = Array.isArray(raw[list]) ? raw[list].filter(isObject) : [];
    return result;
  };

  // ---- schemas of app-provided tools ----

  /** As much of JSON Schema as catches a wrong call. @type {Fn} */
  const mismatch = ({ type, enum: values, properties, required = [] }, value, at) => {
    const kind = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
    if (type && ![].concat(type).some((name) => name === kind || (name === "integer" && Number.isInteger(value)))) return at + " must be " + type;
    if (values && !values.includes(value)) return at + " must be " + values.join(" or ");
    if (!isObject(value)) return;
    for (const key of required) if (!(key in value)) return at + "." + key + " missing";
    for (const key in properties) {
      const problem = key in value && mismatch(properties[key], value[key], at + "." + key);
      if (problem) return problem;
    }
  };

  /** With a Standard Schema (zod, valibot, ...) or a plain JSON Schema. @type {AsyncFn} */
  const validated = async (schema, value, at) => {
    const standard = schema["~standard"];
    const { issues, value: parsed } = standard ? await standard.validate(value) : { issues: mismatch(schema, value, at), value };
    if (issues) throw new AppError(-32602, at + ": " + JSON.stringify(issues));
    return parsed;
  };

  /** @type {Fn} */
  const jsonSchema = (schema, side) => ({
    type: "object",
    ...(schema?.["~standard"] ? schema["~standard"].jsonSchema?.[side]({ target: "draft-2020-12" }) : schema || { properties: {} }),
  });

  // ---- transport ----

  class PostMessageTransport {
    /** @param {any} [target] @param {any} [source] */
    constructor(target = parent, source = target) {
      /** @type {any} */
      const self = this;
      // The window identifies the host, never the origin: an opaque frame's is "null".
      const listener = (/** @type {MessageEvent} */ event) => event.source === source && self.onmessage?.(event.data);
      self.start = async () => addEventListener("message", listener);
      self.send = async (/** @type {any} */ message) => {
        try {
          target.postMessage(message, "*");
        } catch (_) {
          // Reactive proxies and class instances cannot be cloned, but have a JSON form, which is all the wire carries.
          target.postMessage(JSON.parse(JSON.stringify(message)), "*");
        }
      };
      self.close = async () => {
        removeEventListener("message", listener);
        self.onclose?.();
      };
    }
  }

  // Two Apps in one document (a component mounted twice) hear each other's answers. So they share ids, and of the
  // host's questions the newest, which stands first, answers all but teardown.
  const pageIds = { next: 0 };
  /** @type {any[]} */
  let mounts = [];

  class App {
    /** @param {any} info @param {any} [capabilities] @param {any} [options] */
    constructor(info, capabilities, options = {}) {
      /** @type {any} */
      const app = this;
      const declared = { ...capabilities };
      const slots = new Map(); // by event: the on* handler, then the listeners
      const handlers = new Map(); // by method; those of notifications have a "!" in front
      const tools = new Map();
      const pending = new Map();
      const running = new Map();
      /** @type {any[]} */
      let [transport, connecting, torn, context, granted, hostInfo, ids, ready, input, result, life, programs, kept, unwatch, up, ended] = [];

      // A new conversation with a host.
      const begin = () => {
        kept = [];
        torn = context = granted = hostInfo = programs = ended = undefined;
        [ready, input, result, life] = [deferred(), deferred(), deferred(), new AbortController()];
        ids = { next: 0 };
        unwatch = quiet;
      };
      begin();

      // ---- events ----

      /** @type {Fn} */
      const report = (reason) => {
        try {
          if (app.onerror) app.onerror(asError(reason));
          else console.error(reason);
        } catch (error) {
          console.error(error);
        }
      };

      /** A fault in the page's code must not break the message handler. @type {AsyncFn} */
      const guard = async (call, ...args) => {
        try {
          await call(...args);
        } catch (error) {
          report(error);
        }
      };

      /** @type {Fn} */
      const slot = (event) => slots.get(event) || slots.set(event, [undefined]).get(event);

      /** @type {Fn} */
      const emit = (event, params) => {
        return [...slot(event)].filter((/** @type {any} */ handler) => handler && guard(handler, params)).length;
      };

      // Hosts send these once; they are kept, in order, until somebody listens.
      const drain = () => {
        kept = kept.filter((/** @type {any} */ [event, params]) => !emit(event, params));
      };
      /** @type {Fn} */
      const once = (event, params) => {
        kept = kept.filter((/** @type {any} */ item) => item[0] !== "toolinputpartial"); // stale by now
        kept.push([event, params]);
        drain();
      };
      // What nobody heard yet is delivered once the running script has set all of its handlers.
      const heard = () => Promise.resolve().then(drain);

      // ---- outgoing ----

      /** @type {AsyncFn} */
      const post = async (message) => {
        if (!transport) throw closed();
        await transport.send({ jsonrpc: "2.0", ...message });
      };

      /** @type {Fn} */
      const send = (method, params, { signal, onprogress, timeout = 60000, maxTotalTimeout = Infinity, resetTimeoutOnProgress = true } = /** @type {any} */ ({}), oneWay) => {
        const [, need = "", list] = (MESSAGES[method] || "").split(" ");
        const end = Date.now() + maxTotalTimeout;
        /** @type {any[]} */
        let [id, timer, over, abort] = [];
        return new Promise((done, fail) => {
          /** @type {Fn} */
          const drop = (error) => {
            if (up && id !== undefined) guard(post, { method: "notifications/cancelled", params: { requestId: id, reason: error.message } });
            fail(error);
          };
          abort = () => drop(asError(signal.reason));
          const arm = () => {
            clearTimeout(timer);
            const left = Math.min(timeout, end - Date.now());
            if (left < 2 ** 31) timer = setTimeout(drop, left, new AppError("REQUEST_TIMEOUT", method + " timed out"));
          };
          /** @type {AsyncFn} */
          const read = async ({ error, result }) => {
            const { code = -32603, message, data } = error ?? {};
            const capability = need.replace(/\W/g, "");
            if (capability && code === -32601) throw new CapabilityError("CAPABILITY_NOT_SUPPORTED", "Host lacks " + capability, { name: "CapabilityError", capability });
            // The specification shows a denial as this error, hosts send isError: the page sees one form.
            if (code === -32000 && /link|file|message/.test(method)) return { isError: true, message };
            if (error ?? false) throw new AppError(code, message, { data });
            return finalResult(result, list);
          };
          const go = async () => {
            if (over) return;
            if (oneWay || need === "!") return done(await post({ method, params: params ?? {} }));
            const modes = context?.availableDisplayModes;
            // A host that declares nothing at all may do anything.
            if (need > "A" && granted && options.enforceStrictCapabilities !== false && !(params?.tools ? granted[need]?.tools : granted[need])) return done(read({ error: { code: -32601 } }));
            if (/mode$/.test(method) && modes?.includes && !modes.includes(params.mode)) return done({ mode: context.displayMode || "inline" });
            id = ids.next++;
            pending.set(id, {
              reject: fail,
              answer: (/** @type {any} */ message) => read(message).then(done, fail),
              progress: (/** @type {any} */ { progressToken, ...news }) => {
                if (resetTimeoutOnProgress) arm();
                if (onprogress) guard(onprogress, news);
              },
            });
            if (onprogress || list === "content") params = { ...params, _meta: { ...params?._meta, progressToken: id } };
            await post({ id, method, ...(params && { params }) });
          };
          arm();
          signal?.addEventListener("abort", abort);
          if (signal?.aborted) return abort();
          (up || method === "ui/initialize" ? go() : ready.promise.then(go)).catch(fail);
        }).finally(() => {
          over = true;
          clearTimeout(timer);
          signal?.removeEventListener("abort", abort);
          pending.delete(id);
        });
      };

      // ---- incoming ----

      /** Nothing may stay pending once the connection is gone. @type {Fn} */
      const finish = (error) => {
        if (ended) return;
        ended = true;
        up = transport = connecting = undefined;
        unwatch();
        mounts = mounts.filter((mount) => mount !== app);
        for (const waiting of [...pending.values(), ready, input, result]) waiting.reject(error);
        for (const job of running.values()) job.abort(error);
        stop(error);
        if (app.onclose) guard(app.onclose);
      };

      /** @type {Fn} */
      const stop = (reason) => {
        life.abort(reason);
        return programs;
      };

      /** Some hosts replay input and result. The first counts, so that a page neither draws twice nor goes back. @type {Fn} */
      const first = (held, event, params, error) => {
        if (held.got) return;
        held.got = true;
        if (error) for (const waiting of [input, result]) waiting.reject(error);
        else held.resolve(params);
        once(event, params);
      };

      /** @type {any} */
      const notified = {
        __proto__: null,
        "ui/notifications/tool-input-partial": (/** @type {any} */ params) => input.got || result.got || once("toolinputpartial", toolInput(params)),
        "ui/notifications/tool-input": (/** @type {any} */ params) => first(input, "toolinput", toolInput(params)),
        "ui/notifications/tool-result": (/** @type {any} */ params) => {
          first(result, "toolresult", finalResult(params, "content"));
          // Some hosts send no input for a tool without arguments; others send it just behind the result.
          setTimeout(input.resolve, 250, { arguments: {} });
        },
        "ui/notifications/tool-cancelled": (/** @type {any} */ params) => first(result, "toolcancelled", params, new ToolCancelled("TOOL_CANCELLED", params.reason || "Tool cancelled", { name: "ToolCancelled", reason: params.reason })),
        "ui/notifications/host-context-changed": (/** @type {any} */ params) => {
          context = merged(context, params);
          emit("hostcontextchanged", params);
        },
        "notifications/cancelled": (/** @type {any} */ { requestId, reason }) => running.get(requestId)?.abort(asError(reason)),
        "notifications/progress": (/** @type {any} */ params) => pending.get(params.progressToken)?.progress(params),
      };

      /** @type {any} */
      const builtin = {
        __proto__: null,
        ping: quiet,
        "tools/list": () => ({
          tools: [...tools].filter(([, tool]) => tool.enabled).map(([name, tool]) =>
            // as JSON, which leaves out its functions
            JSON.parse(JSON.stringify({ name, ...tool, enabled: undefined, inputSchema: jsonSchema(tool.inputSchema, "input"), outputSchema: tool.outputSchema && jsonSchema(tool.outputSchema, "output") }))),
        }),
        // A failing tool is a result the model can read; only an unknown one is an error.
        "tools/call": async (/** @type {any} */ { params }, /** @type {any} */ extra) => {
          const tool = tools.get(params.name);
          if (!tool?.enabled) throw new AppError(-32602, "Unknown tool: " + params.name);
          try {
            return await tool.handler(params.arguments, extra);
          } catch (error) {
            return { content: [{ type: "text", text: asError(error).message }], isError: true };
          }
        },
      };

      /** @type {AsyncFn} */
      const handle = async (request, extra) => {
        const { method, params } = request;
        if (!isObject(params)) throw malformed("params");
        const own = handlers.get(method);
        if (method === TEARDOWN) {
          unwatch();
          torn = torn || Promise.all([own?.(request, extra), stop(asError(params.reason ?? TEARDOWN))]);
          return (await torn)[0];
        }
        const handler = own || ((declared.tools || method === "ping") && builtin[method]) || app.fallbackRequestHandler;
        if (!handler) throw new AppError(-32601, "Method not found: " + method);
        const form = method === ELICIT;
        if (form && (params.mode ?? "form") !== "form") throw malformed("form");
        const answer = (await handler(request, extra)) || {};
        // An error makes the host show its own form, which beats a wrong answer.
        if (form && !(answer.action === "accept" ? isObject(answer.content) : /^(decline|cancel)$/.test(answer.action))) throw malformed("answer");
        return answer;
      };

      /** @type {AsyncFn} */
      const asked = async (request) => {
        const { id, method, params } = request;
        if (mounts.indexOf(app) > 0 && method !== TEARDOWN) return;
        const job = new AbortController();
        const { signal } = job;
        running.set(id, job);
        const mcpReq = { id, method, signal, _meta: params._meta, send: app.request, notify: app.notification, requestState: quiet };
        const reply = await handle(request, { ...mcpReq, requestId: id, mcpReq }).then(
          (result = {}) => ({ result }),
          (/** @type {any} */ reason) => {
            const { code, message, data } = asError(reason);
            return { error: merged({ code: Number.isInteger(code) ? code : -32603, message, data }) };
          });
        running.delete(id);
        if (!signal.aborted) guard(post, { id, ...reply });
      };

      /** @type {Fn} */
      const receive = (message) => {
        if (message?.jsonrpc !== "2.0") return; // somebody else's
        guard(() => {
          const { id, method } = message;
          const params = message.params ?? {};
          const request = { ...message, params };
          const kinds = (typeof id + typeof method).replace("number", "string");
          if (kinds === "stringundefined") return pending.get(id)?.answer(message); // unknown: late, or another App's
          if (kinds === "stringstring") return asked(request);
          if (kinds !== "undefinedstring" || !isObject(params)) throw malformed("message");
          const own = handlers.get("!" + method);
          const handler = own || (notified[method] ? quiet : app.fallbackNotificationHandler);
          if (handler) guard(handler, request);
          notified[method]?.(params);
        });
      };

      // ---- the page's side ----

      /** @type {AsyncFn} */
      const handshake = async (peer, wait) => {
        try {
          if (!peer) {
            if ((globalThis.parent ?? globalThis) === /** @type {any} */ (globalThis)) throw new AppError("NO_HOST", "No host around");
            peer = new PostMessageTransport();
            ids = pageIds;
            mounts.unshift(app);
          }
          transport = peer;
          peer.onmessage = (/** @type {any} */ message) => transport === peer && receive(message);
          peer.onerror = report;
          peer.onclose = () => transport === peer && finish(closed());
          if (handlers.has("tools/call")) declared.tools = declared.tools || {};
          if (handlers.has(ELICIT)) declared.elicitation = {};
          await peer.start();
          const host = await send("ui/initialize", { appInfo: info, appCapabilities: declared, protocolVersion: VERSION }, wait);
          hostInfo = host.hostInfo;
          granted = host.hostCapabilities;
          // A change that overtook the answer is the newer one.
          context = merged(host.hostContext, context);
          await post({ method: "ui/notifications/initialized" });
          up = true;
          ready.resolve();
          emit("connected", context);
          if (options.autoResize !== false) unwatch = app.setupSizeChangedNotifications();
        } catch (error) {
          await close(error);
          throw error;
        }
      };

      /** @type {AsyncFn} */
      const close = async (error) => {
        const peer = transport;
        finish(error);
        await peer?.close();
      };

      /** @type {Fn} */
      const claim = (mark, [key, second, third]) => {
        const method = key.shape?.method.value ?? key;
        app.assertCanSetRequestHandler(mark + method);
        handlers.set(mark + method, third ? async (/** @type {any} */ message, /** @type {any} */ extra) => third(await validated(second.params, message.params, method), extra || message) : second);
      };

      /** @type {Record<string, Fn>} */
      const methods = {
        getHostContext: () => context,
        getHostVersion: () => hostInfo,
        getHostCapabilities: () => granted,

        // Again while connected: the same promise, so mounting twice is harmless.
        connect(peer, wait) {
          if (connecting && peer && peer !== transport) return Promise.reject(new AppError("ALREADY_CONNECTED", "Already connected"));
          if (ended) begin();
          return (connecting = connecting || handshake(peer, wait));
        },
        close: () => close(closed()),

        run(program) {
          if (ended) begin();
          const { signal } = life;
          const task = new Promise((resolve) => resolve(program(signal, app))).catch((error) => {
            if (!signal.aborted || (error !== signal.reason && error.name !== "AbortError")) throw error;
          });
          programs = Promise.all([programs, task.catch(quiet)]); // run() reports its own failure
          return Promise.all([task, app.connect()]).then(([value]) => value);
        },

        addEventListener(event, handler) {
          slot(event).push(handler);
          heard();
        },
        removeEventListener(event, handler) {
          const at = slot(event).indexOf(handler, 1);
          if (at > 0) slot(event).splice(at, 1);
        },

        // (method, handler), (method, { params, result }, handler) or, as in 1.x, (zodSchema, handler)
        setRequestHandler: (...args) => claim("", args),
        setNotificationHandler: (...args) => claim("!", args),
        removeRequestHandler: (method) => handlers.delete(method),
        removeNotificationHandler: (method) => handlers.delete("!" + method),
        assertCanSetRequestHandler(method) {
          if (handlers.has(method)) throw new Error("Already set: " + method);
        },

        registerTool(name, config, callback) {
          if (tools.has(name)) throw new Error("Already set: " + name);
          if (!declared.tools && connecting) throw new Error("Declare tools.listChanged first");
          declared.tools = declared.tools || { listChanged: true };
          /** @type {Fn} */
          const changed = () => up && declared.tools.listChanged && guard(app.sendToolListChanged);
          /** @type {any} */
          const tool = {
            ...config,
            enabled: true,
            enable: () => tool.update({ enabled: true }),
            disable: () => tool.update({ enabled: false }),
            update: (/** @type {any} */ changes) => changed(Object.assign(tool, changes)),
            remove: () => tools.get(name) === tool && changed(tools.delete(name)),
            handler: async (/** @type {any} */ args, /** @type {any} */ extra) => {
              const { inputSchema, outputSchema } = tool;
              const result = await (inputSchema ? callback(await validated(inputSchema, args || {}, name), extra) : callback(extra));
              return !outputSchema || result.isError ? result : { ...result, structuredContent: await validated(outputSchema, result.structuredContent, name) };
            },
          };
          tools.set(name, tool);
          changed();
          return tool;
        },

        // (request, options) or (request, resultSchema, options)
        async request({ method, params }, schema, wait) {
          const standard = schema?.["~standard"];
          const result = await send(method, params, standard ? wait : schema);
          return standard ? validated(schema, result, method) : result;
        },
        notification: ({ method, params }) => send(method, params, {}, true),
        ping: (wait) => send("ping", undefined, wait),

        // The specification draws one block, the wire takes a list.
        sendMessage: (params, wait) => send("ui/message", { role: "user", ...params, content: [].concat(params.content) }, wait),

        // ({ name, arguments }, options) or (name, arguments, options)
        async callServerTool(tool, second, third) {
          const [params, wait] = tool.name ? [tool, second] : [{ name: tool, arguments: second || {} }, third];
          // A mounted server's tools have a prefix; the page says the names its author gave.
          const name = new Map(Object.entries(embedded("mcp-app-names") || {})).get(params.name) || params.name;
          return send("tools/call", { ...params, name }, wait);
        },

        // Reports the content's height and the viewport's width, now and on every change.
        setupSizeChangedNotifications() {
          if (!globalThis.ResizeObserver) return quiet;
          const html = document.documentElement;
          let [frame, echoes, waiting, stopped] = [0, 0, false, false];
          /** @type {any[]} */
          let [width, height] = [];
          // What was measured or put off before the end is not told after it.
          const tell = () => stopped || app.sendSizeChanged({ width, height }).catch(quiet);
          const measure = () => {
            waiting = false;
            const { innerWidth, innerHeight } = window;
            const inline = html.style.height;
            html.style.height = "max-content";
            const tall = Math.ceil(html.getBoundingClientRect().height);
            html.style.height = inline;
            const same = innerWidth === width && tall === height;
            if (same && innerHeight === frame) return;
            // A page measured in vh grows with the frame it is given, for ever. Growth that comes with a change of the frame's
            // height alone is followed twice, as content may have grown in that same moment, once more after a rest, in
            // case the content has come to its end, and no further.
            echoes = tall > height && innerHeight !== frame && innerWidth === width ? echoes + 1 : 0;
            [frame, width, height] = [innerHeight, innerWidth, tall];
            if (!same && echoes < 3) tell();
            if (echoes === 3) setTimeout(tell, 200);
          };
          const ask = () => {
            if (!waiting) requestAnimationFrame(measure);
            waiting = true;
          };
          measure(); // at once: a frame that is still hidden has no animation frames
          const observer = new ResizeObserver(ask);
          observer.observe(html);
          observer.observe(document.body);
          addEventListener("resize", ask);
          return () => {
            stopped = true;
            observer.disconnect();
            removeEventListener("resize", ask);
          };
        },
      };

      for (const [method, row] of Object.entries(MESSAGES)) app[row.split(" ")[0]] = (/** @type {any} */ params, /** @type {any} */ wait) => send(method, params, wait);
      Object.assign(app, methods, { sendOpenLink: app.openLink });

      /** @type {Fn} */
      const property = (name, get, set) => Object.defineProperty(app, name, { get, set });
      property("transport", () => transport);
      property("toolInput", () => input.promise);
      property("toolResult", () => result.promise);
      for (const event of ["toolinput", "toolinputpartial", "toolresult", "toolcancelled", "hostcontextchanged"])
        property("on" + event, () => slot(event)[0], (/** @type {any} */ handler) => {
          slot(event)[0] = handler;
          heard();
        });
      for (const [name, method] of [["onteardown", TEARDOWN], ["oncalltool", "tools/call"], ["onlisttools", "tools/list"], ["onelicit", ELICIT]])
        property(name, () => handlers.get(method)?.page, (/** @type {any} */ page) => {
          handlers.delete(method);
          if (page) handlers.set(method, Object.assign((/** @type {any} */ request, /** @type {any} */ extra) => page(request.params, extra), { page }));
        });
    }
  }

  // ---- opt-in looks ----

  const root = () => document.documentElement;

  const themes = ["light", "dark"];

  const getDocumentTheme = () => themes.find((theme) => theme === root().dataset.theme) || themes[+root().classList.contains("dark")];

  /** @type {Fn} */
  const applyDocumentTheme = (theme) => {
    // A scheme unlike the host's paints an opaque backdrop.
    if (themes.includes(theme)) root().dataset.theme = root().style.colorScheme = theme;
  };

  /** @type {Fn} */
  const applyHostStyleVariables = (variables, { style } = root()) => {
    for (const name in variables) if (/^--/.test(name) && variables[name]) style.setProperty(name, variables[name]);
  };

  /** @type {Fn} */
  const applyHostFonts = (css, id = "mcp-app-fonts") => {
    const style = document.getElementById(id) || document.head.insertBefore(document.createElement("style"), document.head.firstChild);
    style.id = id;
    style.textContent = css;
  };

  /** @type {Fn} */
  const applySafeAreaInsets = (insets, element) => {
    for (const side in insets) applyHostStyleVariables({ ["--safe-area-inset-" + side]: insets[side] + "px" }, element);
  };

  /** All 76 variables for hosts that send none; of no specificity, so that any rule of the page wins. */
  const fallbackCss = () => {
    let css = "color-scheme:light dark;--font-sans:system-ui;--font-mono:monospace;--border-width-regular:1px;--border-radius-full:99rem;";
    // A colour is a share of ink, 0 to 9, on the browser's own paper, which knows light from dark.
    const roles = "info danger success warning primary secondary inverse tertiary disabled ghost".split(" ");
    const inks = ["royalblue", "crimson", "seagreen", "darkorange"];
    for (const [part, shares] of ["background 3333019220", "text 7777980758", "border 5555439220", "ring 8888654"].map((row) => row.split(" ")))
      [...shares].forEach((share, i) => (css += `--color-${part}-${roles[i]}:color-mix(in srgb,${inks[i] || "CanvasText"} ${+share * (+share + 2)}%,${i > 8 ? "transparent" : i < 4 && part > "t" ? "CanvasText" : "Canvas"});`));
    "xs sm md lg xl 2xl 3xl".split(" ").forEach((size, i) => {
      css += `--font-heading-${size}-size:${0.8 + i * i * 0.06}rem;--font-heading-${size}-line-height:1.3;`;
      if (i < 5) css += `--border-radius-${size}:${2 + 2 * i}px;`;
      if (i < 4) css += `--font-text-${size}-size:${0.75 + i / 8}rem;--font-text-${size}-line-height:1.5;--font-weight-${"normal medium semibold bold".split(" ")[i]}:${400 + 100 * i};--shadow-${i ? size : "hairline"}:0 ${i}px ${4 * i}px 1px #0002;`;
    });
    return `:where(:root){${css}}`;
  };

  /** @type {Fn} */
  const useTheme = (app) => {
    applyHostFonts(fallbackCss(), "mcp-app-fallbacks");
    const apply = () => {
      const { theme, styles, safeAreaInsets } = app.getHostContext() || {};
      applyDocumentTheme(theme);
      applyHostStyleVariables(styles?.variables);
      applySafeAreaInsets(safeAreaInsets);
      if (styles?.css?.fonts) applyHostFonts(styles.css.fonts);
    };
    const events = ["connected", "hostcontextchanged"];
    for (const event of events) app.addEventListener(event, apply);
    apply();
    return () => events.forEach((event) => app.removeEventListener(event, apply));
  };

  return /** @type {any} */ ({
    App, AppError, CapabilityError, PostMessageTransport, ToolCancelled,
    applyDocumentTheme, applyHostFonts, applyHostStyleVariables, applySafeAreaInsets, getDocumentTheme, useTheme,
    LATEST_PROTOCOL_VERSION: VERSION,
    get data() { return embedded("mcp-app-data"); }, // read late: it may stand below the script
  });
})();
