/** What the operator says of the prices of a stored credential's models: compiled when it is first asked for. */

import { pricedModel } from '../../domain/index.ts'
import type { StoredProvider } from '../../flow/stored-provider.ts'
import { type PricingRules, pricingRules } from './prices.ts'

/** What is said of one model. */
export interface ModelRules {
  /** Null where the price list alone decides. */
  rules: PricingRules | null
  /** The names by which the price list is asked, the likeliest first. */
  names: readonly string[]
}

export const noRules = (model: string | null): ModelRules => ({
  rules: null,
  names: model === null ? [] : [model],
})

const compiled = new WeakMap<StoredProvider, Map<string, ModelRules>>()
const nothing = ''

export function rulesOf(stored: StoredProvider, model: string | null): ModelRules {
  const ofProvider = compiled.get(stored) ?? new Map<string, ModelRules>()
  compiled.set(stored, ofProvider)
  const isDeclared = model !== null && stored.models.has(model)
  // Models that are not listed share the rules of their integration.
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
