/** One leaf of a dry run: its target, estimated cost, and why it would not be called. */
import type { DryRunCall, GatewayError, JsonObject } from '@gateway/contract'
import { noUsage } from '@gateway/contract/dialect'
import { previewLeftOut } from '../../endpoints/index.ts'
import type { ResolvedTarget, Routed } from '../../flow/index.ts'
import { estimateUsage, imageAsked, preparePrices, pricedOf, priceOf } from '../../metering/index.ts'
import { hostKindOf } from '../../routing/index.ts'
import type { PlannedLeaf } from './describe-leaves.ts'

interface Circumstances {
  /** Why the request as a whole would be refused. */
  ofRequest: GatewayError | null
  nowMs: number
  /** Priced instead of an estimate. */
  tokens: DryRunCall['tokens']
}

export async function describeTarget(
  { exchange, node, probability, order, condition, fault, inspected }: PlannedLeaf,
  { ofRequest, ...pricing }: Circumstances,
): Promise<JsonObject> {
  const { target, circuit } = inspected
  const refusals = [ofRequest, fault, ...inspected.refusals].flatMap((refusal) => refusal ?? [])
  const named = target ?? node.target
  return {
    path: node.path,
    provider: named?.adapter.name ?? null,
    virtual_key: named?.slug ?? null,
    model: typeof exchange.body.model === 'string' ? exchange.body.model : null,
    host_kind: named === null ? null : hostKindOf(named),
    probability: round(probability),
    order,
    ...(condition === undefined ? {} : { condition }),
    breaker: circuit?.state ?? 'closed',
    allowed: refusals.length === 0,
    refusals: refusals.map(({ code, param, message }) => ({ code, param: param ?? null, message })),
    left_out: target === null ? [] : [...previewLeftOut(exchange, target)],
    estimate: await estimateOf(exchange, target, pricing),
  }
}

const round = (probability: number) => Math.round(probability * 1e12) / 1e12

async function estimateOf(
  exchange: Routed,
  target: ResolvedTarget | null,
  { nowMs, tokens }: Omit<Circumstances, 'ofRequest'>,
): Promise<JsonObject> {
  const endpoint = exchange.endpoint
  const { body } = exchange
  const usage =
    tokens === undefined
      ? estimateUsage(exchange.ledger, endpoint, body)
      : { ...noUsage, promptTokens: tokens.input, completionTokens: tokens.output }
  const { promptTokens: input_tokens, completionTokens: max_output_tokens } = usage
  if (target === null) return { input_tokens, max_output_tokens, cost: null }
  const priced = pricedOf(exchange, { target, body, answeredModel: null })
  await preparePrices(priced)
  const cost = priceOf(priced, usage, { nowMs, ...imageAsked({ endpoint, body }) })
  const isKnown = cost.isKnown && endpoint.isEstimatePriced
  return { input_tokens, max_output_tokens, cost: isKnown ? cost.cents : null }
}
