// One field for one schema: an element, and the value in it. `read` gives undefined for "left out"
// and throws a Misfit that knows its input; within `soFar` it gives what there is.

import { freshId, h, fill } from "./dom.js";
import { choices, initial, inputType, isLong, kindOf, resolve, variantOf, withoutNull } from "./schema.js";

export class Misfit extends Error {
  constructor(message, input) {
    super(message);
    this.input = input;
  }
}

let lenient = false;

// What a form holds so far, whatever is still wrong or missing in it.
export function soFar(read) {
  lenient = true;
  try {
    return read();
  } finally {
    lenient = false;
  }
}

function wrong(message, input, value = undefined) {
  if (lenient) return value;
  throw new Misfit(message, input);
}

export function makeField(given, root, { name = "", required = false, value, changed = () => {} } = {}) {
  const { schema, nullable } = withoutNull(resolve(given, root), root);
  const make = MAKERS[kindOf(schema, root)];
  return make({ schema, root, name, required, nullable, value, changed });
}

function labelled({ schema, name, required }, input, extra = null) {
  const id = (input.id ||= freshId("field"));
  const hint = schema.description ? h("p", { class: "hint", id: `${id}-hint` }, schema.description) : null;
  if (hint) input.setAttribute("aria-describedby", hint.id);
  const title = schema.title && schema.title.toLowerCase().replaceAll(" ", "_") !== name.toLowerCase() ? schema.title : null;
  return h("div", { class: "field" },
    h("label", { for: id }, name || schema.title || "value", required ? h("span", { class: "required", title: "Required" }, " *") : null,
      title && name ? h("span", { class: "title" }, ` ${title}`) : null, h("span", { class: "type" }, typeName(schema))),
    input, extra, hint);
}

function typeName(schema) {
  const type = schema.format ?? (Array.isArray(schema.type) ? schema.type.join(" | ") : schema.type);
  return type ?? "";
}

const isEmpty = (text) => text === "" || text === undefined;

function text(field) {
  const { schema, required, nullable, changed } = field;
  const kind = inputType(schema);
  let isMeant = false; // an empty text is: it was given as a value, and not just never filled in
  let given; // what was written, and what the input made of it: it may show less than there is
  let made;
  const set = (element) => {
    if (schema.maxLength) element.maxLength = schema.maxLength;
    if (schema.pattern && element.tagName === "INPUT") element.pattern = schema.pattern;
    if (schema.examples?.length) element.placeholder = String(schema.examples[0]);
    else if ("default" in schema && schema.default !== null) element.placeholder = String(schema.default);
    element.spellcheck = false;
    element.addEventListener("input", () => { isMeant = false; changed(); });
    return element;
  };
  let input = set(isLong(schema)
    ? h("textarea", { rows: "4" })
    : h("input", { type: kind, step: kind === "datetime-local" || kind === "time" ? "any" : undefined, onpaste: paste }));
  const element = labelled(field, input);
  // One line keeps no line breaks: a text that has some gets more.
  const fit = (value) => {
    if (kind !== "text" || input.tagName !== "INPUT" || !/[\r\n]/.test(value)) return;
    const area = set(h("textarea", { rows: String(Math.min(Math.max(value.split("\n").length, 4), 8)) }));
    for (const name of ["id", "aria-describedby"]) if (input.hasAttribute(name)) area.setAttribute(name, input.getAttribute(name));
    area.value = input.value;
    input.replaceWith(area);
    input = area;
  };
  function paste(event) {
    const pasted = event.clipboardData?.getData("text") ?? "";
    const { selectionStart, selectionEnd } = input;
    fit(pasted);
    if (input === event.target) return;
    event.preventDefault();
    input.setRangeText(pasted, selectionStart, selectionEnd, "end");
    input.focus();
    input.dispatchEvent(new Event("input"));
  }
  const write = (value) => {
    isMeant = value === "" && kind === "text";
    const text = value === undefined || value === null ? "" : String(value);
    fit(text);
    input.value = shown(text, kind);
    given = text;
    made = input.value;
  };
  write(field.value);
  return {
    element, write,
    read() {
      if (isEmpty(input.value)) {
        if (isMeant) return "";
        if (!required) return undefined;
        return nullable ? null : wrong(kind === "text" ? "is needed; an empty text is sent as JSON" : "is needed", input);
      }
      if (!input.checkValidity()) return wrong(input.validationMessage, input, input.value);
      if (schema.minLength && input.value.length < schema.minLength) return wrong(`has fewer than ${schema.minLength} characters`, input, input.value);
      if (input.value === made) return given;
      return kind === "datetime-local" ? new Date(input.value).toISOString() : input.value;
    },
  };
}

