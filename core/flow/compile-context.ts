/** The context for compiling configs and hooks; one per running configuration. */

import type { Fault, JsonObject, Phase, ProviderSettings } from '@gateway/contract'
import type { Guardrail, Hook } from '@gateway/domain'
import type { CompiledHook } from './hook-result.ts'
import type { Registry } from './registry.ts'

/** The context for compiling hooks. */
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
   * The reason why a URL may not be called, or null. Applied to URLs in check parameters when a guardrail is saved;
   * absent when it is only used.
   */
  writtenUrls?: (url: string) => string | null
  compileHooks: CompileHooks
}

interface CompileHooksOptions {
  param: string
  context: HookContext
  faults: Fault[]
}

/** Compiles the hooks of one phase, mutators first; errors are added to `faults` with their paths. */
type CompileHooks = (
  items: readonly (string | Guardrail | Hook)[],
  phase: Phase,
  options: CompileHooksOptions,
) => CompiledHook[]

/** A configuration's rules for callable hosts. */
export interface HostRules {
  /** The reason why a URL may not be called, or null. */
  checkUrl: (url: string) => string | null
  /** Whether a URL's host is listed in `security.trusted_hosts` by its address. */
  isTrusted: (url: string) => boolean
}

export interface CompileContext extends HookContext, HostRules {
  /** Stored credentials by slug. */
  credentials: ReadonlyMap<string, ProviderSettings>
  /** Prefixes of the gateway's own headers. */
  headerPrefixes: readonly string[]
  /** Whether the configs are saved ones, whose credentials belong to the gateway, not to the caller. */
  isSaved: boolean
  /** Hash of the objects that configs refer to (guardrails, credentials); equal in every process with the same file. */
  version: string
}
