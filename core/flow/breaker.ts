/** The interface of circuit breakers. */
import type { GatewayError } from '@gateway/contract'

/** The settings that distinguish a target's breakers. */
export interface BreakerSettings {
  failure_threshold: number
  /** Milliseconds. */
  cooldown_interval: number
  /** The answers counted as failures. */
  failure_status_codes?: readonly number[] | undefined
}

/**
 * Whether a call failed; `ignored` if the call says nothing about the target, for example after a client disconnect.
 */
export type Verdict = boolean | 'ignored'

export interface Outcome<T> {
  value: T
  /** A promise while the result is pending (a started stream); `run` does not wait for it. */
  failed: Verdict | Promise<Verdict>
}

/** A target, and the workspaces that use it. */
export interface TargetSubject {
  provider: string
  model: string
  /** Slug of the stored credential; null for a caller's own. */
  virtualKey: string | null
  hostKind: HostKind
  /** The organisation of its first caller. */
  organisationId: string
  /** The workspaces of its callers, in the order of their first calls. */
  workspaceIds: readonly string[]
}

/** The kind of host: a stored credential's, the provider's default, or one set by a config or a caller. */
export type HostKind = 'stored' | 'default' | 'custom'

export type CircuitState = 'closed' | 'open' | 'half_open'

export interface CircuitBreaker {
  /** Null until the first call. */
  subject: TargetSubject | null
  /** The status of the target's last answer; null before the first one and after a call without an answer. */
  lastStatus: number | null
  readonly state: CircuitState
  /** Whether a call would be refused now. */
  isOpen(): boolean
  /** The error for calls that are currently refused. */
  refusal(): GatewayError
  /** Makes the call and records its result. Errors: `circuit_open`. */
  run<T>(call: () => Promise<Outcome<T>>): Promise<T>
}

export interface Breakers {
  /**
   * The breaker of a target; the same key with other settings is another breaker. The key identifies the target in
   * every process and is stored in shared state, so it contains no credential in clear.
   */
  get(key: string, settings: BreakerSettings): CircuitBreaker
}