function shown(value, kind) {
  if (kind !== "datetime-local" || !value) return value;
  const date = new Date(value);
  if (Number.isNaN(date.valueOf())) return "";
  return new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}

function number(field) {
  const { schema, required, nullable, changed } = field;
  const whole = schema.type === "integer";
  const input = h("input", { type: "number", step: whole ? "1" : "any", inputmode: whole ? "numeric" : "decimal" });
  for (const [key, attribute] of [["minimum", "min"], ["maximum", "max"]]) if (key in schema) input[attribute] = schema[key];
  if ("default" in schema && schema.default !== null) input.placeholder = String(schema.default);
  input.addEventListener("input", changed);
  const write = (value) => { input.value = value ?? ""; };
  write(field.value);
  const range = "minimum" in schema && "maximum" in schema ? h("span", { class: "range" }, `${schema.minimum} – ${schema.maximum}`) : null;
  return {
    element: labelled(field, input, range), write,
    read() {
      if (input.validity.badInput) return wrong("is no number", input);
      if (isEmpty(input.value)) {
        if (required && !nullable) return wrong("is needed", input);
        return required ? null : undefined;
      }
      if (!input.checkValidity()) return wrong(input.validationMessage, input, Number(input.value));
      return Number(input.value);
    },
  };
}

function flag(field) {
  const { schema, required, changed } = field;
  if (!required && typeof schema.default !== "boolean") return choice({ ...field, schema: { ...schema, enum: [true, false] } });
  const input = h("input", { type: "checkbox", role: "switch" });
  input.addEventListener("change", changed);
  const write = (value) => { input.checked = Boolean(value ?? schema.default); };
  write(field.value);
  const element = labelled(field, input);
  element.classList.add("flag");
  return { element, write, read: () => input.checked };
}

function choice(field) {
  const { schema, required, nullable, changed } = field;
  const options = choices(schema);
  const optional = !required || nullable;
  const select = h("select", {}, optional ? h("option", { value: "" }, "—") : null,
    options.map(({ label }, at) => h("option", { value: String(at) }, label)));
  select.addEventListener("change", changed);
  const write = (value) => {
    const at = options.findIndex((option) => option.value === value);
    select.value = at >= 0 ? String(at) : optional ? "" : "0";
  };
  write(field.value);
  return {
    element: labelled(field, select), write,
    read: () => (select.value === "" ? (required && nullable ? null : undefined) : options[Number(select.value)].value),
  };
}

function several(field) {
  const { schema, root, name, required, changed } = field;
  const options = choices(resolve(schema.items, root));
  const boxes = options.map(({ label }) => {
    const box = h("input", { type: "checkbox" });
    box.addEventListener("change", changed);
    return { box, element: h("label", { class: "box" }, box, label) };
  });
  const write = (value) => boxes.forEach(({ box }, at) => { box.checked = (value ?? []).includes(options[at].value); });
  write(field.value);
  return {
    element: group(field, name, boxes.map((each) => each.element)), write,
    read() {
      const chosen = options.filter((_, at) => boxes[at].box.checked).map((option) => option.value);
      if (chosen.length < (schema.minItems ?? 0)) return wrong(`needs at least ${schema.minItems}`, boxes[0].box, chosen);
      return chosen.length || required ? chosen : undefined;
    },
  };
}

function group({ schema, required }, name, ...children) {
  return h("fieldset", { class: "group" },
    h("legend", {}, name || schema.title || "value", required ? h("span", { class: "required" }, " *") : null),
    schema.description ? h("p", { class: "hint" }, schema.description) : null, children);
}

