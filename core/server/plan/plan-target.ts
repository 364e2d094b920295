/** One leaf of a plan: its target, estimated cost, and why it would not be called. */
import type { GatewayError, PlannedCall, PlannedFault, PlannedTarget } from '@gateway/contract'
import { noUsage, type Usage } from '@gateway/contract/dialect'
import type { ResolvedTarget, Routed } from '@gateway/flow'
import { hostKindOf } from '@gateway/routing'
import { previewLeftOut } from '../../endpoints/index.ts'
import { estimateUsage, imageAsked, preparePrices, pricedOf, priceOf } from '../../metering/index.ts'
import type { PlannedLeaf } from './plan-leaves.ts'

interface Circumstances {
  /** Why the request as a whole would be refused. */
  ofRequest: GatewayError | null
  nowMs: number
  tokens: PlannedCall['tokens']
}

export async function planTarget(
  { exchange, node, probability, isReachable, order, condition, fault, inspected }: PlannedLeaf,
  { ofRequest, nowMs, tokens }: Circumstances,
): Promise<PlannedTarget> {
  const { target, circuit } = inspected
  const refusals = [ofRequest, fault, ...inspected.refusals].flatMap((refusal) => refusal ?? [])
  const named = target ?? node.target
  const { body } = exchange.input
  const estimate = estimateUsage(exchange.request.ledger, exchange.endpoint, body)
  const given = { ...noUsage, promptTokens: tokens?.input ?? 0, completionTokens: tokens?.output ?? 0 }
  return {
    path: node.path,
    provider: named?.adapter.name ?? null,
    virtualKey: named?.slug ?? null,
    model: typeof body.model === 'string' ? body.model : null,
    hostKind: named === null ? null : hostKindOf(named),
    probability,
    isReachable: isReachable && target !== null,
    order,
    condition,
    breaker: circuit?.state ?? 'closed',
    refusals: refusals.map(faultOf),
    leftOut: target === null ? [] : previewLeftOut(exchange, target),
    inputTokens: estimate.promptTokens,
    maxOutputTokens: estimate.completionTokens,
    cents: await centsOf(exchange, target, { usage: estimate, nowMs }),
    centsOfTokens: await centsOf(exchange, target, { usage: given, nowMs }),
  }
}

export const faultOf = ({ code, param, message }: GatewayError): PlannedFault => ({
  code,
  param: param ?? null,
  message,
})

/** Null for an unknown price, or an unknown target. */
async function centsOf(
  exchange: Routed,
  target: ResolvedTarget | null,
  { usage, nowMs }: { usage: Usage; nowMs: number },
): Promise<number | null> {
  const { endpoint } = exchange
  const { body } = exchange.input
  if (target === null || !endpoint.isEstimatePriced) return null
  const priced = pricedOf(exchange, { target, body, answeredModel: null })
  await preparePrices(priced)
  const cost = priceOf(priced, usage, { nowMs, ...imageAsked({ endpoint, body }) })
  return cost.isKnown ? cost.cents : null
}
