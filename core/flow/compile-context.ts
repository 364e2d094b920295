/** What configs and hooks are compiled against; one per running configuration. */

import type { Fault, JsonObject, Phase, ProviderSettings } from '@gateway/contract'
import type { Guardrail, Hook } from '../domain/hooks.ts'
import type { CompiledHook } from './hook-result.ts'
import type { Registry } from './registry.ts'

/** What hooks are compiled against. */
export interface HookContext {
  registry: Registry
  /** Saved guardrails by id. */
  guardrails: Readonly<Record<string, Guardrail>>
  pluginSettings: Readonly<Record<string, JsonObject>>
  /** `plugins.fail_closed`. */
  failClosed: boolean
  /** Whether a URL's host is listed in `security.trusted_hosts` by its address. */
  isTrusted: (url: string) => boolean
  /**
   * Why a URL may not be called, or null: URLs among the parameters of checks that are saved are held to it when they
   * are written. Absent where they are only used.
   */
  writtenUrls?: (url: string) => string | null
  compileHooks: CompileHooks
}

/** Compiles the hooks of one phase, mutators first; faults are added to `faults` with their paths. */
type CompileHooks = (
  items: readonly (string | Guardrail | Hook)[],
  phase: Phase,
  param: string,
  context: HookContext,
  faults: Fault[],
) => CompiledHook[]

/** What a configuration says of the hosts that may be called. */
export interface HostRules {
  /** Why a URL may not be called, or null. */
  checkUrl: (url: string) => string | null
  /** Whether a URL's host is listed in `security.trusted_hosts` by its address. */
  isTrusted: (url: string) => boolean
}

export interface CompileContext extends HookContext, HostRules {
  /** Stored credentials by slug. */
  credentials: ReadonlyMap<string, ProviderSettings>
  /** Prefixes of the gateway's own headers. */
  headerPrefixes: readonly string[]
  /** Whether the configs are saved ones: then their credentials are the gateway's, not the caller's. */
  isSaved: boolean
  /** Hash of what configs refer to (guardrails, credentials): the same in every process with the same file. */
  version: string
}
