/**
 * What a provider tells of its usage and the compatible format has no place for, noted on the `usage` object that a
 * dialect makes: it counts for the price of the call, and no caller sees it.
 */
import type { JsonObject } from './json.ts'

export interface UsageNote {
  /** Input tokens that were written to a cache; and of those, for an hour. */
  cacheWriteTokens?: number
  cacheWriteHourTokens?: number
  /** Tokens of images, of the input and of the output. */
  promptImageTokens?: number
  completionImageTokens?: number
  /** Searches of the web that the provider made. */
  webSearches?: number
}

/** The same in every copy of this package. */
const mark = Symbol.for('gateway.usage-note')

/** The same object, with a note that is in no JSON. */
export function noteUsage(usage: JsonObject, note: UsageNote): JsonObject {
  return Object.defineProperty(usage, mark, { value: note, configurable: true })
}

/** Null when nothing was noted. */
export function usageNoteOf(usage: JsonObject): UsageNote | null {
  return (usage as { [mark]?: UsageNote })[mark] ?? null
}
