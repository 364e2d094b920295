/** What a service needs of the data path: limits, guardrails and the log of calls that it relays itself. */
import type { ServiceEndpoint } from '../endpoint.ts'
import type { Json, JsonObject } from '../json.ts'
import type { LogFields } from '../store.ts'

/** What a service needs of the data path for one request. */
export interface DataPath {
  /** Metadata of the caller's key, its workspace and the request, merged. */
  metadata(): Readonly<Record<string, string>>
  /**
   * Takes from the policies for tools, all or none. Gives what settles it, with the size of the result.
   * Errors: 429 `rate_limit_exceeded`, 503 when nobody can count.
   */
  admitTool(call: ToolCall): Promise<(resultBytes: number) => Promise<void>>
  /** Runs the guardrails that no request can switch off on the arguments of a call, or on its result. */
  check(call: ToolCall, result: JsonObject | null): Promise<CheckedBody>
  /** Has the request logged as a call of a service; several for several calls. */
  record(call: ServiceCallRecord): void
  /** Has a call of an upstream in the request's trace, where it has one. */
  trace(call: TracedCall): CallTrace
}

/** A call of an upstream, as traces name it: no texts. */
export interface TracedCall {
  endpoint: ServiceEndpoint
  /** Slug. */
  server: string
  method: string
  tool: string | null
}

export interface CallTrace {
  /** For the upstream: `traceparent`; empty where the request has no trace. */
  readonly headers: Readonly<Record<string, string>>
  /** A call that nobody ends lasts as long as its request. */
  end(fault: string | null): void
}

/** A call of a tool, as policies and guardrails see it. */
export interface ToolCall {
  endpoint: ServiceEndpoint
  /** Slug. */
  server: string
  tool: string
  arguments: JsonObject
}

/** What a guardrail left of a body; `denied` has the results when it may not go on. */
export interface CheckedBody {
  body: JsonObject
  denied: JsonObject | null
}

/** Beside what every log entry has. */
export interface ServiceCallRecord {
  endpoint_type: ServiceEndpoint
  /** Columns of the log: `mcp_server`, `mcp_method`, `mcp_tool`. */
  fields: Readonly<Partial<Pick<LogFields, 'mcp_server' | 'mcp_method' | 'mcp_tool'>>>
  /** What was asked and answered, as far as guardrails left it: read when the request is over. */
  request?: Json
  response?: Json
}

/** What a guardrail is tried on. */
export interface GuardrailSubject {
  hook: 'beforeRequestHook' | 'afterRequestHook'
  request: JsonObject
  /** In the phase after only. */
  response: JsonObject | null
  metadata: Readonly<Record<string, string>>
}
