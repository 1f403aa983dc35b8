// Elements, written short. Text is always text: nothing here reads HTML.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && !name.startsWith("aria") && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export async function copy(text, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  if (!button) return;
  const before = button.dataset.label ?? button.textContent;
  button.dataset.label = before;
  button.textContent = done ? "Copied" : "Not copied";
  clearTimeout(button.timer);
  button.timer = setTimeout(() => { button.textContent = before; }, 1200);
}

export const copyButton = (text, label = "Copy") =>
  h("button", {
    type: "button",
    class: "quiet small",
    onclick: (event) => copy(typeof text === "function" ? text() : text, event.currentTarget),
  }, label);

export const badge = (text, kind = "", title = undefined) => h("span", { class: `badge ${kind}`, title }, text);

export function bytes(count) {
  if (count === null || count === undefined) return "";
  if (count < 1000) return `${count} B`;
  return count < 1e6 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

export const milliseconds = (ms) => (ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);

export function debounce(work, wait) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), wait);
  };
}

let ids = 0;
export const freshId = (prefix) => `${prefix}-${++ids}`;
