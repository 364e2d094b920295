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
   * What only a stored credential can say (auth modes, roles, tenants), in the words of the adapter's
   * `configurations` schema; a request cannot set it.
   */
  configurations?: JsonObject | undefined
}

export interface Deployment {
  deployment_id: string
  alias: string
  api_version: string
  is_default?: boolean | undefined
}

/** What a dialect may know of the call besides the body. Time and ids come from here, so that replays are exact. */
export interface CallContext {
  endpoint: EndpointId
  settings: ProviderSettings
  /** The unified request body, as the target sees it. */
  request: JsonObject
  /** `strict_compat_compliance`: when false, provider-specific extras are returned. */
  strict: boolean
  /** Whether the stream is to tell its usage: the caller asked, or the gateway did, which then hides it. */
  includeUsage: boolean
  /** Milliseconds since the epoch. */
  now(): number
  /** A new id with this prefix, such as `chatcmpl-`. */
  id(prefix: string): string
  /** Files that the caller uploaded with the request (`multipart/form-data`), by field; empty for JSON. */
  files: readonly UploadedFile[]
  /** A form that is passed on while it arrives; null for everything else. It can be read once. */
  form?: FormParts | null
}

export interface UploadedFile {
  /** The form field that held it, such as `file` or `image`. */
  field: string
  filename: string
  contentType: string
  bytes: Buffer
}

