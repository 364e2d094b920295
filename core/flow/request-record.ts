/** What the log keeps of a request beside its exchange: notes of stages, one for all forks. */
import type { JsonObject, LogFields } from '@gateway/contract'

export interface RequestRecord {
  /** The body as it was read; written by `parse`. */
  asked: JsonObject | null
  /** The body as input hooks changed it last; null when none did. Written by `guardrails-in`. */
  changed: JsonObject | null
  /** The answer before output hooks changed it; null when none did. Written by the output checks. */
  original: JsonObject | null
  /** Written by `respond`. */
  head: { status: number; headers: Readonly<Record<string, string>> } | null
  /** What went out of a stream, up to a bound; null where no bodies are kept. Written by `respond`. */
  chunks: Buffer[] | null
  /** Of a cache hit: what the stored answer cost in cents, as far as it is known. Written by `cache`. */
  savedCost: (() => number | null) | null
  /** What stages say of the entry's own columns; it counts before everything else. */
  fields: Partial<LogFields>
}

export const createRequestRecord = (): RequestRecord => ({
  asked: null,
  changed: null,
  original: null,
  head: null,
  chunks: null,
  savedCost: null,
  fields: {},
})
