// The smaller panes: the result, what the page told model and user, its own tools, and the log.

import { badge, copyButton, fill, h } from "./dom.js";
import { makeForm } from "./form.js";
import { countOn } from "./inspector.js";
import { jsonView, textBlock } from "./json.js";
import { on, send } from "./socket.js";

const MOST_LINES = 500;
const result = h("div", { class: "pane-body" }, h("p", { class: "empty" }, "No tool ran yet."));
const context = h("div");
const messages = h("ol", { class: "messages" });
const lines = h("ol", { class: "log", "aria-label": "Log" });
const appTools = h("div", { class: "pane-body" });

export const makeResult = () => result;

on("outcome", (outcome) => {
  if (outcome.error !== undefined) return fill(result, h("h3", {}, "Error"), h("p", { class: "problem" }, outcome.error));
  const { content = [], structuredContent, _meta, isError } = outcome.result;
  return fill(result,
    h("h3", {}, "For the model ", isError ? badge("isError", "warn") : null, h("small", {}, "content")), content.length ? content.map(block) : h("p", { class: "hint" }, "Nothing: a client without pages would show nothing."),
    structuredContent === undefined ? null : [h("h3", {}, "For the page ", h("small", {}, "structuredContent"), copyButton(() => JSON.stringify(structuredContent, null, 2))), h("div", { class: "json" }, jsonView(structuredContent))],
    _meta === undefined ? null : [h("h3", {}, "Beside both ", h("small", {}, "_meta")), h("div", { class: "json" }, jsonView(_meta))]);
});

function block(item) {
  if (item.type === "text") return textBlock(item.text);
  if (item.type === "image") return h("img", { class: "block", alt: "image of the result", src: `data:${item.mimeType};base64,${item.data}` });
  return h("div", { class: "json block" }, jsonView(item));
}

export const makeContext = () => h("div", { class: "pane-body" }, h("h3", {}, "Context for the model ", h("small", {}, "ui/update-model-context")), context, h("h3", {}, "Messages to the conversation ", h("small", {}, "ui/message")), messages);

const NO_CONTEXT = "The page gave none. What it gives here, the model gets in future turns.";
function clearContext() {
  fill(context, h("p", { class: "hint" }, NO_CONTEXT));
  fill(messages, h("li", { class: "hint" }, "None."));
  countOn("context", 0);
}
let said = 0;
on("ready-panes", clearContext);
on("show", () => { said = 0; clearContext(); fill(appTools, h("p", { class: "empty" }, "The page offers no tools.")); });
on("model_context", ({ context: given }) => {
  countOn("context", (said += 1));
  const { content, structuredContent } = given;
  fill(context, content.map(block), structuredContent ? h("div", { class: "json" }, jsonView(structuredContent)) : null, !content.length && !structuredContent ? h("p", { class: "hint" }, "Cleared by the page.") : null);
});
on("message", ({ content }) => {
  countOn("context", (said += 1));
  messages.querySelector(".hint")?.remove();
  messages.append(h("li", {}, content.map(block)));
});

export const makeAppTools = () => appTools;
on("app_tools", ({ tools }) => {
  countOn("app-tools", tools.length);
  fill(appTools, tools.length ? tools.map(appTool) : h("p", { class: "empty" }, "The page offers no tools."));
});

function appTool({ name, tool, readOnly }) {
  const form = makeForm(tool.inputSchema);
  const answer = h("div", { class: "json", "data-answer": name });
  return h("form", { class: "app-tool", novalidate: true, onsubmit: (event) => { event.preventDefault(); const value = form.read(); if (value !== undefined) send({ type: "app_tool", name, arguments: value }); } },
    h("h4", {}, h("code", {}, name), readOnly ? badge("read only", "ok") : null), tool.description ? h("p", {}, tool.description) : null, form.element, h("button", { type: "submit" }, "Call"), answer);
}
on("app_tool_outcome", ({ name, result: given, error }) => {
  const place = appTools.querySelector(`[data-answer="${CSS.escape(name)}"]`);
  if (place) fill(place, error === undefined ? jsonView(given) : h("p", { class: "problem" }, error));
});

export const makeLog = () => h("div", { class: "pane-body flush" }, h("div", { class: "pane-bar" }, h("span", { class: "spring" }), copyButton(() => lines.innerText, "Copy all"), h("button", { type: "button", class: "quiet small", onclick: () => { lines.replaceChildren(); countOn("log", bad = 0); } }, "Clear")), lines);

let bad = 0;
function line(source, level, data) {
  const atEnd = lines.scrollHeight - lines.scrollTop - lines.clientHeight < 40;
  lines.append(h("li", { class: level }, h("time", {}, new Date().toLocaleTimeString([], { hour12: false })), badge(source, source), h("span", {}, typeof data === "string" ? data : h("span", { class: "json" }, jsonView(data)))));
  if (lines.childElementCount > MOST_LINES) lines.firstElementChild.remove();
  if (atEnd) lines.scrollTop = lines.scrollHeight;
  if (["warning", "error", "critical", "alert", "emergency"].includes(level)) countOn("log", (bad += 1), "warn");
}
on("log", ({ source, level, data, logger }) => line(source, level, logger && typeof data === "string" ? `${logger}: ${data}` : data));
on("refused", ({ reason, detail }) => line("refused", "warning", `${reason}: ${detail}`));
