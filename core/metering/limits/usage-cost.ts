/**
 * Usage and cost of attempts: as reported by their providers, otherwise estimated from their bodies. Attempts that
 * failed before any output count nothing. A stream that was cut off before its usage was reported counts its sent part
 * (management contract, section 16).
 */

import { isObject, type Json, type JsonObject, type TextPart } from '@gateway/contract'
import { addUsage, noUsage, type Usage } from '@gateway/contract/dialect'
import {
  type Attempt,
  type Ended,
  type Endpoint,
  type Ledger,
  lastAttempt,
  type UsageCost,
} from '@gateway/flow'
import { type ImageAsked, noCost } from '../pricing/cost.ts'
import { listNameOf, type Priced, priceOf } from '../pricing/price.ts'
import { rulesOf } from '../pricing/prices.ts'

export type { UsageCost } from '@gateway/flow'

export const noUsageCost: UsageCost = { usage: noUsage, cost: noCost, isEstimate: false }

/** The members of a request, in any phase, that determine its price. */
type Spending = Pick<Ended, 'workspace' | 'transport' | 'request'>

/** The source of an attempt's price. */
export function pricedOf(
  { workspace }: Pick<Spending, 'workspace'>,
  { target, body, answeredModel }: Pick<Attempt, 'target' | 'body' | 'answeredModel'>,
): Priced {
  const { adapter, slug } = target
  const asked = typeof body.model === 'string' ? body.model : null
  const stored = slug === null ? undefined : workspace.storedProviders.get(slug)
  const ofModel = stored === undefined || stored.isPlain ? null : rulesOf(stored, asked)
  const names = ofModel?.names ?? (asked === null ? [] : [asked])
  return {
    listName: listNameOf(adapter),
    models: answeredModel === null ? names : [...names, answeredModel],
    rules: ofModel?.rules ?? null,
  }
}

/** The cost of a request's attempts so far, in cents. */
export const centsOf = (exchange: Spending): number =>
  usageCostOf(exchange, exchange.request.ledger.attempts, Date.now()).cost.cents

/** The usage and cost of these attempts so far. */
export function usageCostOf(exchange: Spending, attempts: readonly Attempt[], nowMs: number): UsageCost {
  let sum = noUsageCost
  for (const each of attempts) {
    const own = costOfAttempt(exchange, each, nowMs)
    if (own !== noUsageCost) sum = sum === noUsageCost ? own : add(sum, own)
  }
  return sum
}

const add = (one: UsageCost, other: UsageCost): UsageCost => ({
  usage: addUsage(one.usage, other.usage),
  cost: {
    cents: one.cost.cents + other.cost.cents,
    isKnown: one.cost.isKnown && other.cost.isKnown,
  },
  isEstimate: one.isEstimate || other.isEstimate,
})

/** Reported usage is priced once, because limits, metrics and the log all need it. */
function costOfAttempt(exchange: Spending, each: Attempt, nowMs: number): UsageCost {
  if (each.outcome === 'nothing') return noUsageCost
  const usage = usageOfAttempt(exchange, each)
  if (usage === noUsage) return noUsageCost
  const { ledger } = exchange.request
  const isReported = usage === each.usage
  if (isReported && ledger.usageCost?.of === each && ledger.usageCost.usage === usage)
    return ledger.usageCost.cost
  const priced = priceOf(pricedOf(exchange, each), usage, {
    nowMs,
    isBatch: exchange.transport.origin?.provider !== undefined,
    ...imageAsked(each),
  })
  const cost = each.usage === null && !each.endpoint.isEstimatePriced ? { ...priced, isKnown: false } : priced
  const usageCost = { usage, cost, isEstimate: !isReported }
  if (isReported) ledger.usageCost = { of: each, usage, cost: usageCost }
  return usageCost
}

