/**
 * `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`: the tightest applicable rate limit of each kind. That is the
 * limit with the least remaining; of equal ones, the limit that resets later. Values are integers; the reset is in
 * seconds.
 */

import type { CompiledLimit, Ledger, RateReading } from '@gateway/flow'

export function rateHeaders(
  { requestRates, targetRates }: Pick<Ledger, 'requestRates' | 'targetRates'>,
  nowMs: number,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const measure of ['requests', 'tokens'] as const) {
    const ofRequest = tightestOf(requestRates, measure, { nowMs, best: null })
    const tightest = tightestOf(targetRates, measure, { nowMs, best: ofRequest })
    if (tightest === null) continue
    headers[`x-ratelimit-limit-${measure}`] = String(tightest.limit.limit)
    headers[`x-ratelimit-remaining-${measure}`] = String(remainingOf(tightest))
    headers[`x-ratelimit-reset-${measure}`] = String(secondsUntil(resetOf(tightest, nowMs), nowMs))
  }
  return headers
}

/** @param best of others */
function tightestOf(
  rates: readonly RateReading[],
  measure: CompiledLimit['measure'],
  { nowMs, best }: { nowMs: number; best: RateReading | null },
): RateReading | null {
  let tightest = best
  for (const reading of rates) {
    if (reading.limit.measure !== measure) continue
    if (tightest === null || isTighter(reading, tightest, nowMs)) tightest = reading
  }
  return tightest
}

/** Adds the rate limit headers to an answer's headers, replacing the provider's. */
export function withRateHeaders(
  headers: Readonly<Record<string, string>>,
  rates: Pick<Ledger, 'requestRates' | 'targetRates'>,
): Record<string, string> {
  const own: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !name.startsWith('x-ratelimit-')) own[name] = value
  }
  return Object.assign(own, rateHeaders(rates, Date.now()))
}

export const secondsUntil = (timeMs: number, nowMs: number): number =>
  Math.max(0, Math.ceil((timeMs - nowMs) / 1000))

const remainingOf = ({ limit, used, reserved }: RateReading): number =>
  Math.max(0, Math.floor(limit.limit - used - reserved))

const resetOf = ({ limit }: RateReading, nowMs: number): number => limit.resetsAt(nowMs) ?? nowMs

function isTighter(one: RateReading, other: RateReading, nowMs: number): boolean {
  const difference = remainingOf(one) - remainingOf(other)
  return difference < 0 || (difference === 0 && resetOf(one, nowMs) > resetOf(other, nowMs))
}
