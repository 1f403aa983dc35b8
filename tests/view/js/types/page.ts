// What a page's author sees: the global and the module form, and the tools `mcp-apps types` declares.
import { App, CapabilityError, ToolCancelled, type CallToolResult } from "../../../../mcp_apps_plugin/view/mcp-app.js";

declare global {
  interface McpAppTools {
    refresh: { input: { city: string; days?: number }; output: { temperature: number } };
    reset: { input: {}; output: { ok: boolean } };
  }
}

const app = new App({ name: "page", version: "1" });
const global_: App = new McpApp.App({ name: "page", version: "1" }, {}, { autoResize: false });

export async function typed(): Promise<void> {
  const result = await app.callServerTool({ name: "refresh", arguments: { city: "Oslo" } });
  const degrees: number | undefined = result.structuredContent?.temperature;
  const short = await app.callServerTool("refresh", { city: "Oslo", days: 3 }, { timeout: 1000 });
  const more: number | undefined = short.structuredContent?.temperature;
  await app.callServerTool("reset");
  await app.callServerTool({ name: "reset" });
  // @ts-expect-error the argument is missing
  await app.callServerTool({ name: "refresh" });
  // @ts-expect-error the argument has the wrong type
  await app.callServerTool("refresh", { city: 5 });
  // @ts-expect-error the output has no such field
  result.structuredContent?.humidity;
  const other: CallToolResult = await app.callServerTool({ name: "undeclared", arguments: { anything: 1 } });
  void [degrees, more, other, global_];
}

export async function events(): Promise<void> {
  app.ontoolinput = ({ arguments: args }) => void args.city;
  app.ontoolresult = async ({ structuredContent, isError }) => void [structuredContent, isError];
  app.onelicit = async ({ message, requestedSchema, _meta }, { signal }) => (signal.aborted ? { action: "cancel" } : { action: "accept", content: { message, requestedSchema, _meta } });
  // @ts-expect-error no such event
  app.addEventListener("toolinputs", () => {});
  try {
    await app.toolResult;
  } catch (error) {
    if (error instanceof ToolCancelled) error.reason satisfies string | undefined;
    if (error instanceof CapabilityError) error.capability satisfies string;
  }
  const n: number = await app.run(async (signal) => (signal.aborted ? 1 : 2));
  const stop: () => void = McpApp.useTheme(app);
  void [n, stop, McpApp.data];
}
