/** What configs are compiled against; one per running configuration. */

import type { ProviderSettings } from '@gateway/contract'
import type { HookContext } from '../guardrails/compile.ts'

export interface CompileContext extends HookContext {
  /** Stored credentials by slug. */
  credentials: ReadonlyMap<string, ProviderSettings>
  checkUrl: (url: string) => string | null
  /** Prefixes of the gateway's own headers. */
  headerPrefixes: readonly string[]
  /** Whether the configs are saved ones: then their credentials are the gateway's, not the caller's. */
  isSaved: boolean
  /** Hash of what configs refer to (guardrails, credentials): the same in every process with the same file. */
  version: string
}
