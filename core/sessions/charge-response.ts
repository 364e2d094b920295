/**
 * Charges the usage of a session's response to all applicable token and cost limits, as soon as the provider reports
 * it. A reached limit ends the session after the client has received the response. The session's log entry contains
 * the sum.
 */
import type { GatewayError } from '@gateway/contract'
import { addUsage, type Usage } from '@gateway/contract/dialect'
import type { Received, ReportPorts, Targeted } from '@gateway/flow'
import { charge, noteReached, preparePrices, pricedOf, priceOf } from '../metering/index.ts'
import { refusalOf, sessionLimits } from './session-limits.ts'

/** The usage of the session so far. */
export interface SessionUsage {
  total: { usage: Usage; cents: number; isKnown: boolean } | null
}

/**
 * Returns the error that must end the session (412 `usage_limit_exceeded` or 429 `rate_limit_exceeded`), or null if it
 * continues.
 */
export async function chargeResponse(
  ports: ReportPorts,
  exchange: Targeted,
  { usage, session }: { usage: Usage; session: SessionUsage },
): Promise<GatewayError | null> {
  const nowMs = Date.now()
  const target = exchange.target
  const priced = pricedOf(exchange, { target, body: exchange.input.body, answeredModel: null })
  await preparePrices(priced)
  const cost = priceOf(priced, usage, { nowMs })
  const { total } = session
  session.total = {
    usage: total === null ? usage : addUsage(total.usage, usage),
    cents: (total?.cents ?? 0) + cost.cents,
    isKnown: (total?.isKnown ?? true) && cost.isKnown,
  }
  note(exchange, session.total)
  const applied = sessionLimits(exchange, nowMs)
  if (applied.length === 0) return null
  const { counters } = exchange.request.stores
  const used = { tokens: usage.promptTokens + usage.completionTokens, usd: cost.cents / 100 }
  noteReached(ports, exchange, await charge(counters, applied, { used, nowMs }))
  return refusalOf(ports, exchange, applied)
}

/** The usage for the log entry of the session. */
function note(
  { request: { record } }: Received,
  { usage, cents, isKnown }: NonNullable<SessionUsage['total']>,
): void {
  Object.assign(record.fields, {
    req_units: usage.promptTokens,
    res_units: usage.completionTokens,
    total_units: usage.promptTokens + usage.completionTokens,
    cached_units: usage.cachedTokens,
    cost: Math.round(cents * 1e6) / 1e6,
    cost_known: isKnown,
  })
}
