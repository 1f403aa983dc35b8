// Where the page is shown: its size, its display mode, and what it is told about both.

import { badge, debounce, fill, h } from "./dom.js";
import { dropAll, dropFrame, makeFrame } from "./frames.js";
import { textBlock } from "./json.js";
import { emit, on, send } from "./socket.js";
import { set, settings } from "./store.js";

const WIDTHS = [[0, "Fill"], [390, "Phone"], [768, "Tablet"], [1024, "Desktop"]];
const MODES = ["inline", "fullscreen", "pip"];
const INLINE_HEIGHT = 2000;
const FIRST_HEIGHT = 400; // until the page asks for one; those that fill their frame never do
const PATIENCE = 5000;
const PIP = { width: 400, height: 300 };
const LOCALES = ["en-US", "en-GB", "de-DE", "fr-FR", "es-ES", "ja-JP", "zh-CN", "ar-EG", "he-IL"];

const canvas = h("div", { class: "canvas" });
const holder = h("div", { class: "holder" });
const reading = h("span", { class: "reading" });
const identity = h("span", { class: "identity" });
const modes = h("div", { class: "segments", role: "group", "aria-label": "Display mode" });
const leave = h("button", { type: "button", class: "leave", hidden: true, onclick: () => setMode("inline") }, "Leave fullscreen");
let shown = null;
let supported = null;
let asked = { width: null, height: null };
let told = "";

export function mountStage(element) {
  const widths = h("select", { "aria-label": "Width", onchange: () => { set({ width: Number(widths.value) }); layout(); } },
    WIDTHS.map(([width, name]) => h("option", { value: String(width) }, width ? `${name} ${width}` : name)));
  widths.value = String(settings.width);
  const locales = h("select", { "aria-label": "Locale", onchange: () => { set({ locale: locales.value }); surround(); } },
    [...new Set([settings.locale, navigator.language, ...LOCALES])].map((locale) => h("option", {}, locale)));
  locales.value = settings.locale;
  fill(element, h("div", { class: "toolbar" }, modes, widths, locales,
    h("span", { class: "spring" }), identity, reading,
    h("button", { type: "button", class: "quiet small", onclick: () => send({ type: "close" }), title: "Ask the page to end, then remove it" }, "Tear down")), canvas);
  canvas.append(holder, leave);
  nothing("Run a tool that shows a page.");
  showModes();
  new ResizeObserver(debounce(layout, 80)).observe(canvas);
  addEventListener("keydown", (event) => { if (event.key === "Escape" && settings.mode === "fullscreen") setMode("inline"); });
}

export const isDark = () => settings.theme === "dark" || (settings.theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);

function dimensions() {
  if (settings.mode === "pip") return { ...PIP };
  const width = Math.round(settings.mode === "inline" && settings.width ? settings.width : canvas.clientWidth - (settings.mode === "inline" ? 32 : 0));
  return settings.mode === "inline" ? { width, maxHeight: INLINE_HEIGHT } : { width, height: canvas.clientHeight };
}

export const surroundings = () => ({
  theme: isDark() ? "dark" : "light", locale: settings.locale, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  displayMode: settings.mode, dimensions: dimensions(), touch: matchMedia("(pointer: coarse)").matches, hover: matchMedia("(hover: hover)").matches,
});

export function surround() {
  const now = surroundings();
  if (JSON.stringify(now) === told) return;
  told = JSON.stringify(now);
  send({ type: "surround", surroundings: now });
}

function layout() {
  const { width, height, maxHeight } = dimensions();
  canvas.dataset.mode = settings.mode;
  document.body.classList.toggle("is-fullscreen", settings.mode === "fullscreen");
  leave.hidden = settings.mode !== "fullscreen";
  holder.style.width = `${width}px`;
  const frame = shown?.element;
  if (frame) frame.style.height = `${height ?? Math.min(Math.max(asked.height ?? FIRST_HEIGHT, 40), maxHeight)}px`;
  reading.textContent = shown ? `${width} × ${frame.style.height.replace("px", "")}` : "";
  if (shown) surround();
}

function setMode(mode) {
  set({ mode });
  showModes();
  layout();
  layout();
}

function showModes() {
  fill(modes, MODES.map((mode) => h("button", {
    type: "button", "aria-pressed": String(mode === settings.mode), disabled: Boolean(supported && !supported.includes(mode) && mode !== settings.mode),
    title: supported && !supported.includes(mode) ? "The page does not declare this mode" : undefined, onclick: () => setMode(mode),
  }, mode)));
}

function nothing(text, ...below) {
  holder.style.width = "";
  shown = null;
  fill(identity);
  holder.className = "holder empty";
  fill(holder, h("p", {}, text), below);
}

on("show", ({ frame }) => {
  if (shown) dropFrame(shown.view);
  asked = { width: null, height: null };
  told = "";
  supported = null;
  if (settings.mode !== "inline") set({ mode: "inline" });
  showModes();
  const border = frame.page.prefersBorder;
  holder.className = `holder ${border === false ? "borderless" : border ? "bordered" : ""}`;
  shown = { view: frame.view, element: makeFrame(frame) };
  fill(holder, shown.element);
  const waiting = h("span", { class: "waiting" }, "loading…");
  fill(identity, waiting);
  setTimeout(() => waiting.replaceWith(badge("no handshake", "warn", "The page has not sent ui/initialize and ui/notifications/initialized: until then no host tells it anything. Is its script there, and does it connect?")), PATIENCE);
  layout();
});

on("view_ready", ({ view, app, capabilities }) => {
  if (view !== shown?.view) return;
  supported = capabilities.availableDisplayModes ?? null;
  showModes();
  fill(identity, badge(app ? `${app.title ?? app.name} ${app.version}` : "ready", "ok", "Who the page says it is"));
});

on("size", ({ view, width, height }) => {
  if (view !== shown?.view) return;
  asked = { width: width ?? asked.width, height: height ?? asked.height };
  layout();
});

on("mode", ({ view, mode }) => { if (view === shown?.view) setMode(mode); });
on("teardown_asked", ({ view }) => { if (view === shown?.view) send({ type: "close" }); });
on("close", ({ view, agreed }) => {
  dropFrame(view);
  if (view === shown?.view) {
    if (settings.mode !== "inline") setMode("inline");
    nothing(agreed ? "The page was torn down." : "The page was removed; it did not answer the teardown.");
    reading.textContent = "";
  }
});
on("no_page", ({ detail }) => { nothing("There is no page to show."); emit("notice", { text: detail, kind: "bad" }); });
// Without a page: what a client sees that shows text alone.
on("outcome", ({ result, error }) => {
  if (shown) return;
  const texts = (result?.content ?? []).filter((block) => block.type === "text").map((block) => textBlock(block.text));
  nothing(error ? "There is no result." : texts.length ? "No page; the text of the result:" : "No page, and no text: the result is in the inspector.", texts);
});
on("closed", () => { dropAll(); nothing("The dev host is gone. It is looked for again and again."); });
