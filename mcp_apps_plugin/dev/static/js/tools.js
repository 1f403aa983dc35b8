// The list of tools: found by typing, walked with the arrow keys.

import { badge, fill, h } from "./dom.js";
import { emit } from "./socket.js";

const search = h("input", { type: "search", placeholder: "Find a tool", "aria-label": "Find a tool", autocomplete: "off" });
const list = h("ul", { role: "listbox", "aria-label": "Tools", tabindex: "0" });
const count = h("span", { class: "count" });
let tools = [];
let chosen = "";

export function mountTools(element) {
  fill(element, h("div", { class: "search" }, search, h("kbd", { title: "Press / to search" }, "/")), list, count);
  search.addEventListener("input", show);
  search.addEventListener("keydown", walk);
  list.addEventListener("keydown", walk);
}

export const focusSearch = () => search.focus();

export function showTools(given, name) {
  tools = given;
  chosen = name;
  show();
}

const matches = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    const text = `${tool.name} ${tool.tool.title ?? ""} ${tool.tool.description ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
};

function show() {
  const found = matches();
  fill(list, found.map((tool) => h("li", {
    role: "option", id: `tool-${tool.name}`, "aria-selected": String(tool.name === chosen), "data-name": tool.name, onclick: () => choose(tool.name),
  },
  h("span", { class: "name" }, tool.name, tool.page ? h("span", { class: "dot", title: `Shows ${tool.page}` }) : null),
  tool.tool.description ? h("span", { class: "about" }, tool.tool.description.split("\n")[0]) : null,
  h("span", { class: "badges" }, badges(tool)))));
  if (!found.length) list.append(h("li", { class: "none" }, tools.length ? "Nothing of that name." : "The server has no tools."));
  count.textContent = found.length === tools.length ? `${tools.length} ${tools.length === 1 ? "tool" : "tools"}` : `${found.length} of ${tools.length} tools`;
  if (chosen) list.setAttribute("aria-activedescendant", `tool-${chosen}`);
}

export function badges(tool) {
  const hints = tool.tool.annotations ?? {};
  return [
    tool.page ? badge("page", "accent", `Shows ${tool.page}`) : null,
    !tool.model && tool.app ? badge("app only", "warn", "Pages call it; the model never sees it") : null,
    tool.model && !tool.app ? badge("model only", "", "Pages may not call it") : null,
    !tool.model && !tool.app ? badge("nobody", "bad", "Its visibility opens it to nobody") : null,
    hints.readOnlyHint ? badge("read only", "ok") : null,
    hints.destructiveHint ? badge("destructive", "bad") : null,
  ].filter(Boolean);
}

function choose(name) {
  chosen = name;
  show();
  list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  emit("choose", { name });
}

function walk(event) {
  const found = matches();
  const at = found.findIndex((tool) => tool.name === chosen);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: found.length - 1 }[event.key];
  if (event.ctrlKey || event.metaKey) return;
  if (event.key === "Enter") {
    event.preventDefault();
    if (event.currentTarget === search && found.length && at < 0) choose(found[0].name);
    emit("focus-form");
  } else if (to !== undefined && found.length && !(event.currentTarget === search && ["Home", "End"].includes(event.key))) {
    event.preventDefault();
    choose(found[Math.min(Math.max(to, 0), found.length - 1)].name);
  }
}
