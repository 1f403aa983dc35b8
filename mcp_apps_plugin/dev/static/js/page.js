// The page's declaration, and beside each list what the browser stopped for want of an entry in it.

import { badge, bytes, copyButton, fill, h } from "./dom.js";
import { countOn } from "./inspector.js";
import { emit, on } from "./socket.js";

const LISTS = [
  ["connectDomains", "connect_domains", "fetch, XHR, WebSocket"], ["resourceDomains", "resource_domains", "scripts, styles, images, fonts, media"],
  ["frameDomains", "frame_domains", "nested frames"], ["baseUriDomains", "base_uri_domains", "<base href>"],
];
const element = h("div", { class: "pane-body page" });
let page = null;
let violations = [];
let view = 0;

export const makePage = () => element;
on("ready-panes", show);

on("show", ({ frame }) => {
  page = frame.page;
  view = frame.view;
  violations = [];
  show();
});

on("violation", (violation) => {
  if (violation.view !== view) return;
  let same = violations.find((each) => each.directive === violation.directive && each.blocked === violation.blocked);
  if (!same) violations.push(same = { ...violation, times: 0 });
  same.times += 1;
  show();
  if (same.times === (violation.blocked === "eval" ? 2 : 1)) emit("notice", { text: `The page's policy stopped ${violation.blocked} (${violation.directive}). ${violation.declaration ? `csp.${violation.declaration} lacks it.` : violation.remedy}`, kind: "warn", pane: "page" });
});

// The official library looks for eval once, and does without. A page that goes on needs it.
const isProbe = ({ blocked, times }) => blocked === "eval" && times === 1;

function show() {
  countOn("page", violations.length, violations.every(isProbe) ? "" : "bad");
  if (!page) return fill(element, h("p", { class: "empty" }, "No page was shown yet."));
  const others = violations.filter((violation) => !violation.declaration);
  return fill(element,
    h("dl", { class: "facts" }, fact("Address", h("code", {}, page.uri)), fact("Size", bytes(page.size)),
      fact("Permissions", Object.keys(page.permissions).join(", ") || "none"), fact("Border", page.prefersBorder === null ? "as the host likes" : String(page.prefersBorder)),
      page.domain ? fact("Domain", h("code", {}, page.domain)) : null),
    h("h3", {}, "Declared origins"), page.csp ? null : h("p", { class: "hint" }, "The page declares no `csp`: hosts use the restrictive default."),
    LISTS.map(([name, argument, what]) => listed(name, argument, what)),
    others.length ? h("section", { class: "declaration lacking" }, h("h4", {}, "Nothing to declare"), others.map(blocked)) : null,
    h("h3", {}, "Policy ", copyButton(page.policy)), h("ul", { class: "policy" }, page.policy.split("; ").map((directive) => h("li", {}, h("code", {}, directive)))));
}

const fact = (name, value) => [h("dt", {}, name), h("dd", {}, value)];

function listed(name, argument, what) {
  const stopped = violations.filter((violation) => violation.declaration === name);
  const origins = page.csp?.[name] ?? [];
  return h("section", { class: `declaration ${stopped.length ? "lacking" : ""}`, "data-list": name },
    h("h4", {}, h("code", {}, argument), h("span", { class: "hint" }, what)),
    origins.length ? h("ul", { class: "origins" }, origins.map((origin) => h("li", {}, h("code", {}, origin)))) : h("p", { class: "hint" }, "none"),
    stopped.map(blocked));
}

const blocked = (violation) => h("div", { class: "violation" },
  h("p", {}, badge("blocked", "bad"), " ", h("code", {}, violation.blocked), ` by ${violation.directive}${violation.times > 1 ? `, ${violation.times} times` : ""}`),
  violation.declaration ? h("p", { class: "remedy" }, "Declare it: ", h("code", {}, violation.remedy), copyButton(violation.remedy)) : h("p", { class: "remedy" }, violation.remedy),
  violation.source ? h("p", { class: "hint" }, violation.source) : null);
