/** The data path for services: limits, guardrails and logging of calls that a service relays itself. */
import type { ServiceEndpoint } from '../endpoint.ts'
import type { Json, JsonObject } from '../json.ts'
import type { LogFields } from '../store.ts'

/** The data path for one request of a service. */
export interface DataPath {
  /** Metadata of the caller's key, its workspace and the request, merged. */
  metadata(): Readonly<Record<string, string>>
  /**
   * Counts a call as a request of the `rate_limits` of the key and its workspace.
   * Errors: 429 `rate_limit_exceeded`, 503 when the counters are unavailable.
   */
  admitCall(): Promise<void>
  /**
   * Counts a call in the same way, and reserves from all tool policies or from none. Returns a function that settles it with the
   * size of the result. Errors: 429 `rate_limit_exceeded`, 503 when the counters are unavailable.
   */
  admitTool(call: ToolCall): Promise<(resultBytes: number) => Promise<void>>
  /** Runs the mandatory guardrails on the arguments or the result of a call. */
  check(call: ToolCall, result: JsonObject | null): Promise<CheckedBody>
  /** Logs the request as a call of a service; call it once per call. */
  record(call: ServiceCallRecord): void
  /** Adds an upstream call to the request's trace, if it is traced. */
  trace(call: TracedCall): CallTrace
}

/** An upstream call in a trace, without texts. */
export interface TracedCall {
  endpoint: ServiceEndpoint
  /** Slug. */
  server: string
  method: string
  tool: string | null
}

export interface CallTrace {
  /** Headers for the upstream: `traceparent`; empty when the request has no trace. */
  readonly headers: Readonly<Record<string, string>>
  /** A call that is never ended lasts as long as its request. */
  end(fault: string | null): void
}

/** A tool call, as policies and guardrails see it. */
export interface ToolCall {
  endpoint: ServiceEndpoint
  /** Slug. */
  server: string
  tool: string
  arguments: JsonObject
}

/** The body after the guardrails; `denied` is null unless a guardrail denied it. */
export interface CheckedBody {
  body: JsonObject
  /** `message` names the guardrail and the reason; `results` are its results. */
  denied: { message: string; results: JsonObject } | null
}

/** Members of a log entry in addition to the common ones. */
export interface ServiceCallRecord {
  endpoint_type: ServiceEndpoint
  /** Columns of the log: `mcp_server`, `mcp_method`, `mcp_tool`. */
  fields: Readonly<Partial<Pick<LogFields, 'mcp_server' | 'mcp_method' | 'mcp_tool'>>>
  /** Request and answer after the guardrails; read when the request is complete. */
  request?: Json
  response?: Json
}

/** The input for trying a guardrail. */
export interface GuardrailSubject {
  hook: 'beforeRequestHook' | 'afterRequestHook'
  request: JsonObject
  /** The answer; only in the after phase. */
  response: JsonObject | null
  metadata: Readonly<Record<string, string>>
}
