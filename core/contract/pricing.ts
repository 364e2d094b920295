/**
 * Prices of one's own, as `pricing_config` and `pricing_adjustments` of the config file and the management API write
 * them (management contract, section 11): US cents, a token or a unit. A class that neither a price nor a multiplier
 * names is counted in its parent's.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox'

/** Each class of tokens, and the one in which it is counted where nobody names it. */
export const tokenClasses = {
  request_token: null,
  response_token: null,
  cache_read_input_token: 'request_token',
  cache_write_input_token: 'request_token',
  cache_read_audio_input_token: 'cache_read_input_token',
  request_audio_token: 'request_token',
  response_audio_token: 'response_token',
  reasoning_token: 'response_token',
  prediction_accepted_token: 'response_token',
  prediction_rejected_token: 'response_token',
  request_text_token: 'request_token',
  response_text_token: 'response_token',
  request_image_token: 'request_token',
  response_image_token: 'response_token',
  cache_read_text_input_token: 'cache_read_input_token',
  cache_write_text_input_token: 'cache_write_input_token',
  cache_read_image_input_token: 'cache_read_input_token',
  cache_write_image_input_token: 'cache_write_input_token',
} as const

export type TokenClass = keyof typeof tokenClasses

const closed = { additionalProperties: false } as const
const factor = Type.Number({ minimum: 0 })
const price = Type.Object({ price: factor }, closed)
const ofEachClass = (schema: TSchema) =>
  Object.fromEntries(Object.keys(tokenClasses).map((name) => [name, Type.Optional(schema)]))

/** Prices of images: `default`, or by quality, or by quality and size. */
const images = Type.Record(Type.String(), Type.Union([price, Type.Record(Type.String(), price)]))

const payAsYouGo = Type.Object(
  {
    ...ofEachClass(price),
    image: Type.Optional(images),
    additional_units: Type.Optional(Type.Record(Type.String(), price)),
  },
  closed,
)

/** The prices of a model, whole: nothing is looked up beside them. */
export const pricingConfigSchema = Type.Object(
  {
    type: Type.Optional(Type.Literal('static')),
    pay_as_you_go: payAsYouGo,
    /** What a batch pays; by default half. */
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
        additional_units: Type.Optional(Type.Record(Type.String(), factor)),
      },
      closed,
    ),
  },
  closed,
)

export interface PricePart {
  /** US cents. */
  price: number
}

type Images = Static<typeof images>

export type PayAsYouGo = { [Name in TokenClass]?: PricePart } & {
  image?: Images
  additional_units?: Record<string, PricePart>
}

export interface PricingConfig {
  type?: 'static'
  pay_as_you_go: PayAsYouGo
  batch_config?: PayAsYouGo
  currency?: 'USD'
}

export type Multipliers = { [Name in TokenClass]?: number } & {
  default?: number
  image?: { default?: number }
  additional_units?: Record<string, number>
}