/** What a provider may reach for besides the call itself, all of it through the host guard. */
export interface ProviderIo {
  signal: AbortSignal
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * One bounded call over got (token exchange, images to inline, polling). A status of any kind is an answer.
   * Errors: `host_not_allowed`, `dependency_unavailable`; the signal's reason when that fires.
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
   * The address comes from the adapter's code or the process's own environment (a cloud's metadata service), never
   * from a caller or a config: it does not go through the host guard. Redirects are not followed.
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
  /** Sent in the place of `body`, as it comes, once; signatures leave it out. */
  stream?: AsyncIterable<Buffer>
}

/** One server-sent event: its `event` field (null when absent) and its `data` lines joined with newlines. */
export interface StreamEvent {
  event: string | null
  data: string
}

/** What one upstream event becomes: unified chunks, and whether the stream is complete with it. */
export interface Translated {
  chunks: JsonObject[]
  done: boolean
}

/**
 * Turns upstream events into unified chunks, one translator a stream.
 * Throws {@link UpstreamFault} for an event that carries an error.
 */
export interface StreamTranslator {
  event(event: StreamEvent): Translated
  /** The upstream closed. `done: true` when that is how this dialect says that a stream is complete. */
  end(): Translated
}

/** Bytes in, events out, for upstreams that do not frame their streams as server-sent events. */
export type Framing = (bytes: AsyncIterable<Buffer>) => AsyncIterable<StreamEvent>

export interface EncodedBody {
  contentType: string
  bytes: Buffer
  /** Sent in the place of `bytes`, as it comes, once. */
  stream?: AsyncIterable<Buffer>
}

/**
 * A wire format: pure functions between the unified bodies of the specification and the provider's own.
 * `request` throws a {@link GatewayError} `invalid_body` for what the provider cannot express.
 */
export interface Dialect {
  name: string
  request(body: JsonObject, context: CallContext): JsonObject
  /** Provider's answer (2xx) → unified answer; the same object when there is nothing to translate. */
  answer(body: JsonObject, context: CallContext): JsonObject
  /** `same`: events pass through as bytes; absent: this dialect does not stream. */
  stream?: 'same' | ((context: CallContext) => StreamTranslator)
  framing?: Framing
  /** The wire body as bytes, where it is not JSON (`multipart/form-data`). Default: JSON. */
  encode?(body: JsonObject, context: CallContext): EncodedBody
  /**
   * The answer's content type says what it is: events, JSON, or otherwise bytes that pass as they come (audio), a text
   * (`{text}` to checks, and a text again to the caller), or nothing that can be read. `raw`: bytes as they come,
   * whatever their type. Absent: events where `stream: true` was asked for, else JSON.
   */
  otherwise?: 'bytes' | 'text' | 'nothing' | 'raw'
  /** Reads an answer that is not JSON (an image) as the object that `answer` takes. Default: JSON. */
  decode?(bytes: Buffer, headers: Readonly<Record<string, string>>, context: CallContext): JsonObject
  /** Reads the provider's error body; null when it is not one. Absent: the compatible shape is tried. */
  error?(status: number, body: JsonObject, headers: Readonly<Record<string, string>>): UpstreamError | null
}

/** An endpoint that is one HTTP call in a dialect. */
export interface HttpEndpoint {
  kind: 'http'
  method: UpstreamRequest['method']
  /** Below the base URL, with a leading slash. */
  path: string | ((body: JsonObject, settings: ProviderSettings) => string)
  dialect: Dialect
  /** The address that the path stands below, where that is not the target's. */
  base?: (settings: ProviderSettings) => string
  /** Headers of the caller (lower case) that pass without being listed in `forward_headers`: they belong to the format. */
  passes?: readonly string[]
  /** Headers that depend on the body, such as a deployment's name or what is accepted; they beat forwarded ones. */
  headers?: (body: JsonObject, context: CallContext) => Record<string, string>
  /** What must be fetched before the (pure) dialect can translate, such as images that the provider takes as bytes only. */
  prepare?: (body: JsonObject, context: CallContext, io: ProviderIo) => Promise<JsonObject>
}

/**
 * How a provider's batches write their requests and tell their results, where that is not the compatible format. A line is
 * a JSON object; the gateway adds the member `id`.
 */
export interface BatchLines {
  /** The member that says which line it is. `custom_id` may be any text; others are letters and digits. */
  id: string
  /** Endpoints of which it has batches, as clients call them; absent: the ones of the compatible format. */
  paths?: readonly string[]
  /** Members of `provider_options` that creating a batch needs. */
  requiredOptions?: readonly string[]
  /** Whether creating a batch needs the model of its lines. */
  needsModel?: boolean
  write(request: BatchRequest, settings: ProviderSettings): JsonObject
  /** Says in a line which one it is. Absent: by the member `id`. */
  label?(line: JsonObject, key: string): JsonObject
  /** What became of a request; null for a line that says nothing. Absent: the compatible format. */
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
  /** The request with the headers that the caller forwards, and with the adapter's `auth` applied. */
  authorize(request: UpstreamRequest): Promise<UpstreamRequest>
}

export interface ProcedureAnswer {
  status: number
  headers: Record<string, string>
  body: JsonObject | null
  /** Unified chunks; the gateway frames and ends them. A throw ends the stream truthfully. */
  stream: AsyncIterable<JsonObject> | null
  /** Of an answer that is neither JSON nor events: it stands in `bytes`, or is the `text` of the body. */
  contentType?: string
  bytes?: AsyncIterable<Buffer>
}

/** An endpoint that a provider answers itself, in as many calls as it needs, or in none. */
export interface ProcedureEndpoint {
  kind: 'procedure'
  run(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer>
}

/** An endpoint whose wire format depends on the model or the settings, as in clouds that host many vendors. */
export interface ChoiceEndpoint {
  kind: 'choice'
  /** The `passes` of all that it chooses among. */
  passes?: readonly string[]
  /**
   * @param baseModel the model behind that of the body, where it is one's own: it decides the format
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
  /** For people to read. */
  name?: string | undefined
  owned_by?: string | undefined
  /** Unix seconds. */
  created?: number | undefined
  /** What the provider says that it can do. */
  capabilities?: JsonObject | undefined
}

/** A list of models as a vendor's own clients read it. */
export interface ModelListFormat {
  /** The request header by which these clients are known; lower case. */
  header: string
  /** Entries of a page when the client asks for no number. */
  pageSize: number
  model(model: ModelInfo): JsonObject
  page(models: readonly JsonObject[], hasMore: boolean): JsonObject
}

/** Sessions over a WebSocket. */
export interface RealtimeSessions {
  /** As an HTTP URL. */
  url(baseUrl: string, model: string | null, settings: ProviderSettings): string
  /** Headers of the caller's that belong to the format. Lower-case names. */
  passes: readonly string[]
}

export interface ProviderAdapter {
  /** The name in configs, such as `anthropic`. */
  name: string
  title: string
  /** The vendor's reference that the adapter was written from. */
  docs: string
  /** Base URL with its version segment; null when only `custom_host` gives one, or none is needed. */
  baseUrl: string | null | ((settings: ProviderSettings) => string)
  /** Whether a call needs a credential. */
  credential: 'required' | 'optional' | 'none'
  /** Where a stored credential may lend the cloud identity that the gateway process runs with. Absent: nowhere. */
  ownIdentity?: OwnIdentity
  /** Adds the credential (and what else the vendor asks of every call) to the final request. */
  auth(
    request: UpstreamRequest,
    settings: ProviderSettings,
    io: ProviderIo,
  ): UpstreamRequest | Promise<UpstreamRequest>
  endpoints: Partial<Record<EndpointId, ProviderEndpoint>>
  /** Realtime sessions, where the provider has them. */
  realtime?: RealtimeSessions
  batchLines?: BatchLines
  /** Models known without asking; listed by `/v1/models` where the provider has no list to ask (`listModels`). */
  models?: readonly ModelInfo[]
  /** How this vendor's clients read `/v1/models`, when that is not the compatible form. */
  modelList?: ModelListFormat
  /**
   * TypeBox schema of the `configurations` of a stored credential; an object that refuses unknown keys. A property
   * whose name says secret, token, key or password is kept out of every log, answer and error.
   */
  configurations?: TSchema
  /** What a stored credential must say beyond the rules of `configurations`, when it is written over the management API. */
  stored?: StoredRules
  /** Its id in the public price list, where that is not its name; null: the list does not have it. */
  priceList?: string | null
  /**
   * What the generated page says: parameters that are dropped or clamped, credentials in words, an example.
   */
  notes?: ProviderNotes
}

/**
 * The cloud identity of the gateway process (ambient, managed or federated). Whoever may store a credential could
 * name any host, so the gateway sends such calls to the vendor's own hosts and to `security.trusted_hosts` only.
 */
export interface OwnIdentity {
  /** Whether calls with these settings are proved by it, and by no secret of their own. */
  isLent(settings: ProviderSettings): boolean
  /** Host names of the vendor's API, matched whole and in lower case; they are called over HTTPS on its usual port. */
  hosts: RegExp
  /** Hosts of the vendor's storage, which the adapter calls for files: no custom host may name them. */
  fileHosts?: RegExp
}

export interface StoredRules {
  /** Members of `configurations`. */
  required: readonly string[]
  /** The member that says how calls are authorised, and its values that need the key. */
  keyed: { member: string; values: readonly string[] }
}

export interface ProviderNotes {
  /** One sentence an item; Markdown. */
  remarks?: readonly string[]
  /** Unified parameters that the provider does not have and that are left out, by endpoint. */
  drops?: Partial<Record<EndpointId, readonly string[]>>
  /** Keys of a config that carry the credential, when it is not `api_key`. */
  credentials?: readonly string[]
  /** An entry of `providers` in the config file, as YAML-able data. */
  example?: JsonObject
}
