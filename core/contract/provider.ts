/**
 * The contract of a provider package: dialect × address × auth × quirks.
 * A package with `"gateway": {"kind": "provider", "contract": 1}` default-exports one adapter or a list of them.
 */
import type { EndpointId } from './endpoint.ts'
import type { UpstreamError } from './errors.ts'
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
  /** Whether the caller asked for `stream_options.include_usage`. */
  includeUsage: boolean
  /** Milliseconds since the epoch. */
  now(): number
  /** A new id with this prefix, such as `chatcmpl-`. */
  id(prefix: string): string
}

/** An HTTP request to a provider; replaced, never mutated. */
export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: string | Buffer | null
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
  /** Reads the provider's error body; null when it is not one. Absent: the compatible shape is tried. */
  error?(status: number, body: JsonObject): UpstreamError | null
}

/** An endpoint that is one HTTP call in a dialect. */
export interface HttpEndpoint {
  kind: 'http'
  method: UpstreamRequest['method']
  /** Below the base URL, with a leading slash. */
  path: string | ((body: JsonObject, settings: ProviderSettings) => string)
  dialect: Dialect
}

export interface ProcedureContext extends CallContext {
  signal: AbortSignal
}

export interface ProcedureAnswer {
  status: number
  headers: Record<string, string>
  body: JsonObject | null
  /** Unified chunks; the gateway frames and ends them. A throw ends the stream truthfully. */
  stream: AsyncIterable<JsonObject> | null
}

/** An endpoint that a provider answers itself, in as many calls as it needs, or in none. */
export interface ProcedureEndpoint {
  kind: 'procedure'
  run(body: JsonObject, context: ProcedureContext): Promise<ProcedureAnswer>
}

export type ProviderEndpoint = HttpEndpoint | ProcedureEndpoint

export interface ModelInfo {
  id: string
  owned_by?: string | undefined
  /** Unix seconds. */
  created?: number | undefined
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
  /** Adds the credential (and what else the vendor asks of every call) to the final request. */
  auth(request: UpstreamRequest, settings: ProviderSettings): UpstreamRequest | Promise<UpstreamRequest>
  endpoints: Partial<Record<EndpointId, ProviderEndpoint>>
  /** Models known without asking; listed by `/v1/models`. */
  models?: readonly ModelInfo[]
}
