/** What would happen to an inference request, found without running it: nothing is called, counted, cached or logged. */
import type { ErrorCode } from '../errors.ts'
import type { Identity } from '../identity.ts'
import type { JsonObject } from '../json.ts'
import type { InferencePrompt } from './inference.ts'
import type { TargetHealth } from './routing.ts'

/** A request that is planned and not run. */
export interface PlannedCall {
  /** The path of an inference route, or the id of its endpoint. */
  path: string
  /** Default: POST. */
  method?: string
  /** The headers of the call, including the gateway's own, with lower-case names; the credential is the caller's. */
  headers: Readonly<Record<string, string>>
  /** Null for a request without a body. */
  body: JsonObject | null
  /** The prompt that the body was rendered from. */
  prompt?: InferencePrompt
  /** Tokens that another run of the request used: targets are priced for them, in addition to the estimate. */
  tokens?: { input: number; output: number } | undefined
}

/** A planned request that does not originate from a client's request. */
export interface InferencePlanning extends PlannedCall {
  /** As for an {@link InferenceRequest}. */
  identity: Identity
  clientIp: string
}

export interface InferencePlan {
  /** The errors of the request and its config, with which it would be refused before a target is called. */
  faults: readonly PlannedFault[]
  /** The error of a credential without the scope of the endpoint; null if it has the scope. */
  missingScope: PlannedFault | null
  config: {
    /** Which part of the request names the config: `header`, `model`, `key`, `workspace`; `none` without a config. */
    source: string
    /** The saved config; null for none. */
    saved: { id: string; slug: string; version: number | null } | null
    /** The text of an inline config; null for none. */
    inline: string | null
  }
  /** The metadata of the request, its key and its workspace, merged. */
  metadata: Readonly<Record<string, string>>
  /** The leaves of the config in tree order; empty if an error prevents the routing. */
  targets: readonly PlannedTarget[]
  guardrails: { input: readonly PlannedGuardrail[]; output: readonly PlannedGuardrail[] }
  /** The outermost cache on the path to the likeliest target; null without a cache. */
  cache: PlannedCache | null
  /** The outermost queue; null without a queue. */
  queue: PlannedQueue | null
  /** The limits of the request and of the targets. */
  limits: readonly PlannedLimit[]
  /** Policies that do not apply, with the key of the condition or group that fails. */
  policiesNotMatching: readonly { id: string; because: string }[]
  /** Names of the request's headers that would be forwarded to the provider. */
  forwardedHeaders: readonly string[]
}

export interface PlannedFault {
  code: ErrorCode
  param: string | null
  message: string
}

/** A leaf of the config. */
export interface PlannedTarget {
  /** `config.targets[0]`. */
  path: string
  /** Null when the request names no provider. */
  provider: string | null
  /** Slug of the stored credential; null for none. */
  virtualKey: string | null
  model: string | null
  hostKind: TargetHealth['hostKind'] | null
  /** 0 to 1, from weights, circuits and refusals. */
  probability: number
  /** Whether a call may reach it, if only once circuits are closed and providers have room. */
  isReachable: boolean
  /** Position within the nearest fallback, from 0; null without an enclosing fallback. */
  order: number | null
  /**
   * Index of the nearest conditional's condition that leads here, null for its default; undefined without an
   * enclosing conditional.
   */
  condition: number | null | undefined
  breaker: TargetHealth['state']
  /** The errors that a call would get instead of the target's answer; empty if it would be called. */
  refusals: readonly PlannedFault[]
  /** Paths of the body that the target would not get, because its format has no equivalent. */
  leftOut: readonly string[]
  /** The estimate for limits. */
  inputTokens: number
  maxOutputTokens: number
  /** The price of the estimate in US cents; null if no price is known. */
  cents: number | null
  /** The price of the given tokens in US cents, 0 without any; null if no price is known. */
  centsOfTokens: number | null
}

export interface PlannedGuardrail {
  id: string
  source: 'organisation' | 'workspace' | 'key' | 'config'
}

export interface PlannedCache {
  mode: 'simple' | 'semantic'
  /** What a semantic hit needs; null for a cache that finds no semantic hits. */
  agreement: 'strict' | 'off' | null
  /** Whether an exact match is stored. */
  would: 'hit' | 'miss' | 'disabled'
}

export interface PlannedQueue {
  /** The node with the queue. */
  path: string
  priority: number
  maxWaitMs: number
  /** How many requests are waiting. */
  waiting: number
  wouldWait: boolean
  /** When a target can take the request, in milliseconds since the epoch; null if one can now. */
  roomAt: number | null
}

export interface PlannedLimit {
  /** The name of the limit in errors: `api-keys/ID`. */
  param: string
  measure: 'requests' | 'tokens' | 'cost'
  /** The unit of a rate limit; null for a usage limit. */
  unit: string | null
  /** The owner, or the group of a policy, whose usage is counted separately. */
  bucket: string
  limit: number
  used: number
  reserved: number
  /** Milliseconds since the epoch; null if it does not reset. */
  resetsAt: number | null
  /** Whether the request, or a target that it may reach, counts towards the limit. */
  applies: boolean
  isRefused: boolean
}
