// What is remembered over reloads of this window and restarts of the dev host.

const PREFIX = "mcp-apps-dev:";

export function recall(key, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // Full or forbidden: then it is forgotten.
  }
}

export const forget = (key) => localStorage.removeItem(PREFIX + key);

const DEFAULTS = {
  theme: "system", era: "modern", apps: true, elicitation: true, namespace: "",
  locale: navigator.language, mode: "inline", width: 0, again: true, pane: "wire", tool: "",
};

// One object, saved whenever it is changed through `set`.
export const settings = { ...DEFAULTS, ...recall("settings", {}) };

export function set(changes) {
  Object.assign(settings, changes);
  remember("settings", settings);
}
