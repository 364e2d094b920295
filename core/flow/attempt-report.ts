/** The result of an attempt at a target, for logs, metrics and `x-gateway-attempts`. */
export interface AttemptReport {
  /** The path of the target: `config.targets[0]`. */
  readonly path: string
  readonly provider: string
  /** Slug of the stored credential; null for the caller's own. */
  readonly virtualKey: string | null
  readonly model: string | null
  /** The HTTP status; null if no answer arrived. */
  readonly status: number | null
  /** The result of the call when the status does not show it. */
  fault: AttemptFault | null
  outcome: AttemptOutcome
  readonly durationMs: number
  readonly reason: 'first' | 'retry' | 'fallback' | 'hedge'
}

export type AttemptFault =
  | 'connection'
  | 'timeout'
  | 'first_token_timeout'
  | 'stream_idle_timeout'
  | 'invalid_response'

export type AttemptOutcome =
  | 'success'
  | '4xx'
  | '429'
  | '5xx'
  | 'timeout'
  | 'connection'
  | 'invalid_response'
  | 'refused'
