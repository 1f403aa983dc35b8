// Ours against the official App, 2.x. What fits is assigned; what does not is listed with its reason, and the list is
// checked too: an entry that is no longer true fails to compile.
import type { App as Official, AppOptions as OfficialOptions, McpUiAppCapabilities, McpUiHostContext, McpUiStyleVariableKey } from "@modelcontextprotocol/ext-apps";
import { App as OfficialClass, PostMessageTransport as OfficialTransport } from "@modelcontextprotocol/ext-apps";
import * as helpers from "@modelcontextprotocol/ext-apps";
import * as ours from "../../../../mcp_apps_plugin/view/mcp-app.js";

type Ours = ours.App;

/** Members whose types differ, and why. All of them take what the official documentation passes. */
interface Differs {
  /** The official types requests by method name, ours by the schema that is passed. */
  setRequestHandler: true;
  /** The official takes Standard Schemas only; ours takes JSON Schema too, and types the callback for both. */
  registerTool: true;
  /** Handlers get more than the official ones do: `signal` at the top of the context, arguments that are always there. */
  onteardown: true;
  oncalltool: true;
  onlisttools: true;
  ontoolinput: true;
  ontoolinputpartial: true;
}

type Common = Exclude<keyof Official & keyof Ours, keyof Differs>;
type Assignable<From, To> = From extends To ? true : false;

declare const app: Ours;
export const conforming: Pick<Official, Common> = app;

/** Handlers written for the official App can be set all the same. */
export function handlers(official: Official): void {
  app.onteardown = official.onteardown;
  app.oncalltool = official.oncalltool;
  app.ontoolinput = official.ontoolinput;
  app.ontoolinputpartial = official.ontoolinputpartial;
  app.ontoolresult = official.ontoolresult;
  app.onhostcontextchanged = official.onhostcontextchanged;
}

/** An entry above that has become untrue must go. */
type Stale = { [K in keyof Differs]: Ours[K] extends Official[K] ? K : never }[keyof Differs];
export const stale: [Stale] extends [never] ? true : Stale = true;

/** Nothing official is missing. */
type Missing = Exclude<keyof Official, keyof Ours>;
export const missing: [Missing] extends [never] ? true : Missing = true;

/** Official values fit where ours are asked for: a page may pass what it got from the official types. */
declare const officialTransport: OfficialTransport;
declare const officialContext: McpUiHostContext;
declare const officialOptions: OfficialOptions;
declare const officialCapabilities: McpUiAppCapabilities;
export const accepted: [ours.Transport, ours.McpUiHostContext, ours.AppOptions, ours.McpUiAppCapabilities] = [officialTransport, officialContext, officialOptions, officialCapabilities];

/** The constructor takes the same arguments. */
export const parameters: Assignable<ConstructorParameters<typeof OfficialClass>, ConstructorParameters<typeof ours.App>> = true;

/** The same 76 variables. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;
export const variables: Same<McpUiStyleVariableKey, ours.McpUiStyleVariableKey> = true;

/** The helpers by their official names. */
type Helper = "getDocumentTheme" | "applyDocumentTheme" | "applyHostStyleVariables" | "applyHostFonts" | "LATEST_PROTOCOL_VERSION";
export const sameHelpers: Pick<typeof helpers, Helper> = ours;

// What pages pass, by the documentation, to the members that differ.
export async function documented(): Promise<void> {
  const called: { content: unknown[]; isError?: boolean } = await app.callServerTool({ name: "x", arguments: { location: "Tokyo" } }, { timeout: 1 });
  const sampled = await app.createSamplingMessage({ messages: [{ role: "user", content: { type: "text", text: "x" } }], maxTokens: 1 });
  app.registerTool("greet", { description: "d", inputSchema: { type: "object" } }, async (args, extra) => ({ content: [{ type: "text", text: String(args.name) + extra.mcpReq.id }] }));
  app.registerTool("plain", {}, async (extra) => ({ content: [{ type: "text", text: extra.mcpReq.method }] }));
  app.setRequestHandler("x/y", async (request, extra) => ({ of: request, aborted: extra.signal.aborted }));
  app.setNotificationHandler("notifications/tools/list_changed", () => {});
  void [called, sampled];
}

