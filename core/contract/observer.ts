/** What is told of requests that are over, such as to an exporter of traces: no texts unless they are asked for, no secrets. */
import type { EndpointId, ServiceEndpoint } from './endpoint.ts'
import type { Json } from './json.ts'

/** Hears of every request when it is over. None of its functions may wait or throw. */
export interface RequestObserver {
  /** Whether requests get a trace of their own: spans, and a `traceparent` for providers. */
  readonly traces: boolean
  /** Whether traces hold what was sent to models and what they answered. */
  readonly capturesContent: boolean
  /** @param parent whether the caller's `traceparent` says that it is sampled; null without one */
  isSampled(traceId: string, parent: boolean | null): boolean
  ended(request: ObservedRequest): void
}

/** A request as a trace: ids of W3C Trace Context, in hexadecimal. */
export interface RequestTrace {
  readonly traceId: string
  readonly spanId: string
  /** Of the caller. */
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
  /** Of the protocol, such as `tools/call`; `other` for what is no name. */
  readonly method: string
  readonly tool: string | null
  readonly startedMs: number
  /** Null: it lasted as long as the request. */
  endedMs: number | null
  /** What went wrong: an error's code, `tool_error` for a tool that says so itself. */
  fault: string | null
}

/** Work of one guardrail check, or a look into the cache. Times are milliseconds since the request arrived. */
export interface ObservedStep {
  kind: 'check' | 'cache'
  /** Of the check: `default.regexMatch`. */
  id: string | null
  startedMs: number
  endedMs: number
  /** Of a check; null for one without a verdict. */
  verdict: boolean | null
  /** The name of the error of a check that gave no verdict. */
  error: string | null
  /** Of a look into the cache: `HIT`, `MISS`. */
  status: string | null
}

/** One call of a provider. Times are milliseconds since the request arrived. */
export interface ObservedAttempt {
  /** Null where the request has no trace. */
  spanId: string | null
  startedMs: number
  endedMs: number
  /** To the first content of a stream; null for other answers. */
  firstTokenMs: number | null
  endpoint: EndpointId
  provider: string
  /** Slug of the stored credential; null for one of the caller's. */
  virtualKey: string | null
  /** Where it was sent, for the default host of a provider; null for every other host. */
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
  /** HTTP status; null where none came. */
  status: number | null
  /** What went wrong in place of, or after, the status: `timeout`, `connection`, the code of a stream's error. */
  fault: string | null
  /** Null unless content is captured. */
  content: { input: Json; output: Json } | null
}

export interface ObservedRequest {
  /** Milliseconds since the epoch. */
  arrivedAt: number
  durationMs: number
  trace: RequestTrace | null
  /** As answers and logs name it. */
  traceId: string
  requestId: string
  method: string
  /** The path as it is declared, with its parameters; null for an unknown route. */
  route: string | null
  status: number
  /** Code of an error that the gateway raised, or with which a stream ended. */
  error: string | null
  /** Whether the caller left before the last byte. */
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
  /** US cents; null where nothing was called or the price is not known. */
  costCents: number | null
  /** What the gateway itself took, without the providers; null where none was called. */
  overheadMs: number | null
  attempts: readonly ObservedAttempt[]
}

/** `telemetry` of the config file, with what the standard environment variables say where the file says nothing. */
export interface TelemetrySettings {
  /** Null: no traces are exported. */
  tracesUrl: string | null
  metricsUrl: string | null
  /** Of every export. */
  headers: Readonly<Record<string, string>>
  /** Attributes of the resource, its service name included. */
  resource: Readonly<Record<string, string>>
  /** 0 to 1, of requests whose caller decided nothing. */
  sampleRatio: number
  capturesContent: boolean
  tracesIntervalMs: number
  metricsIntervalMs: number
}
