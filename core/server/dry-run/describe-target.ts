/** One leaf of a dry run: its target, estimated cost, and why it would not be called. */
import { type GatewayError, isGatewayError, type JsonObject } from '@gateway/contract'
import { checkEndpoint } from '../../endpoints/translation/endpoint-of.ts'
import type { ResolvedTarget } from '../../flow/config-node.ts'
import { type Exchange, required } from '../../flow/exchange.ts'
import { applicableLimits } from '../../metering/limits/applicable-limits.ts'
import { policySubjectOf } from '../../metering/limits/policy-subject.ts'
import { type LimitPreview, previewLimits } from '../../metering/limits/preview-limits.ts'
import { estimateUsage, imageAsked, pricedOf } from '../../metering/limits/usage-cost.ts'
import { preparePrices, priceOf } from '../../metering/pricing/price.ts'
import { breakerOf } from '../../routing/breaker-key.ts'
import { checkTarget } from '../../routing/find-target.ts'
import { hostKindOf } from '../../routing/host-kind.ts'
import type { PlannedLeaf } from './describe-leaves.ts'

interface Described {
  answer: JsonObject
  /** Only of this target. */
  limits: readonly LimitPreview[]
  target: ResolvedTarget | null
}

/** @param ofRequest why the request as a whole would be refused */
export async function describeTarget(
  { exchange, node, probability, order, condition, fault }: PlannedLeaf,
  ofRequest: GatewayError | null,
  nowMs: number,
): Promise<Described> {
  const refusals: GatewayError[] = [ofRequest, fault].flatMap((refusal) => refusal ?? [])
  const endpoint = required(exchange.endpoint, 'endpoint')
  const target = attempt(refusals, () => checkTarget(exchange, node).target)
  let limits: readonly LimitPreview[] = []
  let circuit: ReturnType<typeof breakerOf> = null
  if (target !== null) {
    attempt(refusals, () => checkEndpoint(exchange, target, endpoint))
    const preview = await previewOfTarget(exchange, target, nowMs)
    limits = preview.limits
    if (preview.refusal !== null) refusals.push(preview.refusal)
    circuit = breakerOf(exchange, node, target, exchange.body.model)
    if (circuit?.isOpen() === true) refusals.push(circuit.refusal())
  }
  const named = target ?? node.target
  return {
    limits,
    target,
    answer: {
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
      estimate: await estimateOf(exchange, target, nowMs),
    },
  }
}

const round = (probability: number) => Math.round(probability * 1e12) / 1e12

/** The target's refusal instead of an error. */
function attempt<T>(refusals: GatewayError[], check: () => T): T | null {
  try {
    return check()
  } catch (error) {
    if (!isGatewayError(error)) throw error
    refusals.push(error)
    return null
  }
}

function previewOfTarget(exchange: Exchange, target: ResolvedTarget, nowMs: number) {
  const { settings, keyDocument } = exchange
  const set = settings.limits.of(required(exchange.identity, 'identity'), keyDocument)
  const fixed = target.slug === null ? [] : settings.limits.ofTarget(target.slug)
  const subject = () => policySubjectOf(exchange, { target, body: exchange.body })
  const applied = applicableLimits(fixed, set?.targetPolicies ?? [], subject, nowMs)
  return previewLimits(exchange, { applied, likely: () => ({ target, body: exchange.body }) }, nowMs)
}

async function estimateOf(
  exchange: Exchange,
  target: ResolvedTarget | null,
  nowMs: number,
): Promise<JsonObject> {
  const endpoint = required(exchange.endpoint, 'endpoint')
  const { body } = exchange
  const usage = estimateUsage(exchange.ledger, endpoint, body)
  const { promptTokens: input_tokens, completionTokens: max_output_tokens } = usage
  if (target === null) return { input_tokens, max_output_tokens, cost: null }
  const priced = pricedOf(exchange, { target, body, answeredModel: null })
  await preparePrices(priced)
  const cost = priceOf(priced, usage, { nowMs, ...imageAsked({ endpoint, body }) })
  const isKnown = cost.isKnown && endpoint.isEstimatePriced
  return { input_tokens, max_output_tokens, cost: isKnown ? cost.cents : null }
}
