/**
 * The running configuration as requests meet it: one immutable snapshot, of the config file or of a workspace, whose
 * stored documents are laid over the file. Each part is what some room needs of it.
 */
import type { Identity, JsonObject, LogContents, StoredDocument } from '@gateway/contract'
import type { LRUCache } from 'lru-cache'
import type { KeyTerms } from '../domain/index.ts'
import type { Validator } from '../shared/validate.ts'
import type { CompileContext } from './compile-context.ts'
import type { ConfigNode, ResolvedTarget, SavedConfig } from './config-node.ts'
import type { MandatoryHooks } from './hook-result.ts'
import type { LimitTable } from './limits.ts'
import type { StoredProvider } from './stored-provider.ts'
import type { HostCheck, OutboundCalls, UpstreamCalls } from './upstream.ts'

/** How much of a stream a guardrail sees at once, in UTF-16 units. */
export interface WindowSize {
  /** New text after which the window is checked. */
  windowChars: number
  overlapChars: number
}

/** Which model makes the embeddings of the semantic cache, and what bounds it. */
export interface SemanticCache {
  /** Slug of a stored credential. */
  provider: string
  model: string
  dimensions: number | null
  /** Least cosine similarity of a hit, where the config says none. */
  threshold: number
  maxEntries: number
  timeoutMs: number
  /** What runs the call. */
  node: ConfigNode
}

/** Which pages of other origins may call inference routes. */
export interface CorsRules {
  /** Exact, or `*`. */
  origins: readonly string[]
  /** How long a browser may keep the answer to a preflight. */
  maxAgeSeconds: number
}

/** Sizes and times that bound a request and its answer. */
interface Bounds {
  bodyLimitBytes: number
  /** Of one uploaded file. */
  uploadLimitBytes: number
  /** The caller's address, of the connection's other end and `x-forwarded-for`. */
  clientAddress(remote: string, forwarded: string | string[] | undefined): string
  /** What the process may hold in memory of bodies and answers; null: a share of its memory. */
  maxBufferedBytes: number | null
  /** Of an upstream's answer that is read as a whole. */
  maxAnswerBytes: number
  streamIdleTimeoutMs: number
  /** Of a stored answer whose config names no age. */
  defaultMaxAgeSeconds: number
  streamWindow: WindowSize
  /** Null: configs with `mode: semantic` find exact matches alone. */
  semanticCache: SemanticCache | null
}

/** Connections to the outside. */
interface Connections {
  guard: HostCheck
  upstream: UpstreamCalls
  outbound: OutboundCalls
}

/** Providers that can be called by name. */
interface StoredTargets {
  context: CompileContext
  /** Stored credentials, ready to be called. */
  storedTargets: ReadonlyMap<string, ResolvedTarget>
  /** What stored credentials say beside their settings, by slug. */
  storedProviders: ReadonlyMap<string, StoredProvider>
}

/** Configs, saved and inline. */
interface Configs {
  /** Saved configs of the file, by id. */
  configs: ReadonlyMap<string, ConfigNode>
  /** A saved config of the file or of the workspace by slug or id, or a version of it (`SLUG@N`); null when there is none. */
  findConfig(id: string): Promise<ConfigNode | null>
  /** All of them, without their content. */
  listConfigs(): Promise<readonly SavedConfig[]>
  /** What routes a request without any config. */
  noConfig: ConfigNode
  /** Configs that came in headers, compiled; by their text. */
  inlineConfigs: LRUCache<string, ConfigNode>
  validateConfig: Validator
  context: CompileContext
}

/** What the security settings say of requests: the workspace's beat the organisation's. */
export interface DataPlane {
  allowsConfigOverride: boolean
  blocksInlineConfig: boolean
}

/** What a request takes from its key when it brings none of its own (contract section 2). */
export interface KeyDefaults {
  configId: string | null
  /** Whether a config that does not exist is ignored: whoever issued a JWT does not know what is stored here. */
  isConfigOptional?: boolean
  metadata: Readonly<Record<string, string>>
  allowConfigOverride: boolean
  /** Guardrails that no request of the key can switch off. */
  mandatory: MandatoryHooks
}

/** What the organisation, the workspace and the key of a caller say of its requests. */
interface CallerRules {
  /** Guardrails of every request. */
  mandatory: MandatoryHooks
  /** Null where a request may bring everything itself. */
  dataPlane: DataPlane | null
  /** @param key the document of a stored key; null for every other credential */
  defaultsOf(
    identity: Identity,
    key: StoredDocument<KeyTerms> | null,
  ): { keyDefaults: KeyDefaults; workspaceDefaults: KeyDefaults }
  /** Which limits hold for whom. */
  limits: LimitTable
}

export interface Settings extends Bounds, Connections, StoredTargets, Configs, CallerRules {
  headerPrefixes: readonly string[]
  /** What is kept of requests beside their facts. */
  logs: LogContents
  /** Null: no CORS headers. */
  cors: CorsRules | null
  /** Open connections that one address may have; null: any number. */
  maxConnectionsPerAddress: number | null
  /** Whether an address is that of a proxy of ours, in front of many callers. */
  isTrustedProxy(address: string): boolean
  /** What the file declares, as the management API shows it. */
  documents: readonly StoredDocument[]
  /** Secrets of those of them that services use, by `KIND/ID`. */
  fileSecrets: ReadonlyMap<string, JsonObject>
}
