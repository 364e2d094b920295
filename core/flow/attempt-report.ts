/** What an attempt at a target came to, as logs, metrics and `x-gateway-attempts` show it. */
export interface AttemptReport {
  /** Of the target: `config.targets[0]`. */
  readonly path: string
  readonly provider: string
  /** Slug of the stored credential; null for a credential of the caller's own. */
  readonly virtualKey: string | null
  readonly model: string | null
  /** Null when there was no answer. */
  readonly status: number | null
  /** What became of the call when it is not the status that says it. */
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
