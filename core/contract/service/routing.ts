/** What the gateway says of routing without calling anything. */
import type { JsonObject } from '../json.ts'

/** A request that is described and not run. */
export interface DryRunCall {
  /** The path of an inference route, or the id of its endpoint. */
  endpoint: string
  method: string
  /** As the call would send them, the gateway's own included, lower-case names; the credential is that of the caller. */
  headers: Readonly<Record<string, string>>
  body: JsonObject
}

/** What would happen to a request, as `POST /dry-run` answers it; the config in it is left to the service. */
export interface DryRun {
  valid: boolean
  answer: JsonObject
  /** Id of the saved config that would route it, or the text of an inline one; null: none. */
  config: { savedId: string; version: number | null } | { inline: string } | null
}

/** A target that has a circuit breaker, and what that knows of it. */
export interface TargetHealth {
  /** The same in every process. */
  id: string
  provider: string
  /** Slug of the stored credential; null for a credential of a caller's own. */
  virtualKey: string | null
  model: string
  hostKind: 'stored' | 'default' | 'custom'
  state: 'closed' | 'open' | 'half_open'
  /** Those that count now, or that opened it. */
  failures: number
  /** Milliseconds since the epoch; null where it is closed, or does not wait. */
  openedAt: number | null
  retryAt: number | null
  /** Of the last answer of the target itself to this process. */
  lastStatus: number | null
}
