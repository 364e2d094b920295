/**
 * The running configuration for requests: one immutable snapshot, of the config file or of a workspace, whose stored
 * documents are merged over the file. Each interface is the part that a room needs.
 */
import type { ConfigFile } from '@gateway/config-file'
import type { JsonObject, LogContents, StoredDocument } from '@gateway/contract'
import type { Validator } from '@gateway/validation'
import type { LRUCache } from 'lru-cache'
import type { KnownCaller } from './caller.ts'
import type { CompileContext } from './compile-context.ts'
import type { ConfigNode, ResolvedTarget, SavedConfig } from './config-node.ts'
import type { MandatoryHooks } from './hook-result.ts'
import type { LimitTable } from './limits.ts'
import type { StoredProvider } from './stored-provider.ts'
import type { HostCheck, OutboundCalls, UpstreamCalls } from './upstream.ts'

/** The window of a stream that a guardrail sees at once, in UTF-16 units. */
export interface WindowSize {
  /** Amount of new text after which the window is checked. */
  windowChars: number
  overlapChars: number
}

/** The embedding model and bounds of the semantic cache. */
export interface SemanticCache {
  /** Slug of a stored credential. */
  provider: string
  model: string
  dimensions: number | null
  /** Default minimum cosine similarity of a hit. */
  threshold: number
  /** Whether a hit must also agree with the question in details that embeddings hardly distinguish. */
  agreement: 'strict' | 'off'
  maxEntries: number
  timeoutMs: number
  /** The target of the call. */
  node: ConfigNode
}

/**
 * Settings of the config file that requests read as they are declared (`config-file/settings.ts`), such as
 * `file.server.body_limit`. Sizes are in bytes; settings without a value are null. Sections and settings that may
 * contain credentials are not among them.
 */
interface FileSettings extends Pick<ConfigFile, 'server' | 'upstream' | 'cache'> {
  logs: Omit<ConfigFile['logs'], 'url'>
  plugins: Omit<ConfigFile['plugins'], 'settings' | 'input_guardrails' | 'output_guardrails'>
}

/** Settings of the config file that are compiled for requests. */
interface Compiled {
  /** The client's address, from the peer's address and `x-forwarded-for`. */
  clientAddress(remote: string, forwarded: string | string[] | undefined): string
  streamWindow: WindowSize
  /** Null: configs with `mode: semantic` use exact matches only. */
  semanticCache: SemanticCache | null
}

/** Outgoing connections. */
interface Connections {
  guard: HostCheck
  upstream: UpstreamCalls
  outbound: OutboundCalls
}

/** Providers that can be called by name. */
interface StoredTargets {
  context: CompileContext
  /** Stored credentials as callable targets. */
  storedTargets: ReadonlyMap<string, ResolvedTarget>
  /** Further properties of stored credentials, by slug. */
  storedProviders: ReadonlyMap<string, StoredProvider>
}

/** Configs, saved and inline. */
interface Configs {
  /** Saved configs of the file, by id. */
  configs: ReadonlyMap<string, ConfigNode>
  /**
   * A saved config of the file or of the workspace by slug or id, or a version of it (`SLUG@N`); null when it does
   * not exist.
   */
  findConfig(id: string): Promise<ConfigNode | null>
  /** All saved configs, without their content. */
  listConfigs(): Promise<readonly SavedConfig[]>
  /** The default node for requests without a config. */
  noConfig: ConfigNode
  /** Compiled configs from headers, by their text. */
  inlineConfigs: LRUCache<string, ConfigNode>
  validateConfig: Validator
  context: CompileContext
}

/** Security settings for requests; the workspace's override the organisation's. */
export interface DataPlane {
  allowsConfigOverride: boolean
  blocksInlineConfig: boolean
}

/** Defaults that a request takes from its key (contract section 2). */
export interface KeyDefaults {
  configId: string | null
  /** Whether an unknown config is ignored: a JWT's issuer does not know the stored configs. */
  isConfigOptional?: boolean
  metadata: Readonly<Record<string, string>>
  allowConfigOverride: boolean
  /** Mandatory guardrails of the key. */
  mandatory: MandatoryHooks
}

/** Rules for requests from the caller's organisation, workspace and key. */
interface CallerRules {
  /** Guardrails of every request. */
  mandatory: MandatoryHooks
  /** Restrictions of requests; null if there are no restrictions. */
  dataPlane: DataPlane | null
  defaultsOf(caller: KnownCaller): { keyDefaults: KeyDefaults; workspaceDefaults: KeyDefaults }
  /** The limits and their subjects. */
  limits: LimitTable
}

/** The view that requests get: the configuration of their workspace. */
export interface Workspace extends Compiled, Connections, StoredTargets, Configs, CallerRules {
  readonly file: FileSettings
  /** The parts of a request that are logged in addition to metadata. */
  logs: LogContents
}

export interface Settings extends Workspace {
  /** Whether an address belongs to a trusted proxy, which many clients share. */
  isTrustedProxy(address: string): boolean
  /** The config file's objects, as the management API shows them. */
  documents: readonly StoredDocument[]
  /** Secrets of the objects that services use, by `KIND/ID`. */
  fileSecrets: ReadonlyMap<string, JsonObject>
}
