/**
 * The usage of a call, by price class. All further counts are parts of the two totals. The formats' names are in the section
 * "usage" of each format's reference.
 * References: https://platform.openai.com/docs/api-reference/chat/object,
 * https://platform.openai.com/docs/api-reference/responses/object,
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
import { isObject, type Json, type JsonObject } from '../json.ts'

export interface Usage {
  /** All input tokens. */
  promptTokens: number
  /** All output tokens. */
  completionTokens: number
  /** Input tokens read from a cache, and how many of these are audio and image tokens. */
  cachedTokens: number
  cachedAudioTokens: number
  cachedImageTokens: number
  /** Input tokens written to a cache, and how many of these have a one-hour lifetime. */
  cacheWriteTokens: number
  cacheWriteHourTokens: number
  /** Audio and image tokens of the input, cached or not. */
  promptAudioTokens: number
  promptImageTokens: number
  /** Reasoning and audio tokens of the output. */
  reasoningTokens: number
  completionAudioTokens: number
  completionImageTokens: number
  acceptedPredictionTokens: number
  rejectedPredictionTokens: number
  /** Usage in other units, see `pricedUnits`, or null. */
  units: Readonly<Record<string, number>> | null
}

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cachedAudioTokens: 0,
  cachedImageTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  promptAudioTokens: 0,
  promptImageTokens: 0,
  reasoningTokens: 0,
  completionAudioTokens: 0,
  completionImageTokens: 0,
  acceptedPredictionTokens: 0,
  rejectedPredictionTokens: 0,
  units: null,
}

/** A number of tokens; 0 if invalid. */
export const count = (value: Json | undefined): number =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : 0

const first = (...values: (Json | undefined)[]): number =>
  count(values.find((value) => typeof value === 'number'))

const member = (object: JsonObject, ...names: string[]): JsonObject => {
  for (const name of names) {
    const value = object[name]
    if (isObject(value)) return value
  }
  return {}
}

/** Further names that providers use for cached input tokens. */
export const cachedNames = ['prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens'] as const

const ownCachedNames = ['cache_read_input_tokens', ...cachedNames] as const
const inputDetails = [
  'prompt_tokens_details',
  'input_tokens_details',
  'input_token_details',
  'prompt_token_details',
] as const

/** Input tokens read from a cache, under any provider's name; null if not reported. */
export function cachedTokensOf(usage: JsonObject): number | null {
  for (const name of inputDetails) {
    const details = usage[name]
    if (isObject(details) && typeof details.cached_tokens === 'number') return count(details.cached_tokens)
  }
  const named = ownCachedNames.find((name) => typeof usage[name] === 'number')
  return named === undefined ? null : count(usage[named])
}

/**
 * Usage details that the compatible format cannot express, attached to the `usage` object that a dialect creates: they
 * count for the price of the call and are invisible to callers.
 */
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

/** Reads a `usage` object whose totals include all parts, with any of the formats' names. */
export function readUsage(usage: JsonObject): Usage {
  const input = member(usage, 'prompt_tokens_details', 'input_tokens_details', 'input_token_details')
  const output = member(usage, 'completion_tokens_details', 'output_tokens_details', 'output_token_details')
  const cached = member(input, 'cached_tokens_details')
  const note = usageNoteOf(usage)
  return {
    promptTokens: first(usage.prompt_tokens, usage.input_tokens),
    completionTokens: first(usage.completion_tokens, usage.output_tokens),
    cachedTokens: cachedTokensOf(usage) ?? 0,
    cachedAudioTokens: count(cached.audio_tokens),
    cachedImageTokens: count(cached.image_tokens),
    ...cacheWrites(usage, input),
    promptAudioTokens: count(input.audio_tokens),
    promptImageTokens: note?.promptImageTokens ?? count(input.image_tokens),
    reasoningTokens: first(output.reasoning_tokens, output.thinking_tokens),
    completionAudioTokens: count(output.audio_tokens),
    completionImageTokens: note?.completionImageTokens ?? count(output.image_tokens),
    acceptedPredictionTokens: count(output.accepted_prediction_tokens),
    rejectedPredictionTokens: count(output.rejected_prediction_tokens),
    units: readUnits(usage),
  }
}

/** Cache writes come from the attached note, because the format cannot express them. */
function cacheWrites(
  usage: JsonObject,
  input: JsonObject,
): Pick<Usage, 'cacheWriteTokens' | 'cacheWriteHourTokens'> {
  const note = usageNoteOf(usage)
  const created = member(usage, 'cache_creation')
  return {
    cacheWriteTokens:
      note?.cacheWriteTokens ??
      first(usage.cache_creation_input_tokens, input.cache_write_tokens, input.cache_creation_tokens),
    cacheWriteHourTokens: note?.cacheWriteHourTokens ?? count(created.ephemeral_1h_input_tokens),
  }
}

/** The units in a usage object: searches by the provider, search units of rerank, and seconds of audio. */
function readUnits(usage: JsonObject): Usage['units'] {
  const searches =
    usageNoteOf(usage)?.webSearches ?? count(member(usage, 'server_tool_use').web_search_requests)
  const seconds = usage.type === 'duration' ? count(usage.seconds) : 0
  const rerankSearches = count(usage.search_units)
  if (searches + rerankSearches + seconds === 0) return null
  return {
    ...(searches > 0 ? { web_search: searches } : {}),
    ...(rerankSearches > 0 ? { rerank_search: rerankSearches } : {}),
    ...(seconds > 0 ? { audio_second: seconds } : {}),
  }
}

/** Adds amounts of other units to a usage. */
export function withUnits(usage: Usage, units: Readonly<Record<string, number>>): Usage {
  const sum: Record<string, number> = { ...usage.units }
  for (const [name, amount] of Object.entries(units)) if (amount > 0) sum[name] = (sum[name] ?? 0) + amount
  return { ...usage, units: Object.keys(sum).length === 0 ? null : sum }
}

/** The sum of two usages. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum = { ...one }
  for (const name of Object.keys(noUsage) as (keyof Usage)[]) {
    if (name !== 'units') sum[name] = one[name] + other[name]
  }
  return other.units === null ? sum : withUnits(sum, other.units)
}
