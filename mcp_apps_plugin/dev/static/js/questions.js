// Questions to the user: links and files in a dialog, questions of the server in a card that leaves
// the rest in reach.

import { badge, bytes, fill, h } from "./dom.js";
import { makeForm } from "./form.js";
import { dropFrame, makeFrame } from "./frames.js";
import { jsonView } from "./json.js";
import { on, send } from "./socket.js";

const open = new Map();
let place;

export const mountQuestions = (element) => { place = element; };

on("ask", (question) => KINDS[question.kind]?.(question));
on("asked", ({ question }) => {
  open.get(question)?.();
  open.delete(question);
});
on("closed", () => {
  for (const close of open.values()) close();
  open.clear();
});

function answer(question, value) {
  send({ type: "answer", question: question.question, value });
}

function dialog(question, title, children, actions) {
  const box = h("dialog", { "aria-label": title },
    h("form", { method: "dialog" }, h("h2", {}, title), children, h("footer", {}, actions.map(([label, act, kind]) =>
      h("button", { type: "button", class: kind, onclick: act }, label)))));
  box.addEventListener("cancel", () => answer(question, null));
  open.set(question.question, () => { box.close(); box.remove(); });
  place.append(box);
  box.showModal();
  box.querySelector("footer button:last-child")?.focus();
}

function link(question) {
  const act = () => {
    window.open(question.url, "_blank", "noopener,noreferrer");
    answer(question, { open: true });
  };
  dialog(question, "Open a link?", [h("p", {}, "The page wants to open"), h("p", { class: "address" }, question.url)],
    [["Refuse", () => answer(question, null), ""], ["Open", act, "primary"]]);
}

function download(question) {
  const act = () => {
    for (const file of question.files) save(file);
    answer(question, { save: true });
  };
  const rows = question.files.map((file) => h("li", {}, h("b", {}, file.name), ` ${file.mimeType ?? ""} ${bytes(file.size)} ${file.url ?? ""}`));
  dialog(question, "Save files?", [h("p", {}, "The page hands you"), h("ul", {}, rows)], [["Refuse", () => answer(question, null), ""], ["Save", act, "primary"]]);
}

function save(file) {
  if (file.url) return void window.open(file.url, "_blank", "noopener,noreferrer");
  const data = Uint8Array.from(atob(file.data), (character) => character.charCodeAt(0));
  // Never a type that a browser would run if it were opened.
  const url = URL.createObjectURL(new Blob([data], { type: "application/octet-stream" }));
  h("a", { href: url, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function sampling(question) {
  const area = h("textarea", { rows: "5", "aria-label": "The model's answer" });
  dialog(question, "You are the model", [h("p", {}, "The page asks the model:"), h("div", { class: "json" }, jsonView(question.params)), area],
    [["Refuse", () => answer(question, null), ""], ["Answer", () => answer(question, { text: area.value }), "primary"]]);
}

// A question of the server. With a page there are two faces, page and form, and a switch.
function elicitation(question) {
  const form = question.schema ? makeForm(question.schema, { raw: false }) : null;
  let view = question.frame?.view;
  let frame = question.frame ? makeFrame(question.frame) : null;
  const body = h("div", { class: "faces" });
  const faces = h("div", { class: "segments", role: "group", "aria-label": "Form" });
  const native = h("form", { novalidate: true, class: "native", onsubmit: accept },
    form?.element ?? h("p", { class: "address" }, question.url),
    h("footer", {}, h("button", { type: "submit", class: "primary" }, question.url ? "Open" : "Send"),
      h("button", { type: "button", onclick: () => answer(question, { action: "decline" }) }, "Decline"),
      h("button", { type: "button", class: "quiet", onclick: () => answer(question, frame ? { action: "cancel" } : null) }, "Cancel")));
  function accept(event) {
    event.preventDefault();
    if (question.url) window.open(question.url, "_blank", "noopener,noreferrer");
    const content = form?.read();
    if (question.url || content !== undefined) answer(question, { action: "accept", ...(form ? { content } : {}) });
  }
  function show(face) {
    fill(faces, [["app", "Page"], ["native", "Form"]].map(([name, label]) => h("button", { type: "button", "aria-pressed": String(name === face), onclick: () => show(name) }, label)));
    if (frame) frame.hidden = face !== "app";
    native.hidden = face !== "native";
    if (face === "native") form?.focus();
  }
  // The frame stays where it is: moving it would load it anew.
  fill(body, frame, native);
  const card = h("section", { class: "question", "aria-label": "Question" },
    h("header", {}, badge(question.server ?? "The server", "accent", "Who asks"), h("h2", {}, question.message), frame ? faces : null), body);
  // The page has changed: it is shown anew, and the form beside it stays as it is.
  function renew(next) {
    const { hidden, style: { height } } = frame;
    gone();
    ({ view } = next);
    frame = makeFrame(next);
    Object.assign(frame, { hidden });
    frame.style.height = height;
    native.before(frame);
    shown();
  }
  function shown() {
    sizes.set(view, frame);
    renewals.set(view, renew);
  }
  function gone() {
    dropFrame(view);
    sizes.delete(view);
    renewals.delete(view);
  }
  open.set(question.question, () => { if (frame) gone(); card.remove(); });
  place.append(card);
  show(frame ? "app" : "native");
  if (frame) shown();
}

const renewals = new Map();
on("ask_again", ({ was, frame }) => renewals.get(was)?.(frame));

const sizes = new Map();
on("size", ({ view, height }) => {
  const frame = sizes.get(view);
  if (frame && height) frame.style.height = `${Math.min(height, innerHeight * 0.7)}px`;
});

const KINDS = { link, download, sampling, elicitation };
