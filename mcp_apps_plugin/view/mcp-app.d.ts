/**
 * Types of mcp-app.js, the page half of MCP Apps (protocol 2026-01-26).
 *
 * A page gets the library inlined by its server. As a classic script it uses the global `McpApp`; as a module it may
 * write `import { App } from "./mcp-app.js"`, which the server rewrites. `App` takes the calls of the official SDK's
 * `App`, 2.x, and adds to them.
 */

// ---- messages ----

export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: { src: string; mimeType?: string; sizes?: string[]; theme?: "light" | "dark" }[];
}

export interface Annotations {
  audience?: ("user" | "assistant")[];
  priority?: number;
  lastModified?: string;
}

type Meta = { [key: string]: unknown };

export interface TextContent { type: "text"; text: string; annotations?: Annotations; _meta?: Meta }
export interface ImageContent { type: "image"; data: string; mimeType: string; annotations?: Annotations; _meta?: Meta }
export interface AudioContent { type: "audio"; data: string; mimeType: string; annotations?: Annotations; _meta?: Meta }
export interface TextResourceContents { uri: string; text: string; mimeType?: string; _meta?: Meta }
export interface BlobResourceContents { uri: string; blob: string; mimeType?: string; _meta?: Meta }
export interface EmbeddedResource { type: "resource"; resource: TextResourceContents | BlobResourceContents; annotations?: Annotations; _meta?: Meta }
export interface ResourceLink {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  size?: number;
  annotations?: Annotations;
  _meta?: Meta;
}
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink;

/** A tool's result. `content` is always a list, whatever the host left out. */
export interface CallToolResult<Structured = any> {
  content: ContentBlock[];
  structuredContent?: Structured;
  isError?: boolean;
  _meta?: Meta;
  [key: string]: unknown;
}

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface JsonObjectSchema {
  type: "object";
  properties?: { [name: string]: any };
  required?: string[];
  [key: string]: any;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObjectSchema;
  outputSchema?: { [key: string]: any };
  annotations?: ToolAnnotations;
  _meta?: Meta;
  [key: string]: unknown;
}

export interface ListToolsResult { tools: Tool[]; nextCursor?: string; _meta?: Meta; [key: string]: unknown }
export interface Resource { uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number; _meta?: Meta; [key: string]: any }
export interface ListResourcesResult { resources: Resource[]; nextCursor?: string; _meta?: Meta; [key: string]: unknown }
export interface ReadResourceResult { contents: (TextResourceContents | BlobResourceContents)[]; _meta?: Meta; [key: string]: unknown }

export interface McpUiMessageResult { isError?: boolean; [key: string]: unknown }
export type McpUiOpenLinkResult = McpUiMessageResult;
export type McpUiDownloadFileResult = McpUiMessageResult;
export interface McpUiRequestDisplayModeResult { mode: McpUiDisplayMode; [key: string]: unknown }

// ---- host ----

export type McpUiTheme = "light" | "dark";
export type McpUiDisplayMode = "inline" | "fullscreen" | "pip";

type Role = "primary" | "secondary" | "tertiary" | "inverse" | "ghost" | "info" | "danger" | "success" | "warning" | "disabled";
type TextSize = "xs" | "sm" | "md" | "lg";
type HeadingSize = TextSize | "xl" | "2xl" | "3xl";
/** The closed set of 76 CSS variables a host may send. */
export type McpUiStyleVariableKey =
  | `--color-${"background" | "text" | "border"}-${Role}`
  | `--color-ring-${Exclude<Role, "tertiary" | "ghost" | "disabled">}`
  | `--font-${"sans" | "mono"}`
  | `--font-weight-${"normal" | "medium" | "semibold" | "bold"}`
  | `--font-text-${TextSize}-${"size" | "line-height"}`
  | `--font-heading-${HeadingSize}-${"size" | "line-height"}`
  | `--border-radius-${TextSize | "xl" | "full"}`
  | "--border-width-regular"
  | `--shadow-${"hairline" | "sm" | "md" | "lg"}`;
export type McpUiStyles = Record<McpUiStyleVariableKey, string | undefined>;

export interface SafeAreaInsets { top: number; right: number; bottom: number; left: number }

