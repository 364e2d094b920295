/** A compiled config: a tree of nodes with inheritance applied, patterns compiled and targets resolved. */

import type { Fault, JsonObject, ProviderAdapter, ProviderSettings } from '@gateway/contract'
import type { CompiledHook } from './hook-result.ts'

/** The request data of queries. */
export interface QuerySubject {
  metadata: Readonly<Record<string, unknown>>
  params: unknown
  headers: Readonly<Record<string, unknown>>
  url: { pathname: string }
}

/** A compiled condition of a strategy. */
export type Query = (subject: QuerySubject) => boolean

/** A provider with everything needed to call it. */
export interface ResolvedTarget {
  adapter: ProviderAdapter
  settings: ProviderSettings
  /** Without a trailing slash; null for a provider that needs none. */
  baseUrl: string | null
  /** The stored credential's slug; null for the caller's own. */
  slug: string | null
  /**
   * Whether the credential belongs to the gateway: it is stored, or in a saved config. It is never sent to a caller's
   * host.
   */
  isStored: boolean
  /** Headers of its stored credential: sent with every call, and forwarded from the caller. Lower-case names. */
  headers: Readonly<Record<string, string>>
  forwardHeaders: readonly string[]
  /** Identifies the target without secrets: provider, host, and a hash of the credential. */
  identity: string
  /**
   * The error for settings that are missing in a config's target. It is the answer when the target is called, unless
   * the request sets a host.
   */
  fault: Fault | null
}

/** A base URL, and the place where it was set, for errors. */
export interface CustomHost {
  url: string
  param: string
}

/** Milliseconds; null for no timeout. */
export interface StreamClocks {
  firstTokenMs: number | null
  idleMs: number | null
  /** Effective only at the root of a config. */
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

/** How requests wait for room at their providers. */
export interface QueueSettings {
  maxWaitMs: number
  /** From 0 to 100, higher first. */
  priority: number
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
  /** The criterion of the choice, in addition to the weights. */
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

/** A new version of a saved config that is used for part of the sessions. */
export interface Rollout {
  id: string
  /** The share of the sessions. */
  percent: number
  /** The new version. */
  candidate: ConfigNode
}

/** Another config, which part of the requests also run against after their answer has been sent. */
export interface Shadow {
  /** The path of the node that declares it: `config.targets[0]`. */
  path: string
  /** The slug or id of a saved config, or an inline one, compiled. */
  config: ConfigNode | string
  /** The config as it was written, with its secrets. */
  written: string | JsonObject
  /** The share of requests, in percent. */
  samplePercent: number
  /** USD per UTC day; null: unlimited. */
  budgetPerDay: number | null
}

export interface ConfigNode {
  /** The saved config's names; null for an inline config, and for nodes other than the root. */
  saved: SavedConfig | null
  /** At the root of a saved config: its running rollout, or null. */
  rollout: Rollout | null
  /** The path in answers: `config.targets[0].targets[1]`. */
  path: string
  /** The path in errors: `config/targets/0/targets/1`. */
  param: string
  weight: number
  /** The status codes of the target itself, which override those of its strategy. */
  onStatusCodes: readonly number[] | null
  strategy: Strategy | null
  targets: readonly ConfigNode[]
  /** The target of a leaf that specifies its provider; null when the request specifies it. */
  target: ResolvedTarget | null
  /** Whether a leaf below runs a prompt; set at the root. */
  hasPrompts: boolean
  /**
   * Set at each leaf of a tree with prompts: the prompt that it runs, or null, and the inherited `override_params`,
   * which apply to the rendered body. Hooks and caches of such a tree are at its leaves, where the text is known.
   */
  prompt: { reference: string | null; overridesAbove: readonly JsonObject[] } | null
  /** The node's own parameters. They are applied from the root down: the nearest value takes effect. */
  overrideParams: JsonObject | null
  retry: Retry | null
  hedge: Hedge | null
  queue: QueueSettings | null
  breaker: Breaker | null
  /** Milliseconds. */
  requestTimeoutMs: number | null
  /** Stream timeouts; null when the node has none. */
  streamClocks: StreamClocks | null
  forwardHeaders: readonly string[]
  customHost: CustomHost | null
  strict: boolean | null
  /** `prompt_cache: "auto"`. */
  marksPrompt: boolean
  before: readonly CompiledHook[]
  after: readonly CompiledHook[]
  /** Whether hooks run on the request here or above. */
  isChecked: boolean
  /** `threshold` is the minimum similarity of a semantic hit; null: the config file's. */
  cache: { mode: 'simple' | 'semantic'; maxAgeSeconds: number | null; threshold: number | null } | null
  /** Null if its requests run only against this config. */
  shadow: Shadow | null
  /** Hash of everything that determines this node's answers, including credentials; computed for nodes with a cache. */
  fingerprint: string
  /** Hash that also covers everything else, such as retries and timeouts; computed for nodes with a cache. */
  callFingerprint: string
  /** All headers that leaves below forward: part of the cache key. */
  forwardedBelow: readonly string[]
}
