/**
 * The contract of a provider package: dialect × address × auth × quirks.
 * A package with `"gateway": {"kind": "provider", "contract": 1}` default-exports one adapter or a list of them.
 */
import type { TSchema } from '@sinclair/typebox'
import type { EndpointId } from './endpoint.ts'
import type { UpstreamError } from './errors.ts'
import type { FormParts } from './form.ts'
import type { JsonObject } from './json.ts'

/** The keys of a config target (or a stored credential) that belong to its provider. */
export interface ProviderSettings {
  provider: string
  api_key?: string | undefined
  custom_host?: string | undefined
  resource_name?: string | undefined
  deployment_id?: string | undefined
  api_version?: string | undefined
  deployments?: Deployment[] | undefined
  cloudA_access_key_id?: string | undefined
  cloudA_secret_access_key?: string | undefined
  cloudA_region?: string | undefined
  cloudA_session_token?: string | undefined
  cloudB_region?: string | undefined
  cloudB_deployment_name?: string | undefined
  cloudB_deployment_type?: 'serverless' | 'managed' | undefined
  cloudB_endpoint_name?: string | undefined
  cloudB_api_version?: string | undefined
  cloudB_entra_scope?: string | undefined
  cloudC_project_id?: string | undefined
  cloudC_region?: string | undefined
  cloudC_service_account_json?: JsonObject | undefined
  compat_organization?: string | undefined
  compat_project?: string | undefined
  /**
   * Members of stored credentials only (auth modes, roles, tenants), as in the adapter's `configurations` schema; a
   * request cannot set them.
   */
  configurations?: JsonObject | undefined
}

export interface Deployment {
  deployment_id: string
  alias: string
  api_version: string
  is_default?: boolean | undefined
}

/** The context of a call for a dialect. Time and ids come from here, which makes replays exact. */
export interface CallContext {
  endpoint: EndpointId
  settings: ProviderSettings
  /** The unified request body, as the target sees it. */
  request: JsonObject
  /** `strict_compat_compliance`: when false, provider-specific extras are returned. */
  strict: boolean
  /** Whether to request usage in the stream: for the caller, or for the gateway, which then removes it. */
  includeUsage: boolean
  /** Whether only the gateway requests it: usage that the provider sends in chunks with content stays there. */
  hidesUsage?: boolean
  /**
   * Whether to mark what the provider should cache, where it needs marks and the caller sets none (`prompt_cache: "auto"`).
   */
  marksPrompt?: boolean
  /** Milliseconds since the epoch. */
  now(): number
  /** A new id with this prefix, such as `chatcmpl-`. */
  id(prefix: string): string
  /** Files that the caller uploaded with the request (`multipart/form-data`), by field; empty for JSON. */
  files: readonly UploadedFile[]
  /** A form that is forwarded while it arrives; otherwise null. It can be read once. */
  form?: FormParts | null
}

export interface UploadedFile {
  /** The form field that held it, such as `file` or `image`. */
  field: string
  filename: string
  contentType: string
  bytes: Buffer
}

/** The context that a provider may use in addition to the call; all calls pass the host guard. */
export interface ProviderIo {
  signal: AbortSignal
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * One bounded call over got (token exchange, images to inline, polling). Resolves for every status. Errors:
   * `host_not_allowed`, `dependency_unavailable`; the signal's reason when that fires.
   */
  fetch(request: ProviderFetch): Promise<ProviderFetchAnswer>
  /** Whether a URL's host is listed in `security.trusted_hosts` by its address. */
  isTrusted(url: string): boolean
}

export interface ProviderFetch {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer | undefined
  /** Default 10000. */
  timeoutMs?: number | undefined
  /** Default 1 MiB. */
  maxBytes?: number | undefined
  /**
   * Whether the address comes from the adapter's code or the process's environment (a cloud's metadata service), never from a
   * caller or a config. Such a call skips the host guard. Redirects are not followed.
   */
  isAmbient?: boolean | undefined
}

export interface ProviderFetchAnswer {
  status: number
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  bytes: Buffer
}

/** An HTTP request to a provider; replaced, never mutated. */
export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  url: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: string | Buffer | null
  /** The body as a stream, read once, instead of `body`; not covered by signatures. */
  stream?: AsyncIterable<Buffer>
}

/** One server-sent event: its `event` field (null when absent) and its `data` lines joined with newlines. */
export interface StreamEvent {
  event: string | null
  data: string
}

/** The result for one upstream event: unified chunks, and whether the stream is complete. */
export interface Translated {
  chunks: JsonObject[]
  done: boolean
}

/**
 * Translates upstream events to unified chunks, one translator per stream. Throws {@link UpstreamFault} for an event
 * that carries an error.
 */
export interface StreamTranslator {
  event(event: StreamEvent): Translated
  /** Called when the upstream closes. `done: true` when this dialect ends streams that way. */
  end(): Translated
}

/** Decodes bytes to events, for upstreams that do not frame their streams as server-sent events. */
export type Framing = (bytes: AsyncIterable<Buffer>) => AsyncIterable<StreamEvent>

