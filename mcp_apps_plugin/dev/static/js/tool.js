// The chosen tool: what it is, its form, and the button.

import { badge, debounce, fill, h, milliseconds } from "./dom.js";
import { beginningOf, makeForm } from "./form.js";
import { follow } from "./schema.js";
import { emit } from "./socket.js";
import { forget, recall, remember, set, settings } from "./store.js";
import { badges } from "./tools.js";

const run = h("button", { type: "submit", class: "primary" }, "Run");
const cancel = h("button", { type: "button", hidden: true, onclick: () => emit("cancel") }, "Cancel");
const status = h("span", { class: "status", role: "status" });
const again = h("input", { type: "checkbox", checked: settings.again, onchange: () => set({ again: again.checked }) });
const rerun = h("label", { class: "box rerun", title: "After a change of the server: call the tool again. After a change of pages alone, the page is shown anew with the result there was." }, again, "Rerun on change");
export const CANCELLED = "Cancelled.";
let holder;
let current = null;
let form = null;
let target = "";

export function mountTool(element) {
  holder = element;
  fill(holder, h("p", { class: "empty" }, "Choose a tool."));
}

// A namespace goes in front of a name.
export const isSame = (one, other) => one === other || one.endsWith(`_${other}`) || other.endsWith(`_${one}`);

const keyOf = (name) => `form:${target}:${name}`;

// Shows a tool. A form whose schema is the same stays as it is, with the cursor in it.
export function showTool(tool, server) {
  target = server;
  const again = current && form && tool && isSame(current.name, tool.name);
  const same = again && JSON.stringify(current.tool.inputSchema) === JSON.stringify(tool.tool.inputSchema);
  const kept = (again ? form.keep() : undefined) ?? (tool ? recall(keyOf(tool.name)) : undefined);
  current = tool;
  if (same) return fillHead();
  if (!tool) {
    form = null;
    return fill(holder, h("p", { class: "empty" }, "Choose a tool."));
  }
  form = makeForm(tool.tool.inputSchema, {
    kept, changed: debounce(() => { if (current) keep(); }, 150),
  });
  const head = h("header", { class: "tool-head" });
  const element = h("form", { novalidate: true, onsubmit: submit }, head, h("details", { class: "arguments", open: true },
    h("summary", {}, "Arguments", form.toggle, h("button", { type: "button", class: "quiet small", onclick: reset }, "Reset")), form.element),
  h("footer", {}, run, cancel, status, rerun, h("kbd", { title: "Runs from anywhere in the window" }, "Ctrl ↵")));
  // A press in the summary is for its buttons, not for the fold.
  element.querySelector("summary").addEventListener("click", (event) => event.target.closest("button") && event.preventDefault());
  fill(holder, element);
  if (!run.disabled) fill(status); // what it says is of another tool
  return fillHead();
}

function fillHead() {
  const { tool, name, page } = current;
  const title = tool.title ?? tool.annotations?.title;
  fill(holder.querySelector(".tool-head"),
    h("h2", {}, name, title && title !== name ? h("small", {}, title) : null), h("span", { class: "badges" }, badges(current)),
    tool.description ? h("p", {}, tool.description) : null,
    page ? h("p", { class: "link" }, "Shows ", h("code", {}, page)) : null);
}

function reset() {
  const tool = current;
  current = null;
  forget(keyOf(tool.name));
  showTool(tool, target);
  form.focus();
}

function keep() {
  const kept = form?.keep();
  if (kept) remember(keyOf(current.name), kept);
}

function submit(event) {
  event.preventDefault();
  const value = form?.read();
  if (value === undefined) return;
  keep();
  emit("run", { tool: current.name, arguments: value, began: form.began });
}

// From anywhere but a question, which has an answer of its own.
export function runOnKey(event) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.target.closest?.("#dialogs")) submit(event);
}

// What is to run again after a change: what was left alone follows the server.
export function renewed(ran, tool) {
  const began = beginningOf(tool.tool.inputSchema);
  return { tool: tool.name, arguments: follow(ran.arguments, ran.began, began), began };
}

export const focusForm = () => form?.focus();
export const currentTool = () => current;

export function running(is) {
  run.disabled = is;
  cancel.hidden = !is;
  if (is) fill(status, "Running…");
}

// The server is not there yet: it runs when it is.
export function waiting() {
  fill(status, "Runs as soon as the server is there.");
}

export function finished({ took, error, result }) {
  running(false);
  fill(status, error === CANCELLED ? badge("cancelled") : error ? badge("failed", "bad") : result?.isError ? badge("isError", "warn") : badge("done", "ok"), took === undefined ? "" : ` ${milliseconds(took)}`);
}
