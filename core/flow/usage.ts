/** What a call used, by the classes that prices tell apart. The counts that say "of these" are parts of the two totals. */

export interface Usage {
  /** All input tokens. */
  promptTokens: number
  /** All output tokens. */
  completionTokens: number
  /** Of these inputs, read from a cache; of those, audio and images. */
  cachedTokens: number
  cachedAudioTokens: number
  cachedImageTokens: number
  /** Of the input, written to a cache; of those, for an hour. */
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
  /** What is counted by other units: those of `pricedUnits`; null: nothing. */
  units: Readonly<Record<string, number>> | null
}

/** What a call cost. */
export interface Cost {
  /** US cents; what has no price counts 0. */
  cents: number
  /** Whether everything that was used has a price. */
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
