/**
 * When usage limits reset (management contract, section 4), as pure functions of what is stored and the time. A budget
 * counts under a key that names its period (counter-keys.ts): so a reset is another key, which no request that is under
 * way can spoil, and it holds on the second whether or not the job that notes it has run. All periods begin at
 * 00:00 UTC. Times are milliseconds since the epoch.
 */
import type { UsageLimit } from '../entities/index.ts'

const dayMs = 86_400_000

type Schedule = Pick<UsageLimit, 'periodic_reset' | 'periodic_reset_days' | 'next_usage_reset_at'> & {
  period_started_at?: string | null
}

export interface UsagePeriod {
  /** Its name in the keys of counters: the day on which it began; `0` for one without a beginning. */
  key: string
  /** Null: it began with the limit. */
  startedAt: number | null
  /** Null: it never ends. */
  resetsAt: number | null
}

/** The period in which a time lies. */
export function usagePeriod(limit: Schedule, nowMs: number): UsagePeriod {
  const next = timeOf(limit.next_usage_reset_at)
  if (next !== null && nowMs >= next) {
    const startedAt = Math.max(next, lastBorder(limit, next, nowMs) ?? next)
    return period(startedAt, nextBorder(limit, next, nowMs))
  }
  const hasBegun = limit.period_started_at !== undefined && limit.period_started_at !== null
  // A limit that was never told when to reset next goes by the calendar alone.
  if (next === null && !hasBegun) return period(lastBorder(limit, 0, nowMs), nextBorder(limit, 0, nowMs))
  const begun = timeOf(limit.period_started_at ?? null)
  if (next === null) {
    const border = lastBorder(limit, begun ?? 0, nowMs)
    return period(latest(begun, border), nextBorder(limit, begun ?? 0, nowMs))
  }
  return period(begun, next)
}

/**
 * What a limit that is written anew keeps of the one before it, so that its usage goes on until it is reset: stored as
 * `period_started_at`.
 */
export function keptPeriod(before: Schedule | null, nowMs: number): string | null {
  const startedAt = before === null ? null : usagePeriod(before, nowMs).startedAt
  return startedAt === null ? null : new Date(startedAt).toISOString()
}

/** A limit as it stands after its last reset; the same one when none has passed since it was stored. */
export function rolledOver<Limit extends UsageLimit>(limit: Limit, nowMs: number): Limit {
  const { startedAt, resetsAt } = usagePeriod(limit, nowMs)
  const known = timeOf(limit.period_started_at ?? null)
  if (startedAt === null || known === startedAt) return limit
  const started = new Date(startedAt).toISOString()
  return {
    ...limit,
    period_started_at: started,
    next_usage_reset_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    last_reset_at: started,
  }
}

function period(startedAt: number | null, resetsAt: number | null): UsagePeriod {
  const key = startedAt === null ? '0' : new Date(startedAt).toISOString().slice(0, 10)
  return { key, startedAt, resetsAt }
}

const latest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other)

function timeOf(text: string | null): number | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : time
}

const startOfDay = (time: number) => Math.floor(time / dayMs) * dayMs

/** The last border of the period's own calendar up to now; null for a limit without periods. */
function lastBorder(limit: Schedule, anchor: number, nowMs: number): number | null {
  if (limit.periodic_reset === 'weekly') return startOfWeek(nowMs)
  if (limit.periodic_reset === 'monthly') return startOfMonth(nowMs, 0)
  if (limit.periodic_reset_days === null) return null
  const lengthMs = limit.periodic_reset_days * dayMs
  const from = startOfDay(anchor)
  return from + Math.floor((nowMs - from) / lengthMs) * lengthMs
}

function nextBorder(limit: Schedule, anchor: number, nowMs: number): number | null {
  if (limit.periodic_reset === 'monthly') return startOfMonth(nowMs, 1)
  const last = lastBorder(limit, anchor, nowMs)
  if (last === null) return null
  return last + (limit.periodic_reset === 'weekly' ? 7 : (limit.periodic_reset_days ?? 0)) * dayMs
}

function startOfWeek(time: number): number {
  const today = startOfDay(time)
  // Sunday is 0.
  return today - ((new Date(today).getUTCDay() + 6) % 7) * dayMs
}

function startOfMonth(time: number, monthsOn: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsOn, 1)
}
