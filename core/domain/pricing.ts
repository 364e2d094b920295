/**
 * Custom prices from `pricing_config` and `pricing_adjustments` of the config file and the management API (management
 * contract, section 11), in US cents per token or unit. A class without a price or multiplier counts as its parent
 * class.
 */
import type {
  ListedPart,
  PayAsYouGo,
  PricedUnit,
  PricePart,
  PricingConfig,
  TokenClass,
} from '@gateway/contract'
import { pricedUnits, tokenClasses } from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'
import type { IntegrationModel, Multipliers } from './entities/index.ts'

const closed = { additionalProperties: false } as const
const factor = Type.Number({ minimum: 0 })
const price = Type.Object({ price: factor }, closed)
const ofEachClass = (schema: TSchema) =>
  Object.fromEntries(Object.keys(tokenClasses).map((name) => [name, Type.Optional(schema)]))

/** A schema with a member for each unit that is counted; a price for any other unit would never apply. */
const ofEachUnit = (schema: TSchema) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(pricedUnits).map(([name, description]) => [
        name,
        Type.Optional({ ...schema, description } as TSchema),
      ]),
    ),
    closed,
  )

/** Prices of images: under `default`, by quality, or by quality and size. */
const images = Type.Record(Type.String(), Type.Union([price, Type.Record(Type.String(), price)]))

const payAsYouGo = Type.Object(
  {
    ...ofEachClass(price),
    image: Type.Optional(images),
    additional_units: Type.Optional(ofEachUnit(price)),
  },
  closed,
)

/** The complete prices of a model; the price list is not consulted. */
export const pricingConfigSchema = Type.Object(
  {
    type: Type.Optional(Type.Literal('static')),
    pay_as_you_go: payAsYouGo,
    /** Batch prices; half by default. */
    batch_config: Type.Optional(payAsYouGo),
    currency: Type.Optional(Type.Literal('USD')),
  },
  closed,
)

export const pricingAdjustmentsSchema = Type.Object(
  {
    multiplier: Type.Object(
      {
        default: Type.Optional(factor),
        ...ofEachClass(factor),
        image: Type.Optional(Type.Object({ default: Type.Optional(factor) }, closed)),
        additional_units: Type.Optional(ofEachUnit(factor)),
      },
      closed,
    ),
  },
  closed,
)

/** The source of a model's price. */
interface PricedModel {
  /** The operator's price; null: from the price list. */
  config: PricingConfig | null
  /** Names to look up in a price list, most likely first. */
  names: readonly string[]
}

/** A model without its own price has that of its base model. @param declared the model's settings */
export function pricedModel(
  slug: string,
  declared: (slug: string) => IntegrationModel | undefined,
): PricedModel {
  const model = declared(slug)
  const base = model?.base_model_slug ?? null
  const own = model?.pricing_config ?? null
  if (own !== null || model === undefined || base === null) return { config: own, names: [slug] }
  const config = declared(base)?.pricing_config ?? null
  // Price lists include fine-tuned models, but not custom models.
  return { config, names: model.is_finetune ? [slug, base] : [base, slug] }
}

/** Prices as charged: each class with a price or multiplier, multiplied. */
export function adjustedPrices(prices: PayAsYouGo, multipliers: Multipliers): PayAsYouGo {
  const { default: other = 1 } = multipliers
  const by = (part: PricePart, factor: number): PricePart => ({ price: part.price * factor })
  const { image, additional_units: units, ...classes } = prices
  const byTier = ({ tiers, ...part }: ListedPart, factor: number): ListedPart => ({
    ...by(part, factor),
    ...(tiers === undefined ? {} : { tiers: tiers.map((tier) => ({ ...tier, price: tier.price * factor })) }),
  })
  const priceOf = (name: TokenClass): ListedPart | undefined => {
    const parent = tokenClasses[name]
    return classes[name] ?? (parent === null ? undefined : priceOf(parent))
  }
  const adjusted: PayAsYouGo = {}
  for (const name of Object.keys(tokenClasses) as TokenClass[]) {
    const part = priceOf(name)
    const isNamed = classes[name] !== undefined || multipliers[name] !== undefined
    if (part !== undefined && isNamed) adjusted[name] = byTier(part, multipliers[name] ?? other)
  }
  if (image !== undefined) {
    const factor = multipliers.image?.default ?? other
    adjusted.image = mapParts(image, (part) =>
      isPart(part) ? by(part, factor) : mapParts(part, (one) => by(one, factor)),
    )
  }
  if (units !== undefined) {
    adjusted.additional_units = mapParts(units, (part, unit) =>
      by(part, multipliers.additional_units?.[unit as PricedUnit] ?? other),
    )
  }
  return adjusted
}

/** Whether it is a single price instead of a table. */
export const isPart = (part: object): part is PricePart => 'price' in part && typeof part.price === 'number'

const mapParts = <Part, Made>(
  parts: Readonly<Record<string, Part>>,
  make: (part: Part, name: string) => Made,
): Record<string, Made> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, make(part, name)]))
