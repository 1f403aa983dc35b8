"""The few lines of JavaScript that run linked modules in a page."""

from __future__ import annotations

from typing import Final

GLOBAL: Final = "McpAppModules"
"""Where scripts of the page find the registry; not enumerable."""

# Each module is a generator function. Its first step, taken when it is defined, declares:
# functions are hoisted and the namespace gets its getters, so cycles and live bindings behave as
# in the language. Its second step runs the body. No eval, no `blob:`, no `data:`: strict policies
# allow inline text only.
REGISTRY: Final = """\
(() => {
  const records = [];
  const registry = {
    external: [],
    namespace: () => Object.create(null, { [Symbol.toStringTag]: { value: "Module" } }),
    expose(namespace, getters) {
      for (const name of Object.keys(getters)) {
        Object.defineProperty(namespace, name, { enumerable: true, get: getters[name] });
      }
      Object.preventExtensions(namespace);
    },
    rename(value) {
      Object.defineProperty(value, "name", { value: "default", configurable: true });
    },
    meta(name) {
      let url = name;
      try { url = new URL(name, document.baseURI).href; } catch {}
      return { url, resolve: (specifier) => new URL(specifier, url).href };
    },
    define(id, namespace, dependencies, externals, body) {
      const steps = body();
      steps.next();
      records[id] = { namespace, dependencies, externals, steps };
    },
    run: (id) => evaluate(records[id]),
    async load(id) {
      await Promise.all([...reach(records[id])].flatMap((record) => record.externals).map(
        async ([slot, url]) => { registry.external[slot] ??= await import(url); }));
      await registry.run(id);
      return records[id].namespace;
    },
  };
  function reach(record, seen = new Set()) {
    if (!seen.has(record)) {
      seen.add(record);
      for (const id of record.dependencies) reach(records[id], seen);
    }
    return seen;
  }
  function evaluate(record) {
    if (record.failed) throw record.failed.error;
    if (record.started) return record.pending;
    record.started = true;
    const fail = (error) => { record.failed = { error }; throw error; };
    try {
      const waits = record.dependencies.map((id) => evaluate(records[id])).filter(Boolean);
      const step = () => {
        const result = record.steps.next();
        if (result instanceof Promise) return result;
      };
      const pending = waits.length ? Promise.all(waits).then(step) : step();
      if (pending) {
        record.pending = pending.then(() => { record.pending = undefined; }, fail);
        record.pending.catch(() => {});
      }
      return record.pending;
    } catch (error) {
      fail(error);
    }
  }
  Object.defineProperty(globalThis, "McpAppModules", { value: registry });
  return registry;
})()"""