function object(field) {
  const { schema, root, name, required, nullable, changed } = field;
  const needed = schema.required ?? [];
  let fields = {};
  const body = h("div", { class: "fields" });
  const build = (value) => {
    fields = Object.fromEntries(Object.entries(schema.properties).map(([key, property]) => {
      const isNeeded = needed.includes(key);
      const start = value && key in value ? value[key] : value ? undefined : initial(property, root, isNeeded);
      return [key, makeField(property, root, { name: key, required: isNeeded, value: start, changed })];
    }));
    fill(body, Object.values(fields).map((each) => each.element));
  };
  build(field.value);
  const read = () => Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, each.read()]).filter(([, value]) => value !== undefined));
  const write = (value) => build(value ?? {});
  if (!name) return { element: body, read, write };
  if (required && !nullable) return { element: group(field, name, body), read, write };
  return optional(field, body, read, (value) => value !== undefined && value !== null && build(value));
}

// A part that can be left out as a whole.
function optional(field, body, read, write) {
  const box = h("input", { type: "checkbox", "aria-label": `include ${field.name}` });
  const show = () => { body.hidden = !box.checked; };
  box.addEventListener("change", () => { show(); field.changed(); });
  const put = (value) => {
    box.checked = value !== undefined && value !== null;
    write(value);
    show();
  };
  put(field.value);
  const element = group(field, field.name, h("label", { class: "box" }, box, "include"), body);
  return { element, write: put, read: () => (box.checked ? read() : field.required ? null : undefined) };
}

function list(field) {
  const { schema, root, name, required, nullable, changed } = field;
  const rows = h("div", { class: "rows" });
  let items = [];
  const add = (value) => {
    const item = makeField(schema.items ?? {}, root, { name: `${name || "item"} ${items.length + 1}`, required: true, value, changed });
    const row = h("div", { class: "row" }, item.element,
      h("button", { type: "button", class: "quiet small", "aria-label": `remove ${name} ${items.length + 1}`, onclick: () => { items = items.filter((each) => each !== item); row.remove(); changed(); } }, "✕"));
    items.push(item);
    rows.append(row);
  };
  const write = (value) => {
    items = [];
    rows.replaceChildren();
    for (const each of Array.isArray(value) ? value : []) add(each);
  };
  write(field.value);
  const button = h("button", { type: "button", class: "small", onclick: () => { add(initial(schema.items, root, true)); changed(); } }, `+ ${name || "item"}`);
  return {
    element: group(field, name, rows, button), write,
    read() {
      if (items.length < (schema.minItems ?? 0)) return wrong(`needs at least ${schema.minItems}`, button, items.map((item) => item.read()));
      if (!items.length && !required) return undefined;
      return items.length || !nullable ? items.map((item) => item.read()) : null;
    },
  };
}

function variants(field) {
  const { schema, root, name, required, nullable, changed } = field;
  const options = schema.anyOf ?? schema.oneOf;
  const select = h("select", { "aria-label": `kind of ${name}` }, options.map((option, at) => h("option", { value: String(at) }, variantName(resolve(option, root), root) || `option ${at + 1}`)));
  const body = h("div");
  let inner;
  const show = (value) => {
    const option = { ...resolve(options[Number(select.value)], root), title: undefined };
    const label = kindOf(option, root) === "object" ? "" : "value"; // its fields have names
    inner = makeField(option, root, { ...field, required: true, name: label, value: value ?? initial(option, root, true) });
    fill(body, inner.element);
  };
  const write = (value) => { select.value = String(variantOf(options, value, root)); show(value); };
  select.addEventListener("change", () => { show(); changed(); });
  const read = () => inner.read();
  if (!required || nullable) return optional(field, h("div", {}, select, body), read, write);
  write(field.value);
  return { element: group(field, name, select, body), write, read };
}

function json(field) {
  const { required, nullable, changed } = field;
  const input = h("textarea", { rows: "3", class: "code", placeholder: "JSON" });
  input.spellcheck = false;
  input.addEventListener("input", changed);
  const write = (value) => { input.value = value === undefined ? "" : JSON.stringify(value, null, 2); };
  write(field.value);
  return {
    element: labelled(field, input), write,
    read() {
      if (!input.value.trim()) {
        if (required && !nullable) return wrong("is needed", input);
        return required ? null : undefined;
      }
      try {
        return JSON.parse(input.value);
      } catch (error) {
        return wrong(`is no JSON: ${error.message}`, input);
      }
    },
  };
}

function variantName(schema, root) {
  const tags = Object.values(schema.properties ?? {}).map((property) => resolve(property, root).const);
  return schema.title ?? tags.find((tag) => tag !== undefined)?.toString() ?? typeName(schema);
}

const MAKERS = { text, number, flag, choice, several, object, list, variants, json };
