// The bar: who the server is, and as which client one speaks to it.

import { badge, fill, h } from "./dom.js";
import { emit, send } from "./socket.js";
import { set, settings } from "./store.js";
import { surround } from "./stage.js";

const STATES = { starting: "starting…", up: "connecting…", connecting: "connecting…", ready: "ready", failed: "failed", lost: "lost" };
let server;

export function mountBar(serverElement, switches) {
  server = serverElement;
  const namespace = h("input", {
    type: "text", class: "namespace", placeholder: "namespace", "aria-label": "Mount under a namespace", title: "Mount the server under this name, as applications of several servers do", pattern: "[A-Za-z0-9_\\-]{0,40}", size: "11",
    onchange: () => { if (namespace.checkValidity()) { set({ namespace: namespace.value }); send({ type: "mount", namespace: namespace.value }); } },
  });
  namespace.value = settings.namespace;
  fill(switches,
    segments("Era", ["modern", "legacy"], () => settings.era, (era) => change({ era })),
    toggle("Apps", "Whether the client declares MCP Apps and shows pages", () => settings.apps, (apps) => change({ apps })),
    toggle("Page forms", "Whether pages may render the server's questions", () => settings.elicitation, (elicitation) => change({ elicitation })),
    namespace, segments("Theme", ["system", "light", "dark"], () => settings.theme, (theme) => { set({ theme }); paint(); surround(); }),
    h("button", { type: "button", class: "quiet", title: "Start the server anew and connect again", onclick: () => send({ type: "restart" }) }, "Restart"));
  paint();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", surround);
}

const paint = () => { document.documentElement.dataset.theme = settings.theme; };

export const connect = () => send({ type: "connect", era: settings.era, apps: settings.apps, elicitation: settings.elicitation });

function change(changes) {
  set(changes);
  emit("client-changed");
  connect();
}

function segments(label, values, read, write) {
  const group = h("div", { class: "segments", role: "group", "aria-label": label });
  const show = () => fill(group, values.map((value) => h("button", { type: "button", "aria-pressed": String(read() === value), onclick: () => { write(value); show(); group.querySelector("[aria-pressed=true]").focus(); } }, value)));
  show();
  return group;
}

function toggle(label, title, read, write) {
  const input = h("input", { type: "checkbox", role: "switch", checked: read(), onchange: () => write(input.checked) });
  return h("label", { class: "switch", title }, input, label);
}

export function showServer(state) {
  const known = state.server;
  fill(server, h("span", { class: `state ${state.state}`, title: state.target }), h("b", {}, known?.name ?? state.target), known?.version ? h("small", {}, known.version) : null,
    known?.protocol ? badge(known.protocol, "", "The protocol version that was negotiated") : h("small", {}, STATES[state.state] ?? state.state),
    known ? (known.apps ? badge("apps", "accent", "The server declares MCP Apps") : badge("no apps", "warn", "The server does not declare MCP Apps")) : null,
    state.namespace ? badge(`as ${state.namespace}`, "", "Mounted under this namespace") : null, state.startedIn ? h("small", { class: "started" }, `started in ${state.startedIn} ms`) : null);
  document.title = `${known?.name ?? state.target} · MCP Apps dev`;
}
