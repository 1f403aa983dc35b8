// Both channels, as they were spoken: filtered by word and by channel, opened, copied.

import { bytes, copyButton, debounce, fill, h, milliseconds } from "./dom.js";
import { jsonView } from "./json.js";
import { on, send } from "./socket.js";

const MOST = 1000;
const NAMES = { server: "Server", view: "Page" };
const entries = [];
const waiting = new Map();
const rows = h("ol", { class: "wire", "aria-label": "Messages" });
const search = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter messages by method, tool or text" });
const shown = { server: true, view: true };
const number = h("span", { class: "count" });

export function makeWire() {
  const chips = Object.entries(NAMES).map(([channel, name]) => h("button", {
    type: "button", class: `chip ${channel}`, "aria-pressed": "true", title: channel === "server" ? "Client ↔ server" : "Host ↔ page",
    onclick: (event) => { shown[channel] = !shown[channel]; event.currentTarget.setAttribute("aria-pressed", String(shown[channel])); show(); },
  }, name));
  search.addEventListener("input", debounce(show, 100));
  return h("div", { class: "pane-body flush" }, h("div", { class: "pane-bar" }, chips, search, copyButton(copied, "Copy all"),
    h("button", { type: "button", class: "quiet small", onclick: clear }, "Clear")), rows, number);
}

const fits = (entry) => {
  if (!shown[entry.channel]) return false;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${entry.method} ${entry.about} ${entry.kind} ${entry.text ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

const copied = () => entries.filter(fits).map((entry) => JSON.stringify({
  channel: entry.channel, direction: entry.direction, at: entry.at, took: entry.took, message: entry.text === null ? `${entry.size} characters` : JSON.parse(entry.text),
})).join("\n");

function clear() {
  entries.length = 0;
  send({ type: "forget" });
  show();
}

function show() {
  fill(rows, entries.filter(fits).map(row));
  counted();
}

const counted = () => { number.textContent = `${rows.childElementCount} of ${entries.length} messages`; };

on("wire", ({ entry }) => {
  entries.push(entry);
  if (entries.length > MOST) {
    const [dropped] = entries.splice(0, 1);
    rows.querySelector(`[data-number="${dropped.number}"]`)?.remove();
  }
  if (!fits(entry)) return counted();
  const atEnd = rows.scrollHeight - rows.scrollTop - rows.clientHeight < 40;
  rows.append(row(entry));
  if (atEnd) rows.scrollTop = rows.scrollHeight;
  counted();
});

on("pane", ({ name }) => { if (name === "wire") rows.scrollTop = rows.scrollHeight; });

on("body", ({ number: which, text }) => {
  const entry = entries.find((each) => each.number === which);
  if (entry) entry.text = text ?? '"no longer kept"';
  waiting.get(which)?.();
  waiting.delete(which);
});

// → from the host, ← to the host.
function row(entry) {
  const body = h("div", { class: "wire-body" });
  const details = h("details", { ontoggle: () => { if (details.open && !body.childElementCount) fillBody(entry, body); } },
    h("summary", {},
      h("span", { class: `way ${entry.channel}`, title: `${NAMES[entry.channel]}, ${entry.direction === "out" ? "from" : "to"} the host` }, entry.direction === "out" ? "→" : "←"),
      h("span", { class: `method ${entry.kind}` }, entry.method || entry.kind),
      h("span", { class: "about" }, entry.kind === "result" || entry.kind === "error" ? `${entry.kind} ${entry.about}` : entry.about),
      entry.took === null ? null : h("span", { class: "took" }, milliseconds(entry.took)),
      h("span", { class: "size" }, bytes(entry.size))),
    body);
  return h("li", { class: `${entry.channel} ${entry.kind}`, "data-number": String(entry.number) }, details);
}

function fillBody(entry, body) {
  if (entry.text === null) {
    fill(body, "…");
    waiting.set(entry.number, () => fillBody(entry, body));
    send({ type: "body", number: entry.number });
    return;
  }
  const headers = Object.entries(entry.headers);
  fill(body, h("div", { class: "wire-head" }, h("span", {}, `${NAMES[entry.channel]} · ${milliseconds(entry.at)} after start`), copyButton(() => JSON.stringify(JSON.parse(entry.text), null, 2))),
    headers.length ? h("dl", { class: "headers" }, headers.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])) : null,
    h("div", { class: "json" }, jsonView(JSON.parse(entry.text))));
}
