/** The usage of a call, by price class. Counts marked "of these" are parts of the two totals. */

export interface Usage {
  /** All input tokens. */
  promptTokens: number
  /** All output tokens. */
  completionTokens: number
  /** Of these inputs, read from a cache; of those, audio and images. */
  cachedTokens: number
  cachedAudioTokens: number
  cachedImageTokens: number
  /** Input tokens written to a cache; of these, with a one-hour lifetime. */
  cacheWriteTokens: number
  cacheWriteHourTokens: number
  /** Of the input, cached or not. */
  promptAudioTokens: number
  promptImageTokens: number
  /** Of the output. */
  reasoningTokens: number
  completionAudioTokens: number
  completionImageTokens: number
  acceptedPredictionTokens: number
  rejectedPredictionTokens: number
  /** Usage in other units, see `pricedUnits`; null: none. */
  units: Readonly<Record<string, number>> | null
}

/** The cost of a call. */
export interface Cost {
  /** US cents; usage without a price counts as 0. */
  cents: number
  /** Whether all usage has a price. */
  isKnown: boolean
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
