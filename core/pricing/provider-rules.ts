/** What the operator says of the prices of a stored credential's models: compiled when it is first asked for. */
import type { StoredProvider } from '../config/stored-provider.ts'
import type { IntegrationModel, JsonObject, Multipliers, PricingConfig } from '../contract/index.ts'
import { type PricingRules, pricingRules } from './prices.ts'

const compiled = new WeakMap<StoredProvider, Map<string, PricingRules | null>>()
const nothing = ''

/** Null where the price list alone decides. */
export function rulesOf(stored: StoredProvider, model: string | null): PricingRules | null {
  const ofProvider = compiled.get(stored) ?? new Map<string, PricingRules | null>()
  compiled.set(stored, ofProvider)
  const declared = model === null ? undefined : stored.models.get(model)
  // Models that are not listed share the rules of their integration.
  const key = declared === undefined ? nothing : declared.slug
  const known = ofProvider.get(key)
  if (known !== undefined) return known
  const rules = compile(declared, stored.pricingAdjustments)
  ofProvider.set(key, rules)
  return rules
}

function compile(model: IntegrationModel | undefined, ofIntegration: JsonObject | null): PricingRules | null {
  // Both were checked against their schemas when they were written.
  const config = (model?.pricing_config ?? null) as unknown as PricingConfig | null
  return pricingRules(config, multipliersOf(model?.pricing_adjustments), multipliersOf(ofIntegration))
}

const multipliersOf = (adjustments: object | null | undefined): Multipliers | null =>
  ((adjustments as { multiplier?: Multipliers } | null | undefined)?.multiplier ?? null) as Multipliers | null
