// Frames of the sandbox, and nothing but carrying: what a frame posts goes to the dev host, what
// the dev host has for it is posted. The bridge is over there.

import { h } from "./dom.js";
import { on, send } from "./socket.js";

const frames = new Map();

export function makeFrame({ view, src, sandbox, allow }) {
  const element = h("iframe", { class: "app", title: "App", sandbox, allow, referrerpolicy: "no-referrer" });
  frames.set(view, { element, origin: new URL(src).origin });
  // Heard before it can speak.
  element.src = src;
  return element;
}

export function dropFrame(view) {
  frames.get(view)?.element.remove();
  frames.delete(view);
}

export function dropAll() {
  for (const view of [...frames.keys()]) dropFrame(view);
}

addEventListener("message", ({ source, origin, data }) => {
  for (const [view, frame] of frames) {
    if (source !== frame.element.contentWindow || origin !== frame.origin) continue;
    send({ type: "view", view, message: asJson(data) });
  }
});

on("to_view", ({ view, message }) => {
  const frame = frames.get(view);
  frame?.element.contentWindow?.postMessage(message, frame.origin);
});

// A structured clone can hold what JSON has no words for; that is no message of the protocol.
function asJson(data) {
  try {
    return JSON.parse(JSON.stringify(data) ?? "null");
  } catch {
    return null;
  }
}
