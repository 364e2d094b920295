/** Routing information that needs no provider call. */

/** A target with a circuit breaker or known limits: the breaker's state, and the remaining limits. */
export interface TargetHealth {
  /** The id of the target, the same in every process. */
  id: string
  provider: string
  /** Slug of the stored credential; null for a caller's own credential. */
  virtualKey: string | null
  model: string
  hostKind: 'stored' | 'default' | 'custom'
  state: 'closed' | 'open' | 'half_open'
  /** The number of failures that count now, or that opened the breaker. */
  failures: number
  /** Milliseconds since the epoch; null when the breaker is closed or not waiting. */
  openedAt: number | null
  retryAt: number | null
  /** The status of the target's last answer to this process. */
  lastStatus: number | null
  /** Windows of its provider's rate limits that have not reset, minus the usage that this process has sent since. */
  limits: readonly {
    measure: 'requests' | 'tokens' | 'input_tokens' | 'output_tokens'
    /** Null when the provider does not report it. */
    limit: number | null
    left: number
    /** Milliseconds since the epoch. */
    resetsAt: number
  }[]
  /**
   * The time until which not even the smallest request has room, in milliseconds since the epoch; null if there is room
   * now.
   */
  fullUntil: number | null
}
