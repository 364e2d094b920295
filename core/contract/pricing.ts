/** Model prices as in documents and price lists: US cents per token or unit. */

/** Token classes, each with the parent class whose price applies when the class has none. */
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

/** Usage counted in units other than tokens, and the unit. */
export const pricedUnits = {
  request: 'A call.',
  web_search: 'A web search by the provider.',
  file_search: 'A file search by the provider.',
  rerank_search: 'A search unit of a rerank call.',
  audio_second: 'A second of transcribed audio.',
  image: 'A generated image, of any quality and size.',
} as const

export type PricedUnit = keyof typeof pricedUnits

export type PricePart = {
  /** US cents. */
  price: number
}

/** A price of a list; it may depend on the input size. */
export type ListedPart = PricePart & {
  /** The last tier that an input exceeds prices the whole call. */
  tiers?: { above_input_tokens: number; price: number }[]
}

/** Prices under `default`, by quality, or by quality and size. */
export type ImagePrices = Record<string, PricePart | Record<string, PricePart>>

export type PayAsYouGo = { [Name in TokenClass]?: ListedPart } & {
  image?: ImagePrices
  additional_units?: { [Unit in PricedUnit]?: PricePart }
}

export type PricingConfig = {
  type?: 'static'
  pay_as_you_go: PayAsYouGo
  batch_config?: PayAsYouGo
  currency?: 'USD'
}

/** Prices of the public list. */
export type ListedPricing = PricingConfig & {
  /** Start of validity, in ISO 8601; null if the prices never changed. */
  effective_from: string | null
}
