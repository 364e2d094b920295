/** What a model costs, whoever says so: US cents a token or a unit. Prices of one's own become the same form. */
import type { PayAsYouGo, PricingConfig, TokenClass } from '@gateway/contract'
import { isPart, type Multipliers } from '../../domain/index.ts'

/** With tiers the whole call is priced by its input: from above `start` tokens on, with that tier's price. */
export type Price = number | { base: number; tiers: readonly { start: number; price: number }[] }

/** Writes to a cache that keeps for an hour have a price of their own in lists, and share the multiplier of the others. */
export type PriceClass = TokenClass | 'cache_write_hour_token'

/** What is named neither here nor by a parent is not known, whoever says the prices. */
export interface Prices {
  tokens: Readonly<Partial<Record<PriceClass, Price>>>
  /** By the unit's name, such as `web_search`. */
  units: Readonly<Record<string, number>>
  /** By quality and size; `default` stands for every other one. */
  images: Readonly<Record<string, number | Readonly<Record<string, number>>>>
}

/** What the operator says of a model's price. */
export interface PricingRules {
  /** Null: the price list's. */
  prices: Prices | null
  batchPrices: Prices | null
  multipliers: Multipliers
}

export const noMultipliers: Multipliers = {}

/** The rules of a model; null when there are none. The model's multipliers replace those of its integration whole. */
export function pricingRules(
  config: PricingConfig | null,
  ofModel: Multipliers | null,
  ofIntegration: Multipliers | null,
): PricingRules | null {
  const multipliers = ofModel ?? ofIntegration
  if (config === null && multipliers === null) return null
  return {
    prices: config === null ? null : ownPrices(config.pay_as_you_go),
    batchPrices: config?.batch_config === undefined ? null : ownPrices(config.batch_config),
    multipliers: multipliers ?? noMultipliers,
  }
}

function ownPrices({ image = {}, additional_units = {}, ...classes }: PayAsYouGo): Prices {
  const tokens: Partial<Record<PriceClass, Price>> = {}
  for (const [name, part] of Object.entries(classes)) tokens[name as TokenClass] = part.price
  return {
    tokens,
    units: flat(additional_units),
    images: Object.fromEntries(
      Object.entries(image).map(([quality, part]): [string, Prices['images'][string]] => [
        quality,
        isPart(part) ? part.price : flat(part),
      ]),
    ),
  }
}

const flat = (parts: Readonly<Record<string, { price: number }>>): Record<string, number> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.price]))
