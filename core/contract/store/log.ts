/**
 * The log of requests: appended in batches, read by keyset, grouped. Entries older than the retention are removed.
 * Errors: `store_unavailable`.
 */
import type { JsonObject } from '../json.ts'

export interface LogEntry {
  id: string
  /** Milliseconds since the epoch. */
  created_at: number
  organisation_id: string
  workspace_id: string | null
  /** Columns that lists and groups filter by, text or number. */
  fields: Readonly<Record<string, string | number | null>>
  /** Everything else of the entry; bodies too when they are kept. */
  data: JsonObject
}

export interface LogFilter {
  organisation_id?: string
  workspace_ids?: readonly string[]
  ids?: readonly string[]
  /** From inclusive, to exclusive; milliseconds since the epoch. */
  from?: number
  to?: number
  /** Any of the values of a field. */
  fields?: Readonly<Record<string, readonly (string | number | null)[]>>
  /** Bounds of a number field, both inclusive. */
  ranges?: Readonly<Record<string, { min?: number; max?: number }>>
}

export interface LogCursor {
  created_at: number
  id: string
}

export interface LogGroup {
  value: string | number | null
  count: number
  /** Of each field that was asked for. */
  sums: Readonly<Record<string, number>>
  first_at: number
  last_at: number
}

export interface Log {
  /** An entry with an id that is there already is skipped, so that a batch can be sent again. */
  append(entries: readonly LogEntry[]): Promise<void>
  /** Newest first, behind the cursor. */
  list(filter: LogFilter, after: LogCursor | null, limit: number): Promise<LogEntry[]>
  count(filter: LogFilter): Promise<number>
  /** By one field; the largest groups first. */
  group(filter: LogFilter, field: string, sums: readonly string[], limit: number): Promise<LogGroup[]>
  /** Removes entries from before a time, of one organisation or of all; gives their number, at most `limit`. */
  prune(before: number, limit: number, organisationId?: string): Promise<number>
}