/** As reported; otherwise estimated, also where the answer was cut off after it was reported. */
function usageOfAttempt(exchange: Spending, each: Attempt): Usage {
  const { usage } = each
  if (usage === null) return estimateOfAttempt(exchange, each)
  const sent = isCut(exchange, each, usage) ? sentTokens(exchange) : 0
  return sent > 0 ? { ...usage, completionTokens: sent } : usage
}

function estimateOfAttempt(exchange: Spending, { endpoint, body, outcome }: Attempt): Usage {
  const whole = estimateUsage(exchange.request.ledger, endpoint, body)
  if (outcome === 'aborted') return { ...whole, completionTokens: 0, units: null }
  if (outcome === 'whole' || isComplete(exchange)) return whole
  return { ...whole, completionTokens: sentTokens(exchange), units: null }
}

const sentTokens = ({ request: { ledger } }: Spending): number => tokensOfBytes(ledger.sent?.textBytes() ?? 0)

/** Whether a stream ended before its output usage was reported; some formats report only the input at the start. */
const isCut = (exchange: Spending, each: Attempt, { completionTokens }: Usage): boolean =>
  completionTokens === 0 &&
  each.outcome === 'stream' &&
  each === lastAttempt(exchange.request.ledger) &&
  !isComplete(exchange)

/** Whether a stream completed and was read to its end. */
const isComplete = ({ transport, request: { record } }: Spending) =>
  record.streamError === null && !transport.isClosed()

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The image attributes that determine the price. */
export function imageAsked({ endpoint, body }: Pick<Attempt, 'endpoint' | 'body'>): { image?: ImageAsked } {
  if (!endpoint.makesImages) return {}
  return { image: { quality: textOf(body.quality), size: textOf(body.size) } }
}

const bytesPerToken = 4

/**
 * The estimated usage of a request, from its body alone: ⌈UTF-8 bytes of its text ÷ 4⌉ tokens of input, and the maximum
 * output that it allows (management contract, section 16). It also replaces missing provider usage. Bodies are never
 * mutated, so the ledger caches the estimate of the last one.
 */
export function estimateUsage(ledger: Pick<Ledger, 'estimate'>, endpoint: Endpoint, body: JsonObject): Usage {
  if (ledger.estimate?.body === body) return ledger.estimate.usage
  const usage = estimate(endpoint, body)
  ledger.estimate = { body, usage }
  return usage
}

function estimate(endpoint: Endpoint, body: JsonObject): Usage {
  const made = endpoint.isMetered
    ? { ...noUsage, promptTokens: inputTokens(endpoint, body), completionTokens: outputTokens(body) }
    : noUsage
  const asked = endpoint.makesImages ? choices(body) : 0
  return asked === 0 ? made : { ...made, units: { image: asked } }
}

const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

function inputTokens(endpoint: Endpoint, body: JsonObject): number {
  const parts: TextPart[] = []
  endpoint.requestTexts?.(body, parts)
  let bytes = 0
  for (const { text } of parts) bytes += Buffer.byteLength(text)
  return tokensOfBytes(bytes) + writtenTokens(body.input) + writtenTokens(body.prompt)
}

/** Token arrays already contain one item per token. */
function writtenTokens(input: Json | undefined): number {
  if (!Array.isArray(input)) return 0
  return input.reduce<number>(
    (sum, item) => sum + (typeof item === 'number' ? 1 : Array.isArray(item) ? writtenTokens(item) : 0),
    0,
  )
}

const wholeNumber = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null

/** In one format they are members of an object. */
const generationOf = ({ generationConfig: config }: JsonObject): JsonObject =>
  isObject(config) ? config : {}

const choices = (body: JsonObject): number =>
  wholeNumber(body.n) ?? wholeNumber(generationOf(body).candidateCount) ?? 1

function outputTokens(body: JsonObject): number {
  const most =
    wholeNumber(body.max_completion_tokens) ??
    wholeNumber(body.max_tokens) ??
    wholeNumber(body.max_output_tokens) ??
    wholeNumber(generationOf(body).maxOutputTokens) ??
    0
  return choices(body) * most
}