/** What the host tells about itself. Every field may be missing, and a host may send more. */
export interface McpUiHostContext {
  toolInfo?: { id?: string | number; tool: Tool };
  theme?: McpUiTheme;
  styles?: { variables?: McpUiStyles; css?: { fonts?: string } };
  displayMode?: McpUiDisplayMode;
  availableDisplayModes?: McpUiDisplayMode[];
  containerDimensions?: ({ height: number } | { maxHeight?: number | undefined }) & ({ width: number } | { maxWidth?: number | undefined });
  locale?: string;
  timeZone?: string;
  userAgent?: string;
  platform?: "web" | "desktop" | "mobile";
  deviceCapabilities?: { touch?: boolean; hover?: boolean };
  safeAreaInsets?: SafeAreaInsets;
  [key: string]: unknown;
}

export interface Modalities { text?: {}; image?: {}; audio?: {}; resource?: {}; resourceLink?: {}; structuredContent?: {} }

export interface McpUiHostCapabilities {
  experimental?: Record<string, object>;
  openLinks?: {};
  downloadFile?: {};
  serverTools?: { listChanged?: boolean };
  serverResources?: { listChanged?: boolean };
  logging?: {};
  sandbox?: {
    permissions?: { camera?: {}; microphone?: {}; geolocation?: {}; clipboardWrite?: {} };
    csp?: { connectDomains?: string[]; resourceDomains?: string[]; frameDomains?: string[]; baseUriDomains?: string[] };
  };
  updateModelContext?: Modalities;
  message?: Modalities;
  sampling?: { tools?: {} };
}

export interface McpUiAppCapabilities {
  experimental?: Record<string, object>;
  tools?: { listChanged?: boolean };
  availableDisplayModes?: McpUiDisplayMode[];
  /** Declared for the app when `onelicit` is set before connect(). */
  elicitation?: {};
}

// ---- calls ----

export interface Progress { progress: number; total?: number; message?: string; [key: string]: unknown }

export interface RequestOptions {
  /** Called with each progress notice of the host. */
  onprogress?: (progress: Progress) => void;
  /** Aborting rejects the call and tells the host. */
  signal?: AbortSignal;
  /** Milliseconds, 60 000 by default. */
  timeout?: number;
  /** Whether progress starts the timeout anew; true by default. */
  resetTimeoutOnProgress?: boolean;
  /** Milliseconds in all, whatever the progress; unlimited by default. */
  maxTotalTimeout?: number;
}

export interface AppOptions {
  /** Report size changes to the host; true by default. */
  autoResize?: boolean;
  /** `false`: ask the host also for what it did not declare. By default such calls fail at once, by name. */
  enforceStrictCapabilities?: boolean;
  /** Of the official SDK; without effect here, where early calls wait and late handlers get what came before them. */
  strict?: boolean;
  /** Of the official SDK; without effect here, where nothing needs eval. */
  allowUnsafeEval?: boolean;
}

/** What a channel to a host has to offer; the official SDK's transports do. */
export interface Transport {
  start(): Promise<void>;
  send(message: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: any) => void) | undefined;
}

export interface StandardSchema<Output = any> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown, ...rest: any[]) => any;
    readonly types?: { readonly input: any; readonly output: Output } | undefined;
  };
}
/** A Standard Schema (zod, valibot, ArkType, ...) or a JSON Schema. */
export type AnySchema = StandardSchema | JsonObjectSchema;
type Parsed<S> = S extends { readonly "~standard": { readonly types?: infer T } } ? (NonNullable<T> extends { readonly output: infer O } ? O : any) : any;

/** What a handler knows of the request it answers. */
export interface RequestContext {
  signal: AbortSignal;
  requestId: string | number;
  _meta?: any;
  mcpReq: {
    id: string | number;
    method: string;
    signal: AbortSignal;
    _meta?: any;
    send: (request: { method: string; params?: any }, ...schemaOrOptions: any[]) => Promise<any>;
    notify: (notification: { method: string; params?: any }) => Promise<void>;
    /** Always undefined: hosts resolve what is interim before they ask an app. */
    requestState: () => any;
  };
}

