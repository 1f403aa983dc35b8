// The panes on the right: tabs that one walks with the arrow keys, each with a count of what is new.

import { fill, h } from "./dom.js";
import { emit } from "./socket.js";
import { set, settings } from "./store.js";

const panes = new Map();
const bar = h("div", { role: "tablist", class: "tabs", "aria-label": "Inspector" });

export function addPane(name, label, element) {
  const tab = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `pane-${name}`, onclick: () => showPane(name) }, label);
  const count = h("span", { class: "tab-count", hidden: true });
  tab.append(count);
  const panel = h("div", { role: "tabpanel", id: `pane-${name}`, "aria-labelledby": tab.id, class: "pane" }, element);
  panes.set(name, { tab, count, panel });
}

export function mountInspector(element) {
  fill(bar, [...panes.values()].map((pane) => pane.tab));
  fill(element, bar, [...panes.values()].map((pane) => pane.panel));
  bar.addEventListener("keydown", (event) => {
    const names = [...panes.keys()];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    showPane(names[(names.indexOf(settings.pane) + step + names.length) % names.length]);
    panes.get(settings.pane).tab.focus();
  });
  showPane(panes.has(settings.pane) ? settings.pane : "wire");
}

export function showPane(name) {
  set({ pane: name });
  for (const [each, { tab, panel }] of panes) {
    tab.setAttribute("aria-selected", String(each === name));
    tab.tabIndex = each === name ? 0 : -1;
    panel.hidden = each !== name;
  }
  emit("pane", { name });
}

export function countOn(name, number, kind = "") {
  const { count } = panes.get(name);
  count.textContent = String(number);
  count.hidden = !number;
  count.className = `tab-count ${kind}`;
}
