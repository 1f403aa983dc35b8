// What belongs together: the socket, the chosen tool, what ran, and what happens after a change.

import { mountBar, connect, showServer } from "./bar.js";
import { copyButton, fill, h } from "./dom.js";
import { addPane, mountInspector, showPane } from "./inspector.js";
import { makePage } from "./page.js";
import { makeAppTools, makeContext, makeLog, makeResult } from "./panes.js";
import { mountQuestions } from "./questions.js";
import { emit, on, open, send } from "./socket.js";
import { mountStage, surroundings } from "./stage.js";
import { set, settings } from "./store.js";
import { CANCELLED, finished, focusForm, isSame, mountTool, renewed, runOnKey, running, showTool, waiting } from "./tool.js";
import { focusSearch, mountTools, showTools } from "./tools.js";
import { makeWire } from "./wire.js";

const $ = (id) => document.getElementById(id);
let tools = [];
let target = "";
let last = null; // what ran: { tool, arguments, began, result }
let view = 0; // the page of what ran
let again = null; // why it is to be shown anew once the server is back
let isReady = false;
let calls = 0; // what was sent to run and has had no outcome yet
let wasLost = false; // a server that runs elsewhere: nothing of it is known to have changed

addPane("wire", "Wire", makeWire());
addPane("result", "Result", makeResult());
addPane("page", "Page", makePage());
addPane("context", "Model", makeContext());
addPane("app-tools", "Page tools", makeAppTools());
addPane("log", "Log", makeLog());
mountInspector($("inspector"));
emit("ready-panes");
mountQuestions($("dialogs"));
mountTools($("tools"));
mountTool($("tool"));
mountStage($("stage"));
mountBar($("server"), $("switches"));

on("open", () => {
  if (settings.namespace) send({ type: "mount", namespace: settings.namespace });
  connect();
});
on("closed", () => {
  isReady = false;
  calls = 0;
  running(false);
  showServer({ state: "lost", target });
  if (last) again = { ...again, pagesOnly: false };
});
on("pages_changed", () => { if (last) again = { ...again, pagesOnly: again?.pagesOnly ?? true }; });
on("client-changed", () => { if (last) again = { ...again, pagesOnly: false }; });

on("server", (state) => {
  target = state.target;
  showServer(state);
  isReady = state.state === "ready";
  wasLost = !isReady && !state.restartable && (wasLost || state.state === "lost" || state.state === "failed");
  if (state.state === "starting") {
    if (!wasLost) again = last && { ...again, pagesOnly: state.pagesOnly && (again?.pagesOnly ?? true) };
    if (!again?.isAsked) running(false);
  }
  if (state.state === "failed" || state.state === "lost") notice({ text: state.detail ?? `The connection was lost.${state.restartable ? "" : " It is made again when the server answers."}`, kind: "bad", title: "The server is not there", act: ["Try again", () => send({ type: "restart" })] });
  if (state.state !== "ready") return;
  notice({});
  tools = state.server.tools;
  const chosen = find(settings.tool) ?? tools.find((tool) => tool.page) ?? tools[0];
  set({ tool: chosen?.name ?? "" });
  showTools(tools, settings.tool);
  showTool(chosen ?? null, target);
  resume();
});

// By its name, or by the one it has under a namespace or without.
const find = (name) => tools.find((tool) => tool.name === name) ?? (name ? tools.find((tool) => isSame(tool.name, name)) : undefined);

// After a change: pages alone are shown anew with the result there was, code runs again.
function resume() {
  const why = again;
  const tool = last && find(last.tool);
  // What is being called goes on. Its page is shown anew when there is a result.
  if (why?.pagesOnly && calls && !last.result) return;
  again = null;
  if (!why || !tool) return;
  const isShown = why.pagesOnly;
  if (isShown && !last.result) return;
  if (!isShown && !why.isAsked && (!settings.again || tool.tool.annotations?.destructiveHint)) return;
  run(isShown ? { ...last, tool: tool.name } : renewed(last, tool));
}

function run(asked) {
  last = { ...asked };
  if (!isReady) {
    again = { pagesOnly: false, isAsked: true };
    return waiting();
  }
  notice({});
  calls += 1;
  running(true);
  send({ type: "run", tool: asked.tool, arguments: asked.arguments, result: asked.result, surroundings: surroundings() });
}

on("run", run);
on("cancel", () => send({ type: "cancel" }));
on("outcome", (outcome) => {
  finished(outcome);
  calls = Math.max(0, calls - 1);
  // One that was only to be shown anew, and was not, is still there.
  if (last) last.result = outcome.result ?? last.result;
  // Where the server is gone, that has been said, and is why the call failed.
  if (isReady && outcome.error !== undefined && outcome.error !== CANCELLED) notice({ text: outcome.error, kind: "bad", title: "The call failed", pane: "result" });
  if (isReady && again?.pagesOnly) resume();
});
on("choose", ({ name }) => {
  set({ tool: name });
  showTool(tools.find((tool) => tool.name === name) ?? null, target);
});
on("focus-form", focusForm);
on("show", ({ frame }) => { ({ view } = frame); });
on("refused", ({ view: from, reason, detail }) => {
  const scheme = from === view && reason === "not-readable" && /not ['"]([a-z][a-z0-9+.-]*):/i.exec(detail)?.[1];
  if (!scheme) return;
  const allow = () => { send({ type: "allow", scheme }); run(last); };
  notice({ text: `${detail} The host decides: some forward every read of a page.`, kind: "warn", title: "The page may not read that", act: [`Let it read ${scheme}://`, allow] });
});
on("notice", (given) => notice(given));

function notice({ text = "", kind = "", title = "", pane = "", act = null }) {
  const place = $("notice");
  place.hidden = !text;
  place.className = `notice ${kind}`;
  if (!text) return;
  const lines = text.split("\n");
  fill(place, h("div", { class: "notice-text" }, title ? h("b", {}, title) : null, lines.length > 1 ? h("pre", {}, text) : h("p", {}, text)),
    h("div", { class: "notice-acts" }, act ? h("button", { type: "button", class: "small", onclick: act[1] }, act[0]) : null, pane ? h("button", { type: "button", class: "small", onclick: () => showPane(pane) }, "Show") : null, copyButton(text),
      h("button", { type: "button", class: "quiet small", "aria-label": "Dismiss", onclick: () => { place.hidden = true; } }, "✕")));
}

addEventListener("keydown", runOnKey);
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    focusSearch();
  }
});

open();
