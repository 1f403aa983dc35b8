// JSON to look at: folded where it is long, text as text.

import { h } from "./dom.js";

const LONG_TEXT = 400;
const OPEN_MEMBERS = 24;

const LONGEST_TEXT = 20_000;

// Text as a block. So much of it that the window would be slow is shown when it is asked for.
export function textBlock(text) {
  const block = h("pre", { class: "block" }, text.slice(0, LONGEST_TEXT));
  if (text.length > LONGEST_TEXT) {
    block.append(h("button", { type: "button", class: "small more", onclick: () => { block.textContent = text; } }, `… all ${text.length.toLocaleString("en")} characters`));
  }
  return block;
}

export function jsonView(value, depth = 0) {
  if (Array.isArray(value)) return composite(value.map((item, at) => [at, item]), "[", "]", depth);
  if (value !== null && typeof value === "object") return composite(Object.entries(value), "{", "}", depth);
  return leaf(value);
}

function leaf(value) {
  const kind = value === null ? "null" : typeof value;
  const text = JSON.stringify(value);
  if (kind !== "string" || text.length <= LONG_TEXT) return h("span", { class: `j-${kind}` }, text);
  return h("details", { class: "j-long" },
    h("summary", { class: "j-string" }, `${text.slice(0, 120)}… `, h("i", {}, `${value.length} characters`)),
    h("pre", { class: "j-string" }, value));
}

function composite(members, opening, closing, depth) {
  if (!members.length) return h("span", { class: "j-mark" }, opening + closing);
  const keyed = opening === "{";
  const open = depth < 1 || (depth < 4 && members.length <= OPEN_MEMBERS);
  const summary = h("summary", {}, h("span", { class: "j-mark" }, opening), h("i", { class: "j-count" }, ` ${members.length} `), h("span", { class: "j-mark j-closed" }, closing));
  const details = h("details", { class: "j-group", open }, summary);
  const build = () => {
    details.append(
      h("ul", {}, members.map(([key, item]) => h("li", {}, keyed ? h("span", { class: "j-key" }, `${JSON.stringify(key)}: `) : null, jsonView(item, depth + 1)))),
      h("span", { class: "j-mark" }, closing));
  };
  // What is closed is built when it is opened.
  if (open) build();
  else details.addEventListener("toggle", build, { once: true });
  return details;
}
