/** What configs are compiled against; one per running configuration. */

import type { ProviderSettings } from '@gateway/contract'
import type { HookContext } from '../guardrails/compile.ts'
import type { HostRules } from './own-identity.ts'

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
