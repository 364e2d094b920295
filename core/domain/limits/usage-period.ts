/**
 * When usage limits reset (management contract, section 4), as pure functions of the stored limit and the time. A
 * budget's key includes its period (counter-keys.ts), so a reset switches to a new key: requests in flight cannot
 * corrupt it, and it applies exactly on time even before the job records it. All periods begin at 00:00 UTC. Times are
 * milliseconds since the epoch.
 */
import type { UsageLimit } from '../entities/index.ts'

const dayMs = 86_400_000

type Schedule = Pick<UsageLimit, 'periodic_reset' | 'periodic_reset_days' | 'next_usage_reset_at'> & {
  period_started_at?: string | null
}

interface UsagePeriod {
  /** The period in counter keys: the day on which it began; `0` for a period without a start. */
  key: string
  /** The start; null if the period began with the limit. */
  startedAt: number | null
  /** The end; null if the period never ends. */
  resetsAt: number | null
}

/** The period that contains a time. */
export function usagePeriod(limit: Schedule, nowMs: number): UsagePeriod {
  const next = timeOf(limit.next_usage_reset_at)
  if (next !== null && nowMs >= next) {
    const startedAt = Math.max(next, lastBorder(limit, next, nowMs) ?? next)
    return period(startedAt, nextBorder(limit, next, nowMs))
  }
  const hasBegun = limit.period_started_at !== undefined && limit.period_started_at !== null
  // A limit without a next reset time follows the calendar.
  if (next === null && !hasBegun) return period(lastBorder(limit, 0, nowMs), nextBorder(limit, 0, nowMs))
  const begun = timeOf(limit.period_started_at ?? null)
  if (next === null) {
    const border = lastBorder(limit, begun ?? 0, nowMs)
    return period(latest(begun, border), nextBorder(limit, begun ?? 0, nowMs))
  }
  return period(begun, next)
}

/**
 * The period start that a rewritten limit keeps from its predecessor, so that its usage continues until the reset:
 * stored as `period_started_at`.
 */
export function keptPeriod(before: Schedule | null, nowMs: number): string | null {
  const startedAt = before === null ? null : usagePeriod(before, nowMs).startedAt
  return startedAt === null ? null : new Date(startedAt).toISOString()
}

/** A limit after its last due reset; unchanged when none was due since it was stored. */
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

/** The start of the current calendar period; null for a limit without periods. */
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
