/** Limits, ready to be counted, and which of them hold for whom. */
import type { CounterWindow, Identity, StoredDocument } from '@gateway/contract'
import type { Limits, RateLimit } from '../domain/index.ts'
import type { SavedConfig } from './config-node.ts'

/** One limit: what it measures, under which key, and when it resets. */
export interface CompiledLimit {
  kind: 'usage' | 'rate'
  measure: 'requests' | 'tokens' | 'cost'
  /** As `param` of errors names its owner. */
  param: string
  /** As messages name its owner: `API key "team-a"`. */
  label: string
  /** USD for `cost`. */
  limit: number
  /** Of a rate. */
  unit: RateLimit['unit'] | null
  /** Of a usage limit. */
  alertThreshold: number | null
  /** Null: a budget. */
  window: CounterWindow | null
  /** The key of the counter at a time. */
  keyAt(nowMs: number): string
  /** When what is used now is forgotten, in milliseconds since the epoch; null: never. */
  resetsAt(nowMs: number): number | null
}

/** What is known of a request; of its target, once there is one. */
export interface PolicySubject {
  keyId: string | null
  organisationId: string
  /** Null where only the config file says anything of it. */
  organisationSlug: string | null
  workspaceId: string
  workspaceSlug: string
  metadata: Readonly<Record<string, string>>
  /** Null for an inline one and for none. */
  config: SavedConfig | null
  /** Null for a request that holds no prompt's text. */
  prompt: { slug: string; id: string } | null
  endpoint: string | null
  target: PolicyTargetSubject | null
  /** Of a call of a tool: of policies for tools alone. */
  tool: PolicyToolSubject | null
}

interface PolicyToolSubject {
  /** Slug. */
  server: string
  name: string
}

export interface PolicyTargetSubject {
  /** Of a stored credential. */
  slug: string | null
  provider: string
  /** As it is asked for, without a slug. */
  model: string | null
}

export interface Policy {
  limit: CompiledLimit
  /** Null: every workspace's. */
  workspaceId: string | null
  /** Whether it can only be judged once there is a target. */
  ofTarget: boolean
  /** Its value key for this request; null when it does not apply. */
  match(subject: PolicySubject): string | null
  /** The key of the condition or group for which it does not apply; null when it does. */
  mismatch(subject: PolicySubject): string | null
}

/** What limits the requests of one caller. */
export interface LimitSet {
  /** Of the key and the workspace. */
  fixed: readonly CompiledLimit[]
  /** Judged before there is a target. */
  requestPolicies: readonly Policy[]
  /** Judged before each try of a target. */
  targetPolicies: readonly Policy[]
  /** Judged for each call of a tool, and for nothing else. */
  toolPolicies: readonly Policy[]
}

export interface LimitTable {
  /** Of the organisation whose limits they are; null where only the config file says anything of it. */
  organisationSlug: string | null
  /** Whether there are any, beside those of stored keys. */
  limitsRequests: boolean
  /** Whether there are any of targets. */
  limitsTargets: boolean
  /** @param key the document of a stored key; null when nothing limits the caller's requests */
  of(identity: Identity, key: StoredDocument<Limits> | null): LimitSet | null
  /** Of a stored provider and its integration, by the provider's slug or id. */
  ofTarget(slug: string): readonly CompiledLimit[]
}
