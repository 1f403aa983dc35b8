// A form for an object schema, with a switch to raw JSON. Used for tools and for questions.

import { h, fill } from "./dom.js";
import { makeField, Misfit, soFar } from "./fields.js";
import { follow, initial } from "./schema.js";

const objectOf = (root) => ({ ...root, type: "object", properties: root.properties ?? {} });

function fieldOf(root, value, changed) {
  const object = objectOf(root);
  return makeField(object, root, { required: true, value: value ?? initial(object, root, true), changed });
}

// The arguments of a schema's untouched form, read as they will be read.
export const beginningOf = (schema) => soFar(fieldOf(schema ?? {}).read);

// `kept` is what a form of this tool held before, its schema being another one maybe: see `keep`.
export function makeForm(schema, { kept, changed = () => {}, raw = true } = {}) {
  const root = schema ?? {};
  const began = beginningOf(root);
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const body = h("div");
  const area = h("textarea", { class: "code raw", rows: "8", "aria-label": "Arguments as JSON", hidden: true });
  area.spellcheck = false;
  let isRaw = false;
  let marked = null;

  const notice = () => {
    problem.hidden = true;
    marked?.removeAttribute("aria-invalid");
    changed();
  };
  area.addEventListener("input", notice);
  const field = fieldOf(root, kept && follow(kept.value, kept.began, began), notice);
  const none = Object.keys(root.properties ?? {}).length === 0;
  fill(body, none ? h("p", { class: "hint" }, "Takes no arguments.") : field.element);

  const text = () => JSON.stringify(soFar(field.read), null, 2);
  const toggle = h("button", { type: "button", class: "quiet small", "aria-pressed": "false" }, "JSON");
  toggle.addEventListener("click", () => {
    if (isRaw) {
      const parsed = parse(area.value);
      if (!parsed.ok) return complain(new Misfit(parsed.problem, area));
      field.write(parsed.value);
    } else area.value = text();
    isRaw = !isRaw;
    area.hidden = !isRaw;
    body.hidden = isRaw;
    toggle.setAttribute("aria-pressed", String(isRaw));
    notice();
  });

  function complain(misfit) {
    marked = misfit.input;
    marked.setAttribute("aria-invalid", "true");
    const label = marked.labels?.[0]?.firstChild?.textContent ?? "This";
    problem.textContent = `${label}: ${misfit.message}`;
    problem.hidden = false;
    marked.focus();
    return undefined;
  }

  return {
    element: h("div", { class: "form" }, body, area, problem),
    toggle: raw ? toggle : null,
    write: (it) => { field.write(it); area.value = text(); },
    // The value, or undefined after having said what is wrong.
    read() {
      try {
        if (!isRaw) return field.read();
        const parsed = parse(area.value);
        if (!parsed.ok) throw new Misfit(parsed.problem, area);
        return parsed.value;
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
        return complain(error);
      }
    },
    began,
    // The value as far as it can be read, without a word, beside what it was untouched.
    keep() {
      const value = isRaw ? parse(area.value).value : soFar(field.read);
      return value === undefined ? undefined : { value, began };
    },
    focus: () => (isRaw ? area : body.querySelector("input, select, textarea, button"))?.focus(),
  };
}

function parse(text) {
  try {
    const value = JSON.parse(text || "{}");
    if (value === null || typeof value !== "object" || Array.isArray(value)) return { ok: false, problem: "arguments are an object" };
    return { ok: true, value };
  } catch (error) {
    return { ok: false, problem: `no JSON: ${error.message}` };
  }
}
