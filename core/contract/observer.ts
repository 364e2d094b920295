/**
 * Notifications about completed requests, for example for a trace exporter. They include texts only on request, and never
 * secrets.
 */
import type { EndpointId, ServiceEndpoint } from './endpoint.ts'
import type { Json } from './json.ts'

/** Called for every completed request. Its functions must neither block nor throw. */
export interface RequestObserver {
  /** Whether requests are traced: spans, and a `traceparent` for providers. */
  readonly traces: boolean
  /** Whether traces include prompts and answers. */
  readonly capturesContent: boolean
  /** @param parent the sampled flag of the caller's `traceparent`; null without one */
  isSampled(traceId: string, parent: boolean | null): boolean
  ended(request: ObservedRequest): void
}

/** A request as a trace: ids of W3C Trace Context, in hexadecimal. */
export interface RequestTrace {
  readonly traceId: string
  readonly spanId: string
  /** The id of the caller's span. */
  readonly parentSpanId: string | null
  readonly isSampled: boolean
  readonly capturesContent: boolean
  /** Work inside the gateway; empty unless it is sampled. */
  readonly steps: ObservedStep[]
  /** Calls of MCP servers and agents; empty unless it is sampled. */
  readonly calls: ObservedCall[]
}

/** One call of an MCP server or an agent. Times are milliseconds since the request arrived. */
export interface ObservedCall {
  readonly spanId: string
  readonly endpoint: ServiceEndpoint
  /** Slug of the server. */
  readonly server: string
  /** The method of the protocol, such as `tools/call`; `other` for an invalid name. */
  readonly method: string
  readonly tool: string | null
  readonly startedMs: number
  /** Null if it lasted as long as the request. */
  endedMs: number | null
  /** The cause of the failure: an error's code, `tool_error` for an error reported by the tool itself. */
  fault: string | null
}

/** One guardrail check or cache lookup. Times are milliseconds since the request arrived. */
export interface ObservedStep {
  readonly spanId: string
  kind: 'check' | 'cache'
  /** The id of the check: `default.regexMatch`. */
  id: string | null
  startedMs: number
  endedMs: number
  /** The check's verdict; null without one. */
  verdict: boolean | null
  /** The name of the error of a check that gave no verdict. */
  error: string | null
  /** The result of a cache lookup: `HIT`, `MISS`. */
  status: string | null
}

/** One call of a provider. Times are milliseconds since the request arrived. */
export interface ObservedAttempt {
  /** Null if the request has no trace. */
  spanId: string | null
  startedMs: number
  endedMs: number
  /** The time of the first content of a stream; null for other answers. */
  firstTokenMs: number | null
  endpoint: EndpointId
  provider: string
  /** Slug of the stored credential; null for the caller's own. */
  virtualKey: string | null
  /** The host, if it is the provider's default one; null for any other host. */
  address: string | null
  /** Path of the target in the config. */
  path: string | null
  isStream: boolean
  isHedge: boolean
  requestModel: string | null
  responseModel: string | null
  responseId: string | null
  finishReasons: readonly string[]
  inputTokens: number | null
  outputTokens: number | null
  /** HTTP status; null if no answer arrived. */
  status: number | null
  /** The failure instead of or after the status: `timeout`, `connection`, the code of a stream's error. */
  fault: string | null
  /** Captured content; null unless content is captured. */
  content: { input: Json; output: Json } | null
}

export interface ObservedRequest {
  /** Milliseconds since the epoch. */
  arrivedAt: number
  durationMs: number
  trace: RequestTrace | null
  /** The name in answers and logs. */
  traceId: string
  requestId: string
  method: string
  /** The declared path with its parameter names; null for an unknown route. */
  route: string | null
  status: number
  /** Code of the error that the gateway raised or that ended the stream. */
  error: string | null
  /** Whether the client disconnected before the last byte. */
  isClosed: boolean
  endpoint: EndpointId | ServiceEndpoint | null
  organisationId: string | null
  workspaceId: string | null
  keyId: string | null
  userId: string | null
  /** Slug of the saved config. */
  config: string | null
  /** Path of the target that answered. */
  targetPath: string | null
  provider: string | null
  cacheStatus: string | null
  isStream: boolean
  /** US cents; null when no provider was called or the price is unknown. */
  costCents: number | null
  /** The gateway's own latency, without the providers; null when none was called. */
  overheadMs: number | null
  attempts: readonly ObservedAttempt[]
}

/** `telemetry` of the config file, with the standard environment variables as defaults. */
export interface TelemetrySettings {
  /** Null: no traces are exported. */
  tracesUrl: string | null
  metricsUrl: string | null
  /** The headers of every export. */
  headers: Readonly<Record<string, string>>
  /** Attributes of the resource, its service name included. */
  resource: Readonly<Record<string, string>>
  /** The sampled share, 0 to 1, of requests without the caller's sampling decision. */
  sampleRatio: number
  capturesContent: boolean
  tracesIntervalMs: number
  metricsIntervalMs: number
}
