/** Circuit breakers as callers of targets use them. */
import type { GatewayError } from '@gateway/contract'

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
  /** Slug of the stored credential; null for a credential of a caller's own. */
  virtualKey: string | null
  hostKind: HostKind
  /** Of the caller who used it first. */
  organisationId: string
  /** Of the callers who used it, the first one first. */
  workspaceIds: readonly string[]
}

/** Where a target is: at the host of a stored credential, at its provider's own, or at one that a config or a caller named. */
export type HostKind = 'stored' | 'default' | 'custom'

export type CircuitState = 'closed' | 'open' | 'half_open'

export interface CircuitBreaker {
  /** Null until its first caller has said it. */
  subject: BreakerSubject | null
  /** Of the last answer that the target itself gave; null before it and after a call without an answer. */
  lastStatus: number | null
  readonly state: CircuitState
  /** Whether a call would be refused now. */
  isOpen(): boolean
  /** What a call is told that is refused now. */
  refusal(): GatewayError
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