declare global {
  /**
   * The server's tools, by the names its author gave. `mcp-apps types` writes this; without it any name goes.
   * @example interface McpAppTools { refresh: { input: { city: string }; output: { temperature: number } } }
   */
  interface McpAppTools {}
  /** The library as a classic script defines it. */
  var McpApp: typeof import("./mcp-app.js");
}

type Input<N> = N extends keyof McpAppTools ? (McpAppTools[N] extends { input: infer I } ? I : never) : Record<string, unknown>;
type Output<N> = N extends keyof McpAppTools ? (McpAppTools[N] extends { output: infer O } ? O : any) : any;
type Empty = Record<string, never>;
/** Arguments may be left out where the tool needs none. */
type Arguments<N> = N extends keyof McpAppTools ? (Empty extends Input<N> ? { arguments?: Input<N> } : { arguments: Input<N> }) : { arguments?: Record<string, unknown> };
type Positional<N> = N extends keyof McpAppTools ? (Empty extends Input<N> ? [args?: Input<N>, options?: RequestOptions] : [args: Input<N>, options?: RequestOptions]) : [args?: Record<string, unknown>, options?: RequestOptions];
type Known<N extends string> = N | (keyof McpAppTools & string);

// ---- app-provided tools ----

export type AppToolResult = CallToolResult | Promise<CallToolResult>;
type ToolCallback<In> = [In] extends [undefined] ? (extra: RequestContext) => AppToolResult : (args: Parsed<In>, extra: RequestContext) => AppToolResult;

export interface AppToolConfig<In = undefined, Out = undefined> {
  title?: string;
  description?: string;
  inputSchema?: In;
  outputSchema?: Out;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
}

export interface RegisteredAppTool {
  title?: string;
  description?: string;
  inputSchema?: any;
  outputSchema?: any;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  enabled: boolean;
  enable(): void;
  disable(): void;
  remove(): void;
  update(updates: Partial<Omit<RegisteredAppTool, "update">>): void;
  handler: (args: unknown, extra: any) => Promise<CallToolResult>;
}

// ---- elicitation ----

export interface ElicitParams {
  mode?: "form";
  message: string;
  requestedSchema: JsonObjectSchema;
  _meta?: Meta;
}
export type ElicitAnswer = { action: "accept"; content: Record<string, unknown> } | { action: "decline" | "cancel" };

// ---- events ----

export interface ToolInput<Args = Record<string, any>> { arguments: Args; [key: string]: unknown }

export interface AppEventMap {
  toolinput: ToolInput;
  toolinputpartial: ToolInput;
  toolresult: CallToolResult;
  toolcancelled: { reason?: string };
  /** Only the changed fields; getHostContext() has the whole already. */
  hostcontextchanged: McpUiHostContext;
  /** After each completed handshake. */
  connected: McpUiHostContext;
}
type Handler<K extends keyof AppEventMap> = ((params: AppEventMap[K]) => unknown) | undefined;

export class App {
  constructor(appInfo: Implementation, capabilities?: McpUiAppCapabilities, options?: AppOptions);

  /**
   * Connects to the host and completes the handshake. Without a transport: to the parent window. Called again while
   * connected, it gives the same promise.
   */
  connect(transport?: Transport, options?: RequestOptions): Promise<void>;
  close(): Promise<void>;
  readonly transport: Transport | undefined;

  /**
   * Runs a program for as long as the host shows the app, and connects once the program has set its handlers (up to
   * its first await). On `ui/resource-teardown`, or when the connection is lost, the signal fires; the host is
   * answered only when the program has ended, so its `finally` blocks are its finalizers.
   */
  run<T>(program: (signal: AbortSignal, app: this) => T | Promise<T>): Promise<T>;

  getHostContext(): McpUiHostContext | undefined;
  getHostCapabilities(): McpUiHostCapabilities | undefined;
  getHostVersion(): Implementation | undefined;

  /**
   * The complete tool input, whenever it came. `{ arguments: {} }` if a host sends none: some do so for tools without
   * arguments. Rejects with ToolCancelled if the call was cancelled before it.
   */
  readonly toolInput: Promise<ToolInput>;
  /** The tool's result, whenever it came; rejects with ToolCancelled. */
  readonly toolResult: Promise<CallToolResult>;

