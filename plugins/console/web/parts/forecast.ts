/** When a usage limit runs out, at the average rate since its period began. */

const dayMs = 86_400_000
/** The minimum time for a forecast. Before that, a few requests would dominate it. */
const leastMs = 3_600_000

export interface Limit {
  used: number
  limit: number
  /** ISO 8601; null if it never resets. */
  resetsAt: string | null
  /** The last reset; null if there was none. */
  resetAt: string | null
  /** Creation time of the limit's owner. */
  createdAt: string
  /** The length of its period in days; null to use `period`. */
  days: number | null
  period: 'weekly' | 'monthly' | null
}

export interface Forecast {
  /** The usage at the reset, or in a month if there is no reset; null if it is too early to say. */
  used: number | null
  /** Unix milliseconds; null if it does not run out before the reset. */
  runsOutAtMs: number | null
}

/** The start of the period. A monthly period is as long as the month before its reset. */
function startOf({ resetsAt, resetAt, createdAt, days, period }: Limit): number {
  const from = Math.max(Date.parse(createdAt), resetAt === null ? 0 : Date.parse(resetAt))
  if (resetsAt === null) return from
  const end = new Date(resetsAt)
  if (days === null && period === 'monthly') {
    end.setUTCMonth(end.getUTCMonth() - 1)
    return Math.max(from, end.getTime())
  }
  return Math.max(from, end.getTime() - (days ?? 7) * dayMs)
}

export function forecastOf(limit: Limit, nowMs: number): Forecast {
  const { used, limit: most, resetsAt } = limit
  if (used >= most) return { used, runsOutAtMs: nowMs }
  const passedMs = nowMs - startOf(limit)
  if (passedMs < leastMs) return { used: null, runsOutAtMs: null }
  const perMs = used / passedMs
  const endMs = resetsAt === null ? nowMs + 30 * dayMs : Date.parse(resetsAt)
  const runsOutAtMs = perMs > 0 ? nowMs + (most - used) / perMs : Number.POSITIVE_INFINITY
  const isInTime = resetsAt === null ? Number.isFinite(runsOutAtMs) : runsOutAtMs < endMs
  return { used: used + perMs * (endMs - nowMs), runsOutAtMs: isInTime ? runsOutAtMs : null }
}

/** Whether it runs out within the next seven days. */
export const isThisWeek = ({ runsOutAtMs }: Forecast, nowMs: number): boolean =>
  runsOutAtMs !== null && runsOutAtMs <= nowMs + 7 * dayMs
