/** What a config compiles to: a tree of nodes with inheritance done, patterns compiled and targets looked up. */

import type { Fault, JsonObject, ProviderAdapter, ProviderSettings } from '@gateway/contract'
import type { CompiledHook } from './hook-result.ts'

/** What a query may read. */
export interface QuerySubject {
  metadata: Readonly<Record<string, unknown>>
  params: unknown
  headers: Readonly<Record<string, unknown>>
  url: { pathname: string }
}

/** A compiled condition of a strategy. */
export type Query = (subject: QuerySubject) => boolean

/** A provider with all that a call to it needs. */
export interface ResolvedTarget {
  adapter: ProviderAdapter
  settings: ProviderSettings
  /** Without a trailing slash; null for a provider that needs none. */
  baseUrl: string | null
  /** The stored credential's slug; null for a credential of the caller's own. */
  slug: string | null
  /** Whether the credential is the gateway's: stored, or written in a saved config. No host of the caller's gets it. */
  isStored: boolean
  /** Of its stored credential: sent with every call, and passed on from the caller. Lower-case names. */
  headers: Readonly<Record<string, string>>
  forwardHeaders: readonly string[]
  /** Tells targets apart without their secrets: provider, host, and a hash of the credential. */
  identity: string
  /** What a target of a config lacks for a call: its answer when it is called, unless the request names a host. */
  fault: Fault | null
}

/** A base URL, and where it was given, for faults. */
export interface CustomHost {
  url: string
  param: string
}

/** Milliseconds; null for a clock that does not run. */
export interface StreamClocks {
  firstTokenMs: number | null
  idleMs: number | null
  /** Counts at the root of a config only. */
  totalMs: number | null
}

export interface Hedge {
  afterMs: number
  /** Extra calls for each request, on average. */
  budgetShare: number
}

export interface Retry {
  attempts: number
  onStatusCodes: readonly number[]
  useRetryAfterHeaders: boolean
}

interface Breaker {
  failure_threshold: number
  cooldown_interval: number
  failure_status_codes?: number[] | undefined
}

/** Requests of one session go to the same target. */
interface Sticky {
  /** `auto`, `user`, `metadata.KEY` or `header.NAME`. */
  by: string
  ttlMs: number
}

export interface LoadBalance {
  mode: 'loadbalance'
  /** What decides beside the weights. */
  balance: 'weight' | 'latency' | 'least_pending'
  sticky: Sticky | null
}

export type Strategy =
  | { mode: 'single' }
  | LoadBalance
  | { mode: 'fallback'; onStatusCodes: readonly number[] | null }
  | {
      mode: 'conditional'
      conditions: readonly { query: Query; target: ConfigNode }[]
      otherwise: ConfigNode
      /** The headers and metadata that the queries name: `headers.x-team`. */
      reads: readonly string[]
    }

/** The names of a saved config. */
export interface SavedConfig {
  slug: string
  id: string
  /** Null for one of the config file. */
  version: number | null
}

export interface ConfigNode {
  /** What it is saved as; null for an inline config, and for every node below another. */
  saved: SavedConfig | null
  /** As answers name it: `config.targets[0].targets[1]`. */
  path: string
  /** As errors name it: `config/targets/0/targets/1`. */
  param: string
  weight: number
  /** The target's own codes, which beat its strategy's. */
  onStatusCodes: readonly number[] | null
  strategy: Strategy | null
  targets: readonly ConfigNode[]
  /** Of a leaf that names its provider; null: the request names it. */
  target: ResolvedTarget | null
  /** At the root: whether a leaf below runs a prompt. */
  hasPrompts: boolean
  /**
   * Of each leaf of a tree with prompts: which one it runs, null for none; and the `override_params` above it, which go
   * over the body that it makes. Hooks and caches of such a tree stand at its leaves, where the text is known.
   */
  prompt: { reference: string | null; overridesAbove: readonly JsonObject[] } | null
  /** The node's own; applied on the way down, so that the nearer key wins. */
  overrideParams: JsonObject | null
  retry: Retry | null
  hedge: Hedge | null
  /** Which answers a fallback above acts on: these codes, or everything but a success; null where there is none. */
  fallsBackOn: readonly number[] | 'failure' | null
  breaker: Breaker | null
  /** Milliseconds. */
  requestTimeoutMs: number | null
  /** Clocks of streams; null where the node has none. */
  streamClocks: StreamClocks | null
  forwardHeaders: readonly string[]
  customHost: CustomHost | null
  strict: boolean | null
  before: readonly CompiledHook[]
  after: readonly CompiledHook[]
  /** Whether hooks run on the request here or above. */
  isChecked: boolean
  /** `threshold` is the least similarity of a semantic hit; null: that of the config file. */
  cache: { mode: 'simple' | 'semantic'; maxAgeSeconds: number | null; threshold: number | null } | null
  /** Hash of all that decides this node's answers, credentials included; computed for nodes with a cache. */
  fingerprint: string
  /** Every header that some leaf below forwards: part of the cache key. */
  forwardedBelow: readonly string[]
}
