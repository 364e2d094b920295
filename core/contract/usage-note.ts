/**
 * Usage details that the compatible format cannot express, attached to the `usage` object that a dialect creates: they
 * count for the price of the call and are invisible to callers.
 */
import type { JsonObject } from './json.ts'

export interface UsageNote {
  /** Input tokens written to a cache, and how many of them for an hour. */
  cacheWriteTokens?: number
  cacheWriteHourTokens?: number
  /** Image tokens of input and output. */
  promptImageTokens?: number
  completionImageTokens?: number
  /** Web searches by the provider. */
  webSearches?: number
}

/** Shared by all copies of this package. */
const mark = Symbol.for('gateway.usage-note')

/** The same object, with a note that is not serialized. */
export function noteUsage(usage: JsonObject, note: UsageNote): JsonObject {
  return Object.defineProperty(usage, mark, { value: note, configurable: true })
}

/** The note of a `usage` object; null if it has none. */
export function usageNoteOf(usage: JsonObject): UsageNote | null {
  return (usage as { [mark]?: UsageNote })[mark] ?? null
}
