/** Compiled limits, and the subjects they apply to. */
import type { CounterWindow } from '@gateway/contract'
import type { RateLimit } from '@gateway/domain'
import type { KnownCaller } from './caller.ts'
import type { SavedConfig } from './config-node.ts'

/** One limit: its unit, its counter key, and its reset. */
export interface CompiledLimit {
  kind: 'usage' | 'rate'
  measure: 'requests' | 'tokens' | 'cost'
  /** The owner in `param` of errors. */
  param: string
  /** The owner in messages: `API key "team-a"`. */
  label: string
  /** USD for `cost`. */
  limit: number
  /** The unit of a rate limit. */
  unit: RateLimit['unit'] | null
  /** The alert threshold of a usage limit. */
  alertThreshold: number | null
  /** Null: a budget. */
  window: CounterWindow | null
  /** The key of the counter at a time. */
  keyAt(nowMs: number): string
  /** The time when current usage expires, in milliseconds since the epoch; null: never. */
  resetsAt(nowMs: number): number | null
}

/** The facts of a request and, once selected, of its target. */
export interface PolicySubject {
  keyId: string | null
  organisationId: string
  /** Null when it exists only in the config file. */
  organisationSlug: string | null
  workspaceId: string
  workspaceSlug: string
  metadata: Readonly<Record<string, string>>
  /** The saved config; null for an inline config and for requests without a config. */
  config: SavedConfig | null
  /** Null for a request without a prompt. */
  prompt: { slug: string; id: string } | null
  endpoint: string | null
  target: PolicyTargetSubject | null
  /** For a tool call: only for tool policies. */
  tool: PolicyToolSubject | null
}

interface PolicyToolSubject {
  /** Slug. */
  server: string
  name: string
}

export interface PolicyTargetSubject {
  /** The slug of a stored credential. */
  slug: string | null
  provider: string
  /** As requested, without a slug. */
  model: string | null
}

export interface Policy {
  limit: CompiledLimit
  /** Null: applies to every workspace. */
  workspaceId: string | null
  /** Whether the policy can be evaluated only once a target is selected. */
  ofTarget: boolean
  /**
   * A key, and values of which a request must have one for the policy to apply; null if no condition requires exact values.
   */
  needs: { key: string; values: readonly string[] } | null
  /** The value key for this request; null when it does not apply. */
  match(subject: PolicySubject): string | null
  /** The key of the condition or group for which it does not apply; null when it does. */
  mismatch(subject: PolicySubject): string | null
}

/** The limits of one caller's requests. */
export interface LimitSet {
  /** The limits of the key and the workspace. */
  fixed: readonly CompiledLimit[]
  /** Evaluated before a target is selected. */
  requestPolicies: readonly Policy[]
  /** Evaluated before each attempt at a target. */
  targetPolicies: readonly Policy[]
  /** Evaluated only for tool calls. */
  toolPolicies: readonly Policy[]
}

export interface LimitTable {
  /** The organisation that owns the limits; null when it exists only in the config file. */
  organisationSlug: string | null
  /** Whether any limits exist in addition to those of stored keys. */
  limitsRequests: boolean
  /** Whether any limits of targets exist. */
  limitsTargets: boolean
  of(caller: KnownCaller): LimitSet | null
  /** The limits of a stored provider and its integration, by the provider's slug or id. */
  ofTarget(slug: string): readonly CompiledLimit[]
}
