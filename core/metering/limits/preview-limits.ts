/** Evaluates limits for a request without reserving anything. */
import type { GatewayError } from '@gateway/contract'
import type { Routed } from '@gateway/flow'
import type { ApplicableLimit } from './applicable-limits.ts'
import { amountsNeeded, type Within } from './enforce-limits.ts'
import { refusalOf } from './refusal.ts'
import { toReservation } from './reserve.ts'

export interface LimitPreview {
  applied: ApplicableLimit
  used: number
  reserved: number
  isRefused: boolean
}

interface Preview {
  limits: readonly LimitPreview[]
  /** The error with which the request would be refused; null if it would be admitted. */
  refusal: GatewayError | null
}

/** Errors: those of the counters. */
export async function previewLimits(
  exchange: Routed,
  within: Pick<Within, 'applied' | 'likely'>,
  nowMs: number,
): Promise<Preview> {
  const { applied } = within
  if (applied.length === 0) return { limits: [], refusal: null }
  const needed = await amountsNeeded(exchange, within)
  const reservations = applied.map((each) => toReservation(each, needed))
  const readings = await exchange.request.stores.counters.read(reservations, nowMs)
  const limits = applied.map((each, index): LimitPreview => {
    const { used, reserved } = readings[index] ?? { used: 0, reserved: 0 }
    const { limit, need, admits } = reservations[index] ?? { limit: 0, need: 0, admits: 'fits' }
    const isAdmitted =
      admits === 'fits' ? used + reserved + Math.min(need, limit) <= limit : used + reserved < limit
    return { applied: each, used, reserved, isRefused: !isAdmitted }
  })
  const refused = limits.filter(({ isRefused }) => isRefused).map((each) => each.applied)
  return { limits, refusal: refused.length === 0 ? null : refusalOf(refused, nowMs) }
}