  /**
   * Events of the tool call are kept until there is a handler, and delivered once: of replays, the first counts.
   * setNotificationHandler() sees every message.
   */
  addEventListener<K extends keyof AppEventMap>(event: K, handler: (params: AppEventMap[K]) => unknown): void;
  removeEventListener<K extends keyof AppEventMap>(event: K, handler: (params: AppEventMap[K]) => unknown): void;
  get ontoolinput(): Handler<"toolinput">;
  set ontoolinput(handler: Handler<"toolinput">);
  get ontoolinputpartial(): Handler<"toolinputpartial">;
  set ontoolinputpartial(handler: Handler<"toolinputpartial">);
  get ontoolresult(): Handler<"toolresult">;
  set ontoolresult(handler: Handler<"toolresult">);
  get ontoolcancelled(): Handler<"toolcancelled">;
  set ontoolcancelled(handler: Handler<"toolcancelled">);
  get onhostcontextchanged(): Handler<"hostcontextchanged">;
  set onhostcontextchanged(handler: Handler<"hostcontextchanged">);

  /** The host waits for it before it removes the page. */
  onteardown: ((params: { reason?: string }, extra: RequestContext) => Record<string, unknown> | Promise<Record<string, unknown>>) | undefined;
  oncalltool: ((params: { name: string; arguments?: Record<string, unknown>; _meta?: Meta }, extra: RequestContext) => Promise<CallToolResult>) | undefined;
  onlisttools: ((params: { cursor?: string; _meta?: Meta } | undefined, extra: RequestContext) => Promise<ListToolsResult>) | undefined;
  /** Answers a question of the server with the page as its form. Set it before connect(). */
  onelicit: ((params: ElicitParams, extra: RequestContext) => ElicitAnswer | Promise<ElicitAnswer>) | undefined;
  /** Faults of handlers and malformed messages; the console by default. */
  onerror: ((error: Error) => void) | undefined;
  onclose: (() => void) | undefined;
  fallbackRequestHandler: ((request: any, extra: any) => Promise<any>) | undefined;
  fallbackNotificationHandler: ((notification: any) => Promise<void>) | undefined;

  /** Calls a tool of the server, by the name its author gave: a mount's prefix is added. */
  callServerTool<N extends string>(params: { name: Known<N>; _meta?: Meta } & Arguments<N>, options?: RequestOptions): Promise<CallToolResult<Output<N>>>;
  callServerTool<N extends string>(name: Known<N>, ...rest: Positional<N>): Promise<CallToolResult<Output<N>>>;
  listServerTools(params?: { cursor?: string }, options?: RequestOptions): Promise<ListToolsResult>;
  readServerResource(params: { uri: string; _meta?: Meta }, options?: RequestOptions): Promise<ReadResourceResult>;
  listServerResources(params?: { cursor?: string; _meta?: Meta }, options?: RequestOptions): Promise<ListResourcesResult>;
  createSamplingMessage(params: { messages: any[]; maxTokens: number; [key: string]: any }, options?: RequestOptions): Promise<{ role: "user" | "assistant"; content: any; model: string; stopReason?: string; [key: string]: any }>;

  /** A denial is `isError: true`, whichever way the host says it. */
  sendMessage(params: { role?: "user"; content: ContentBlock[] | ContentBlock }, options?: RequestOptions): Promise<McpUiMessageResult>;
  openLink(params: { url: string }, options?: RequestOptions): Promise<McpUiOpenLinkResult>;
  /** @deprecated openLink */
  sendOpenLink(params: { url: string }, options?: RequestOptions): Promise<McpUiOpenLinkResult>;
  downloadFile(params: { contents: (EmbeddedResource | ResourceLink)[] }, options?: RequestOptions): Promise<McpUiDownloadFileResult>;
  updateModelContext(params: { content?: ContentBlock[]; structuredContent?: Record<string, unknown> }, options?: RequestOptions): Promise<{ _meta?: Meta }>;
  /** Gives the mode that is set afterwards; the current one without asking, if the host does not offer the wanted one. */
  requestDisplayMode(params: { mode: McpUiDisplayMode }, options?: RequestOptions): Promise<McpUiRequestDisplayModeResult>;
  ping(options?: RequestOptions): Promise<Record<string, unknown>>;

