/** A shadow's answer, together with the answer that the caller received. */
import type { JsonObject } from '../json.ts'
import type { LogEntry } from '../store.ts'

export interface ShadowedRequest {
  /** The saved config that declares the shadow; null for a config that came with its request. */
  config: { id: string; slug: string } | null
  /** The path of the node that declares it. */
  path: string
  /** The other config, as it was written, with its secrets. */
  shadow: string | JsonObject
  samplePercent: number
  /** USD; null: unlimited. */
  budgetPerDay: number | null
  /** The log entries of the caller's request and of the shadow. */
  baseline: LogEntry
  candidate: LogEntry
}