export interface EncodedBody {
  contentType: string
  bytes: Buffer
  /** The bytes as a stream, read once, instead of `bytes`. */
  stream?: AsyncIterable<Buffer>
}

/**
 * A wire format: pure functions between the unified bodies of the specification and the provider's own. `request`
 * throws a {@link GatewayError} `invalid_body` for features that the provider lacks.
 */
export interface Dialect {
  name: string
  /**
   * For chat dialects: the parameters in addition to those that all chat APIs share, such as `top_k`. A request that is
   * translated from another format contains only these and the shared ones; a chat request may contain any.
   */
  parameters?: readonly string[]
  request(body: JsonObject, context: CallContext): JsonObject
  /** Translates the provider's answer (2xx) to the unified answer; returns the same object when no translation is needed. */
  answer(body: JsonObject, context: CallContext): JsonObject
  /** `same`: events are passed through as bytes; absent: this dialect does not stream. */
  stream?: 'same' | ((context: CallContext) => StreamTranslator)
  framing?: Framing
  /** Encodes the wire body as bytes if it is not JSON (`multipart/form-data`). Default: JSON. */
  encode?(body: JsonObject, context: CallContext): EncodedBody
  /**
   * The content type determines the kind of answer: events, JSON, bytes passed through (audio), text (`{text}` for
   * checks, plain text for the caller), or unreadable. `raw`: bytes of any type, passed through. Absent: events for
   * `stream: true`, else JSON.
   */
  otherwise?: 'bytes' | 'text' | 'nothing' | 'raw'
  /** Parses an answer that is not JSON (an image) to the object that `answer` takes. Default: JSON. */
  decode?(bytes: Buffer, headers: Readonly<Record<string, string>>, context: CallContext): JsonObject
  /** Reads the provider's error body; null when it is not one. Absent: the compatible shape is tried. */
  error?(status: number, body: JsonObject, headers: Readonly<Record<string, string>>): UpstreamError | null
}

/** An endpoint that is one HTTP call in a dialect. */
export interface HttpEndpoint {
  kind: 'http'
  method: UpstreamRequest['method']
  /** The path below the base URL, with a leading slash. */
  path: string | ((body: JsonObject, settings: ProviderSettings) => string)
  dialect: Dialect
  /** The base address of the path, when it is not the target's. */
  base?: (settings: ProviderSettings) => string
  /**
   * Headers of the caller (lower case) that are forwarded without being listed in `forward_headers`, because they
   * belong to the format.
   */
  passes?: readonly string[]
  /** Headers that depend on the body, such as a deployment's name or `accept`; they override forwarded ones. */
  headers?: (body: JsonObject, context: CallContext) => Record<string, string>
  /** Fetches what the (pure) dialect needs for translation, such as images that the provider accepts only as bytes. */
  prepare?: (body: JsonObject, context: CallContext, io: ProviderIo) => Promise<JsonObject>
}

/**
 * The line format of a provider's batch requests and results, when it is not the compatible one. A line is a JSON
 * object; the gateway adds the member `id`.
 */
export interface BatchLines {
  /** The member that identifies a line. `custom_id` may be any text; others are letters and digits. */
  id: string
  /** Endpoints available in batches, as clients call them; absent: those of the compatible format. */
  paths?: readonly string[]
  /** Members of `provider_options` required to create a batch. */
  requiredOptions?: readonly string[]
  /** Whether creating a batch requires the model of its lines. */
  needsModel?: boolean
  write(request: BatchRequest, settings: ProviderSettings): JsonObject
  /** Sets a line's id. Absent: in the member `id`. */
  label?(line: JsonObject, key: string): JsonObject
  /** The result of a request; null for a line without one. Absent: the compatible format. */
  read?(result: JsonObject): BatchResult | null
}

export interface BatchRequest {
  /** As clients call it: `/v1/chat/completions`. */
  path: string
  /** In the provider's format. */
  body: JsonObject
}

export interface BatchResult {
  /** The value of `id`. */
  key: string
  answer: { status: number; body: JsonObject } | { code: string; message: string }
}

export interface ProcedureContext extends CallContext, ProviderIo {
  /** Base URL of the target, without a trailing slash; null where the provider has none. */
  baseUrl: string | null
  /** The request with the headers that the caller forwards, and the adapter's `auth` applied. */
  authorize(request: UpstreamRequest): Promise<UpstreamRequest>
}

export interface ProcedureAnswer {
  status: number
  headers: Record<string, string>
  body: JsonObject | null
  /** Unified chunks; the gateway frames and ends them. A throw ends the stream with an error event. */
  stream: AsyncIterable<JsonObject> | null
  /** The content type of an answer that is neither JSON nor events: its content is in `bytes`, or is the body's `text`. */
  contentType?: string
  bytes?: AsyncIterable<Buffer>
}

