/** The cost of usage. Per class: its price × its multiplier, otherwise × the default multiplier, otherwise × 1. */
import { type TokenClass, tokenClasses } from '@gateway/contract'
import type { Usage } from '@gateway/contract/dialect'
import type { Multipliers } from '@gateway/domain'
import type { Cost } from '@gateway/flow'
import type { Price, PriceClass, Prices } from './prices.ts'

export const unknownCost: Cost = { cents: 0, isKnown: false }
export const noCost: Cost = { cents: 0, isKnown: true }

/** The image attributes that affect the price. */
export interface ImageAsked {
  quality: string | null
  size: string | null
}

export interface CostOptions {
  multipliers: Multipliers
  /** Fraction of the price to pay: below 1 for a batch. */
  share?: number
  image?: ImageAsked
}

/** Splits the tokens into disjoint classes. */
function eachClass(usage: Usage, tell: (name: PriceClass, tokens: number) => void): void {
  const input = portions(usage.promptTokens)
  const output = portions(usage.completionTokens)
  const cachedAudio = input(usage.cachedAudioTokens)
  const cachedImage = input(usage.cachedImageTokens)
  tell('cache_read_audio_input_token', cachedAudio)
  tell('cache_read_image_input_token', cachedImage)
  tell('cache_read_text_input_token', input(usage.cachedTokens - cachedAudio - cachedImage))
  const writtenHour = input(usage.cacheWriteHourTokens)
  tell('cache_write_hour_token', writtenHour)
  tell('cache_write_text_input_token', input(usage.cacheWriteTokens - writtenHour))
  tell('request_audio_token', input(usage.promptAudioTokens - cachedAudio))
  tell('request_image_token', input(usage.promptImageTokens - cachedImage))
  tell('request_text_token', input(usage.promptTokens))
  tell('reasoning_token', output(usage.reasoningTokens))
  tell('response_audio_token', output(usage.completionAudioTokens))
  tell('response_image_token', output(usage.completionImageTokens))
  tell('prediction_accepted_token', output(usage.acceptedPredictionTokens))
  tell('prediction_rejected_token', output(usage.rejectedPredictionTokens))
  tell('response_text_token', output(usage.completionTokens))
}

/** Splits a total into parts that never exceed it. */
function portions(total: number): (tokens: number) => number {
  let left = total
  return (tokens) => {
    const portion = Math.max(0, Math.min(tokens, left))
    left -= portion
    return portion
  }
}

export function costOf(usage: Usage, prices: Prices, { multipliers, share = 1, image }: CostOptions): Cost {
  let cents = 0
  let isKnown = true
  const images = usage.units?.image ?? 0
  const ofImage = images === 0 ? null : imageRate(prices, multipliers, image)
  const hasTokens = usage.promptTokens + usage.completionTokens > 0
  const charge = (price: number | null, amount: number) => {
    if (price === null) isKnown = false
    else cents += amount * price
  }
  eachClass(usage, (name, tokens) => {
    if (tokens === 0) return
    const named = namedClass(name, prices, multipliers)
    const price = priceOf(named, prices)
    // Some providers report an image's tokens in addition to the image: either may be priced.
    if (price === null && ofImage !== null) return
    const rate = price === null ? null : rateOf(price, usage.promptTokens)
    charge(rate, tokens * multiplierOf(named, multipliers) * share)
  })
  if (prices.units.request !== undefined) charge(prices.units.request, unitMultiplier('request', multipliers))
  for (const [unit, amount] of Object.entries(usage.units ?? {})) {
    if (unit !== 'image') charge(own(prices.units, unit) ?? null, amount * unitMultiplier(unit, multipliers))
    else if (ofImage !== null || !hasTokens) charge(ofImage, amount)
  }
  return { cents, isKnown }
}

const parentOf = (name: PriceClass): TokenClass | null =>
  name === 'cache_write_hour_token' ? 'cache_write_input_token' : tokenClasses[name]

/** The class that tokens count in: the nearest one with a price or multiplier. */
function namedClass(name: PriceClass, prices: Prices, multipliers: Multipliers): PriceClass {
  const parent = parentOf(name)
  const isNamed =
    prices.tokens[name] !== undefined ||
    (name !== 'cache_write_hour_token' && multipliers[name] !== undefined)
  return isNamed || parent === null ? name : namedClass(parent, prices, multipliers)
}

/** The price of the class, or else of the classes that it is part of. */
function priceOf(name: PriceClass, prices: Prices): Price | null {
  const parent = parentOf(name)
  return prices.tokens[name] ?? (parent === null ? null : priceOf(parent, prices))
}

function rateOf(price: Price, promptTokens: number): number {
  if (typeof price === 'number') return price
  let rate = price.base
  for (const tier of price.tiers) if (promptTokens > tier.start) rate = tier.price
  return rate
}

const multiplierOf = (name: PriceClass, multipliers: Multipliers): number =>
  multipliers[name === 'cache_write_hour_token' ? 'cache_write_input_token' : name] ??
  multipliers.default ??
  1

const unitMultiplier = (unit: string, { additional_units = {}, default: other = 1 }: Multipliers): number =>
  own<number>(additional_units, unit) ?? other

/**
 * The price of an image: by quality and size, otherwise the single price among the units, each with its own multiplier.
 */
function imageRate(prices: Prices, multipliers: Multipliers, asked: ImageAsked | undefined): number | null {
  const price = imagePrice(prices, asked)
  if (price !== null) return price * (multipliers.image?.default ?? multipliers.default ?? 1)
  const ofUnit = prices.units.image
  return ofUnit === undefined ? null : ofUnit * unitMultiplier('image', multipliers)
}

/** Looks up a price by quality and size, with `default` for a quality or size without a price. */
function imagePrice({ images }: Prices, asked: ImageAsked | undefined): number | null {
  const ofQuality = own(images, asked?.quality) ?? own(images, 'default')
  if (ofQuality === undefined) return null
  if (typeof ofQuality === 'number') return ofQuality
  return own(ofQuality, asked?.size) ?? own(ofQuality, 'default') ?? null
}

const own = <Value>(
  record: Readonly<Record<string, Value>>,
  name: string | null | undefined,
): Value | undefined => (typeof name === 'string' && Object.hasOwn(record, name) ? record[name] : undefined)
