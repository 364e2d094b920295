/**
 * Reserves a provider batch's estimated usage, at batch prices, in one step from all usage limits that apply to its
 * lines, when it is created. The hold lasts as long as the batch (fine print, section 16). Errors: 412
 * `usage_limit_exceeded`; 503 when the counters are unavailable.
 */
import { randomUUID } from 'node:crypto'
import type { BatchHold, BatchNeed, JsonObject, Reservation } from '@gateway/contract'
import { noUsage } from '@gateway/contract/dialect'
import type { Authenticated, Endpoint, Resolved, ResolvedTarget } from '@gateway/flow'
import { likelyTarget } from '@gateway/routing'
import { preparePrices, priceOf } from '../pricing/price.ts'
import { type ApplicableLimit, applicableLimits } from './applicable-limits.ts'
import { policySubjectOf } from './policy-subject.ts'
import { refusalOf } from './refusal.ts'
import { pricedOf } from './usage-cost.ts'

export interface BatchReservation {
  /** The endpoint of the lines. */
  endpoint: Endpoint
  /** The only target of the config. */
  target: ResolvedTarget
  leaseMs: number
  need(): Promise<BatchNeed[]>
}

/** Null when no usage limit applies. */
export async function reserveBatch(exchange: Resolved, given: BatchReservation): Promise<BatchHold | null> {
  const { caller, workspace } = exchange
  const { stores } = exchange.request
  const { target, leaseMs } = given
  const set = workspace.limits.of(caller)
  const ofTarget = target.slug === null ? [] : workspace.limits.ofTarget(target.slug)
  const fixed = [...(set?.fixed ?? []), ...ofTarget].filter(isUsage)
  const policies = [...(set?.requestPolicies ?? []), ...(set?.targetPolicies ?? [])].filter(({ limit }) =>
    isUsage(limit),
  )
  if (fixed.length + policies.length === 0) return null
  const nowMs = Date.now()
  const wanted = new Map<string, { applied: ApplicableLimit; amount: number }>()
  for (const need of await given.need()) {
    const body = likelyTarget(exchange, exchange.node, { model: need.model })?.body
    const chosen = { target, body: body ?? { model: need.model } }
    const subject = () => policySubjectOf({ ...partsOf(exchange), endpoint: given.endpoint }, chosen)
    const usd = await costOf(exchange, chosen, { need, nowMs })
    for (const applied of applicableLimits(fixed, policies, { subject, nowMs })) {
      const known = wanted.get(applied.key)?.amount ?? 0
      wanted.set(applied.key, { applied, amount: known + amountOf(applied, need, usd) })
    }
  }
  if (wanted.size === 0) return null
  const asked = [...wanted.values()]
  const id = `batch/${randomUUID()}`
  const result = await stores.counters.reserve(id, asked.map(toReservation), { leaseMs, nowMs })
  if (!result.isAdmitted) {
    const refused = asked.filter((_, index) => result.readings[index]?.isAdmitted === false)
    throw refusalOf(
      refused.map(({ applied }) => applied),
      nowMs,
    )
  }
  return { id, held: asked.map(({ applied: { key }, amount }) => ({ key, amount })) }
}

const isUsage = ({ kind }: { kind: 'usage' | 'rate' }) => kind === 'usage'

const partsOf = ({ caller, workspace, options, config, input }: Resolved) => ({
  caller,
  workspace,
  options,
  config,
  input,
})

const amountOf = (
  { limit: { measure } }: ApplicableLimit,
  { lines, inputTokens, maxOutputTokens }: BatchNeed,
  usd: number,
): number => (measure === 'requests' ? lines : measure === 'tokens' ? inputTokens + maxOutputTokens : usd)

interface CostOptions {
  need: BatchNeed
  nowMs: number
}

async function costOf(
  exchange: Authenticated,
  chosen: { target: ResolvedTarget; body: JsonObject },
  { need: { inputTokens, maxOutputTokens }, nowMs }: CostOptions,
): Promise<number> {
  const priced = pricedOf(exchange, { ...chosen, answeredModel: null })
  await preparePrices(priced)
  const usage = { ...noUsage, promptTokens: inputTokens, completionTokens: maxOutputTokens }
  return priceOf(priced, usage, { nowMs, isBatch: true }).cents / 100
}

const toReservation = ({ applied: { key, limit }, amount }: { applied: ApplicableLimit; amount: number }) =>
  ({
    key,
    window: limit.window,
    limit: limit.limit,
    need: amount,
    admits: 'open',
    takes: 'hold',
  }) satisfies Reservation