/** An endpoint that the provider package implements itself, with any number of calls. */
export interface ProcedureEndpoint {
  kind: 'procedure'
  run(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer>
}

/** An endpoint whose wire format depends on the model or the settings, as in clouds that host many vendors' models. */
export interface ChoiceEndpoint {
  kind: 'choice'
  /** The `passes` of all its alternatives. */
  passes?: readonly string[]
  /**
   * @param baseModel the base model of a custom model in the body; it determines the format
   * @throws GatewayError `unsupported_endpoint` for a model that has no such endpoint
   */
  choose(
    body: JsonObject,
    settings: ProviderSettings,
    baseModel?: string | null,
  ): HttpEndpoint | ProcedureEndpoint
}

export type ProviderEndpoint = HttpEndpoint | ProcedureEndpoint | ChoiceEndpoint

export interface ModelInfo {
  id: string
  /** The name for display. */
  name?: string | undefined
  owned_by?: string | undefined
  /** Unix seconds. */
  created?: number | undefined
  /** Capabilities reported by the provider. */
  capabilities?: JsonObject | undefined
}

/** The model list in the format of a vendor's own clients. */
export interface ModelListFormat {
  /** The request header that identifies these clients; lower case. */
  header: string
  /** Default page size. */
  pageSize: number
  model(model: ModelInfo): JsonObject
  page(models: readonly JsonObject[], hasMore: boolean): JsonObject
}

/** Sessions over a WebSocket. */
export interface RealtimeSessions {
  /** The URL of a session, with an HTTP scheme. */
  url(baseUrl: string, model: string | null, settings: ProviderSettings): string
  /** Names of the caller's headers that belong to the format, in lower case. */
  passes: readonly string[]
}

export interface ProviderAdapter {
  /** The name in configs, such as `anthropic`. */
  name: string
  title: string
  /** The vendor's API reference. */
  docs: string
  /** Base URL with its version segment; null if it comes from `custom_host`, or if the provider needs none. */
  baseUrl: string | null | ((settings: ProviderSettings) => string)
  /** Whether a call needs a credential. */
  credential: 'required' | 'optional' | 'none'
  /** The hosts for which a stored credential may use the gateway process's cloud identity. Absent: none. */
  ownIdentity?: OwnIdentity
  /** Adds the credential, and anything else that the vendor requires on every call, to the final request. */
  auth(
    request: UpstreamRequest,
    settings: ProviderSettings,
    io: ProviderIo,
  ): UpstreamRequest | Promise<UpstreamRequest>
  endpoints: Partial<Record<EndpointId, ProviderEndpoint>>
  /** Realtime sessions, if the provider supports them. */
  realtime?: RealtimeSessions
  batchLines?: BatchLines
  /**
   * The effect of `web_search_options` in a chat request for a model. If the result is null or the function is missing,
   * the web cannot be searched. Requests in other formats that offer a web search are translated accordingly.
   */
  webSearch?(model: string): WebSearch | null
  /** Known models, listed by `/v1/models` when the provider has no model list (`listModels`). */
  models?: readonly ModelInfo[]
  /** The `/v1/models` format of this vendor's clients, when it is not the compatible one. */
  modelList?: ModelListFormat
  /**
   * TypeBox schema of the `configurations` of a stored credential; an object that refuses unknown keys. A property
   * whose name says secret, token, key or password is kept out of every log, answer and error.
   */
  configurations?: TSchema
  /** Additional requirements for stored credentials written over the management API. */
  stored?: StoredRules
  /** Its id in the public price list, when it differs from the name; null: not in the list. */
  priceList?: string | null
  /** Content of the generated documentation page: dropped or clamped parameters, a description of credentials, an example. */
  notes?: ProviderNotes
}

export interface WebSearch {
  /** Whether the model can search when it is offered functions, too. */
  besideTools: boolean
  /** Whether `web_search_options.filters.allowed_domains` limits the search. */
  allowedDomains: boolean
}

/**
 * The cloud identity of the gateway process (ambient, managed or federated). A stored credential could name any host,
 * so the gateway sends such calls only to the vendor's own hosts and to `security.trusted_hosts`.
 */
export interface OwnIdentity {
  /** Whether calls with these settings authenticate with it instead of a secret. */
  isLent(settings: ProviderSettings): boolean
  /** Host names of the vendor's API, matched whole and in lower case; they are called over HTTPS on its usual port. */
  hosts: RegExp
  /** Storage hosts of the vendor, which the adapter calls for files; they are not allowed as custom hosts. */
  fileHosts?: RegExp
}

export interface StoredRules {
  /** Required members of `configurations`. */
  required: readonly string[]
  /** The member that selects the auth mode, and its values that require the key. */
  keyed: { member: string; values: readonly string[] }
}

export interface ProviderNotes {
  /** One sentence per item; Markdown. */
  remarks?: readonly string[]
  /** Unified parameters that the provider lacks and that are dropped, by endpoint. */
  drops?: Partial<Record<EndpointId, readonly string[]>>
  /** Config keys that contain the credential, when it is not `api_key`. */
  credentials?: readonly string[]
  /** An entry of `providers` in the config file, as YAML-able data. */
  example?: JsonObject
}
