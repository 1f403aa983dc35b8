// JSON Schema, as far as a form goes: what kind of field, which choices, what to start with.

const DEEPEST = 12;

export function resolve(schema, root, depth = 0) {
  if (schema === true || schema === undefined || schema === null) return {};
  if (typeof schema !== "object" || depth > DEEPEST) return {};
  if (typeof schema.$ref === "string") {
    const { $ref, ...rest } = schema;
    return { ...resolve(pointed($ref, root), root, depth + 1), ...rest };
  }
  if (Array.isArray(schema.allOf) && schema.allOf.length) {
    const { allOf, ...rest } = schema;
    return allOf.map((part) => resolve(part, root, depth + 1)).reduceRight(merge, rest);
  }
  return schema;
}

function merge(later, earlier) {
  return {
    ...earlier, ...later,
    ...(earlier.properties || later.properties ? { properties: { ...earlier.properties, ...later.properties } } : {}),
    ...(earlier.required || later.required ? { required: [...new Set([...(earlier.required ?? []), ...(later.required ?? [])])] } : {}),
  };
}

function pointed(reference, root) {
  if (!reference.startsWith("#")) return {};
  let found = root;
  for (const part of reference.slice(1).split("/").filter(Boolean)) {
    found = found?.[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return found ?? {};
}

// Takes `null` out of a schema that allows it: `anyOf: [X, null]` and `type: [x, "null"]`.
export function withoutNull(schema, root) {
  const { anyOf, oneOf, type } = schema;
  const options = anyOf ?? oneOf;
  if (Array.isArray(options)) {
    const kept = options.filter((option) => resolve(option, root).type !== "null");
    if (kept.length < options.length) {
      const { anyOf: _, oneOf: __, ...rest } = schema;
      const inner = kept.length === 1 ? { ...resolve(kept[0], root), ...rest } : { ...rest, anyOf: kept };
      return { schema: inner, nullable: true };
    }
  }
  if (Array.isArray(type) && type.includes("null")) {
    const kept = type.filter((each) => each !== "null");
    return { schema: { ...schema, type: kept.length === 1 ? kept[0] : kept }, nullable: true };
  }
  return { schema, nullable: false };
}

// `[{ value, label }]` of a schema that is a choice of values, or null.
export function choices(schema) {
  if (Array.isArray(schema.enum)) {
    const names = schema.enumNames ?? [];
    return schema.enum.map((value, at) => ({ value, label: String(names[at] ?? value) }));
  }
  const options = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(options) && options.length && options.every((option) => option && "const" in option)) {
    return options.map((option) => ({ value: option.const, label: option.title ?? String(option.const) }));
  }
  if ("const" in schema) return [{ value: schema.const, label: String(schema.const) }];
  return null;
}

const TEXT_FORMATS = { date: "date", "date-time": "datetime-local", time: "time", email: "email", uri: "url", url: "url", password: "password", color: "color" };

export function kindOf(schema, root) {
  if (choices(schema)) return "choice";
  if (schema.anyOf || schema.oneOf) return "variants";
  const type = Array.isArray(schema.type) ? null : schema.type;
  if (type === "string") return "text";
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean") return "flag";
  if (type === "array") {
    const items = resolve(schema.items, root);
    if (schema.prefixItems) return "json";
    return choices(items) ? "several" : "list";
  }
  if (type === "object" || schema.properties) return schema.properties ? "object" : "json";
  return "json";
}

export const inputType = (schema) => TEXT_FORMATS[schema.format] ?? "text";

export const isLong = (schema) =>
  !schema.format && ((schema.maxLength ?? 0) > 200 || schema.contentMediaType !== undefined || schema["x-multiline"] === true);

// What a field starts with; undefined is "left out".
export function initial(given, root, required, depth = 0) {
  const whole = resolve(given, root);
  if ("default" in whole) return whole.default ?? undefined;
  if (!required || depth > DEEPEST) return undefined;
  const { schema, nullable } = withoutNull(whole, root);
  if (nullable) return null;
  switch (kindOf(schema, root)) {
    case "choice": return choices(schema)[0]?.value;
    case "variants": return initial((schema.anyOf ?? schema.oneOf)[0], root, true, depth + 1);
    case "flag": return false;
    case "text": return undefined;
    case "several": return [];
    case "list": return Array.from({ length: schema.minItems ?? 0 }, () => initial(schema.items, root, true, depth + 1));
    case "object": return initialObject(schema, root, depth);
    case "json": return schema.type === "object" ? {} : undefined;
    default: return undefined;
  }
}

function initialObject(schema, root, depth) {
  const made = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = initial(property, root, (schema.required ?? []).includes(name), depth + 1);
    if (value !== undefined) made[name] = value;
  }
  return made;
}

// What a form holds once its schema has changed: what it began with becomes what the new one begins
// with, what was changed stays.
export function follow(held, began, begins) {
  if (JSON.stringify(held) === JSON.stringify(began)) return begins;
  if (![held, began, begins].every((each) => each && typeof each === "object" && !Array.isArray(each))) return held;
  const names = new Set([begins, held].flatMap(Object.keys));
  return Object.fromEntries([...names].map((name) => [name, follow(held[name], began[name], begins[name])]).filter(([, value]) => value !== undefined));
}

// Which of several variants a value looks like.
export function variantOf(options, value, root) {
  const fits = (option) => {
    const schema = resolve(option, root);
    const values = choices(schema);
    if (values) return values.some((choice) => choice.value === value);
    const type = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
    if (schema.type === "integer") return Number.isInteger(value);
    if (type !== (schema.type ?? (schema.properties ? "object" : type))) return false;
    if (type !== "object") return true;
    const tagged = Object.entries(schema.properties ?? {}).filter(([, property]) => "const" in resolve(property, root));
    return tagged.every(([name, property]) => value[name] === resolve(property, root).const);
  };
  return Math.max(0, options.findIndex(fits));
}