  sendLog(params: { level: "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"; data: unknown; logger?: string; _meta?: Meta }): Promise<void>;
  sendSizeChanged(params: { width?: number; height?: number }): Promise<void>;
  sendToolListChanged(params?: { _meta?: Meta }): Promise<void>;
  requestTeardown(params?: {}): Promise<void>;
  /** Starts reporting size changes, and gives the function that stops it; connect() does so unless told otherwise. */
  setupSizeChangedNotifications(): () => void;

  /** Set it before connect(), or declare `tools` in the constructor. A failing tool is an error result for the model. */
  registerTool<Out extends AnySchema | undefined = undefined, In extends AnySchema | undefined = undefined>(name: string, config: AppToolConfig<In, Out>, callback: ToolCallback<In>): RegisteredAppTool;

  request(request: { method: string; params?: any }, options?: RequestOptions): Promise<any>;
  request<S extends StandardSchema>(request: { method: string; params?: any }, resultSchema: S, options?: RequestOptions): Promise<Parsed<S>>;
  notification(notification: { method: string; params?: any }): Promise<void>;
  setRequestHandler(method: string, handler: (request: any, extra: RequestContext) => any): void;
  setRequestHandler<S extends AnySchema>(method: string, schemas: { params: S; result?: any }, handler: (params: Parsed<S>, extra: RequestContext) => any): void;
  /** @deprecated with a schema of the request, as in 1.x */
  setRequestHandler(schema: { shape: { method: { value: string } } }, handler: (request: any, extra: RequestContext) => any): void;
  setNotificationHandler(method: string, handler: (notification: any) => any): void;
  setNotificationHandler<S extends AnySchema>(method: string, schemas: { params: S }, handler: (params: Parsed<S>, notification: any) => any): void;
  /** @deprecated with a schema of the notification, as in 1.x */
  setNotificationHandler(schema: { shape: { method: { value: string } } }, handler: (notification: any) => any): void;
  removeRequestHandler(method: string): void;
  removeNotificationHandler(method: string): void;
  assertCanSetRequestHandler(method: string): void;
}

// ---- errors ----

/**
 * `code` is the host's number, or one of CONNECTION_CLOSED, REQUEST_TIMEOUT, INVALID_RESULT, NO_HOST, ALREADY_CONNECTED,
 * CAPABILITY_NOT_SUPPORTED, TOOL_CANCELLED.
 */
export class AppError extends Error {
  code: number | string;
  data?: unknown;
}
/** The host did not declare `capability`, or refused what needs it. */
export class CapabilityError extends AppError {
  code: "CAPABILITY_NOT_SUPPORTED";
  capability: string;
}
export class ToolCancelled extends AppError {
  code: "TOOL_CANCELLED";
  reason?: string;
}

/** Listens to one window and talks to it; the sender is known by its window, not by its origin. */
export class PostMessageTransport implements Transport {
  constructor(target?: Window, source?: MessageEventSource);
  start(): Promise<void>;
  send(message: any): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: any) => void;
}

// ---- looks ----

/** `data-theme` of the document, or its class `dark`. */
export function getDocumentTheme(): McpUiTheme;
/** Sets `data-theme` and `color-scheme`; anything but light and dark is ignored. */
export function applyDocumentTheme(theme: McpUiTheme | undefined): void;
export function applyHostStyleVariables(variables: Partial<McpUiStyles> | undefined, root?: HTMLElement): void;
/** Puts the host's font rules into the document, in place of earlier ones. */
export function applyHostFonts(css: string): void;
/** Sets `--safe-area-inset-top`, `-right`, `-bottom` and `-left`. */
export function applySafeAreaInsets(insets: SafeAreaInsets | undefined, root?: HTMLElement): void;
/**
 * All of the above in one call: values for the 76 variables now, the host's theme, variables, fonts and safe areas as
 * soon as they are known and on every change. Gives the function that stops following.
 */
export function useTheme(app: App): () => void;

export const LATEST_PROTOCOL_VERSION: "2026-01-26";
/** What the server put into the page (`Page(..., data=...)`); undefined if nothing. */
export const data: any;
