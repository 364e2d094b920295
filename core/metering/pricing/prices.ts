/** The prices of a model from any source, in US cents per token or unit. Custom prices are converted to this form. */
import type { PayAsYouGo, PricingConfig, TokenClass } from '@gateway/contract'
import { isPart, type Multipliers, pricedModel } from '@gateway/domain'
import type { StoredProvider } from '@gateway/flow'

/**
 * A price, or tiers by input size: the whole call has the price of the last tier whose `start` its input tokens exceed.
 */
export type Price = number | { base: number; tiers: readonly { start: number; price: number }[] }

/** One-hour cache writes have a separate price in lists, but share the multiplier of other cache writes. */
export type PriceClass = TokenClass | 'cache_write_hour_token'

/** Classes without a price here or in a parent class have no known price. */
export interface Prices {
  tokens: Readonly<Partial<Record<PriceClass, Price>>>
  /** Prices by the unit's name, such as `web_search`. */
  units: Readonly<Record<string, number>>
  /** Prices of images by quality and size; `default` covers all others. */
  images: Readonly<Record<string, number | Readonly<Record<string, number>>>>
}

/** The operator's settings of a model's price. */
export interface PricingRules {
  /** The operator's price; null to use the price list's. */
  prices: Prices | null
  batchPrices: Prices | null
  multipliers: Multipliers
}

export const noMultipliers: Multipliers = {}

/** The pricing rules of a model, or null. The model's multipliers replace those of its integration whole. */
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

/** The pricing of one model. */
interface ModelRules {
  /** Null when only the price list applies. */
  rules: PricingRules | null
  /** Names to look up in the price list, most likely first. */
  names: readonly string[]
}

/** For a model without operator settings. */
export const noRules = (model: string | null): ModelRules => ({
  rules: null,
  names: model === null ? [] : [model],
})

const compiled = new WeakMap<StoredProvider, Map<string, ModelRules>>()
const nothing = ''

/** The operator's prices of a stored credential's model, compiled on first use. */
export function rulesOf(stored: StoredProvider, model: string | null): ModelRules {
  const ofProvider = compiled.get(stored) ?? new Map<string, ModelRules>()
  compiled.set(stored, ofProvider)
  const isDeclared = model !== null && stored.models.has(model)
  // Models that the integration does not list share the integration's rules.
  const key = isDeclared ? model : nothing
  const known = ofProvider.get(key) ?? compile(stored, key)
  ofProvider.set(key, known)
  return isDeclared ? known : { ...noRules(model), rules: known.rules }
}

function compile(stored: StoredProvider, slug: string): ModelRules {
  const find = (name: string) => stored.models.get(name)
  const { config, names } = pricedModel(slug, find)
  const ofModel = find(slug)?.pricing_adjustments?.multiplier ?? null
  return {
    rules: pricingRules(config, ofModel, stored.pricingAdjustments?.multiplier ?? null),
    names: slug === nothing ? [] : names,
  }
}
