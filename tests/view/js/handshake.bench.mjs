// What a page pays for its library, side by side in one Chromium run: bytes, and the time from frame load to
// `initialized` in the official AppBridge. Median of 30, all alternating so that they meet the same machine.
// A frame is loaded when its document begins; the process that Chromium starts for it before is neither's. The third
// page says the three messages by hand: nothing can be faster.
import { gzipSync } from "node:zlib";
import { minified, source } from "./support.mjs";
import { Browser, library, official, skip } from "./browser/support.mjs";

const runs = Number(process.env.RUNS ?? 30);
const bytes = (text) => ({ raw: Buffer.byteLength(text), gzip: gzipSync(text, { level: 9 }).length });
const table = { "mcp-app.js, as written": bytes(source), "app-with-deps.js, official": bytes(official) };
for (const [name, text] of Object.entries(minified)) if (text) table["mcp-app.js, " + name] = bytes(text);
for (const row of Object.values(table)) row["official / this, gzipped"] = Number((bytes(official).gzip / row.gzip).toFixed(1));
console.table(table); // the target is 20 or more

if (skip) {
  console.log("times not measured: " + skip);
} else {
  const browser = await Browser.start();
  const head = `<!doctype html><html><head><script>performance.mark("begin")</script></head>`;
  const inline = (script, type) => `${head}<body><script${type}>${script.replaceAll("</script", "<\\/script")}</script>`;
  const start = `const app = new App({ name: "bench", version: "1" }); app.ontoolresult = () => {}; app.connect();</script></body></html>`;
  // Both inlined, as a single-file page has them; the official bundle is a module, whose export becomes a local name.
  const exported = /export\s*\{([^}]*)\}\s*;?\s*$/.exec(official.replace(/\n\/\/# sourceMappingURL=.*\s*$/, ""));
  const local = exported && /([\w$]+)\s+as\s+App\b/.exec(exported[1])?.[1];
  const pages = {
    ours: inline(library, "") + `<script>const { App } = McpApp; ` + start,
    official: local
      ? inline(official.slice(0, exported.index), ` type="module"`).replace(/<\/script>$/, "") + `;const App = ${local}; ` + start
      : `${head}<body><script type="module">import { App } from "${browser.origin}/official.js"; ` + start,
    "by hand": `${head}<body><script>
      const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
      addEventListener("message", ({ data }) => data.id === 1 && send({ method: "ui/notifications/initialized", params: {} }));
      const params = { protocolVersion: "2026-01-26", appInfo: { name: "bench", version: "1" }, appCapabilities: {} };
      send({ id: 1, method: "ui/initialize", params });</script></body></html>`,
  };
  const times = { ours: [], official: [], "by hand": [] };
  for (let i = -3; i < runs; i++)
    for (const which of i % 2 ? Object.keys(pages) : Object.keys(pages).reverse()) {
      const initialized = await browser.open({ html: pages[which] });
      const load = await browser.inFrame(() => performance.timeOrigin + performance.getEntriesByName("begin")[0].startTime);
      if (i >= 0) times[which].push(initialized - load); // the first three warm up
    }
  const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
  const [ours, theirs, least] = Object.values(times).map(median);
  console.log(`frame load to initialized, median of ${runs}: by hand ${least.toFixed(1)} ms, ours ${ours.toFixed(1)} ms, official ${theirs.toFixed(1)} ms${local ? "" : " (by URL)"}; ${(ours / theirs).toFixed(2)} of it (target 0.33 or less)`);
  await browser.stop();
}
