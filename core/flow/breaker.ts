/** Circuit breakers as callers of targets use them. */

/** The settings that tell one breaker of a target from another. */
export interface BreakerSettings {
  failure_threshold: number
  /** Milliseconds. */
  cooldown_interval: number
  /** Which answers its callers count as failures. */
  failure_status_codes?: readonly number[] | undefined
}

/** Whether a call failed; `ignored` where it shows nothing about the target, as when the client left. */
export type Verdict = boolean | 'ignored'

export interface Outcome<T> {
  value: T
  /** A promise where the end is still to come (a stream that has begun): `run` does not wait for it. */
  failed: Verdict | Promise<Verdict>
}

/** What a breaker watches, for those who are told that it opened or closed. */
export interface BreakerSubject {
  provider: string
  model: string
  hostKind: 'stored' | 'default' | 'custom'
  /** Of the caller who used it first. */
  organisationId: string
  workspaceId: string | null
}

export interface CircuitBreaker {
  /** Null until its first caller has said it. */
  subject: BreakerSubject | null
  /** Whether a call would be refused now. */
  isOpen(): boolean
  /** Makes the call, and counts what it shows. Errors: `circuit_open`. */
  run<T>(call: () => Promise<Outcome<T>>): Promise<T>
}

export interface Breakers {
  /**
   * The breaker of a target; the same key with other settings is another breaker. The key names the target in every
   * process and stands in shared state: it holds no credential in clear.
   */
  get(key: string, settings: BreakerSettings): CircuitBreaker
}
