/** The sliding windows of rate limits: by UTC seconds, minutes, hours, days, and weeks from Monday. */

import type { CounterUse, CounterWindow } from '@gateway/contract'
import type { RateLimit } from '../entities/index.ts'

const dayMs = 86_400_000

/** The epoch was a Thursday. */
const weekOffsetMs = 4 * dayMs

export const rateWindows: Readonly<Record<RateLimit['unit'], CounterWindow>> = {
  rps: { lengthMs: 1000, offsetMs: 0 },
  rpm: { lengthMs: 60_000, offsetMs: 0 },
  rph: { lengthMs: 3_600_000, offsetMs: 0 },
  rpd: { lengthMs: dayMs, offsetMs: 0 },
  rpw: { lengthMs: 7 * dayMs, offsetMs: weekOffsetMs },
}

/** The window of this length; lengths that no rate limit has are aligned to the epoch. */
export function windowOfLength(lengthMs: number): CounterWindow {
  return lengthMs === rateWindows.rpw.lengthMs ? rateWindows.rpw : { lengthMs, offsetMs: 0 }
}

/** Whether a use still counts: something was used, and the window has not passed. False for a budget. */
export function isOpenWindow({ lengthMs, bucket, current, previous }: CounterUse, nowMs: number): boolean {
  if (lengthMs === 0) return false
  const { offsetMs } = windowOfLength(lengthMs)
  const endOf = (number: number) => (number + 1) * lengthMs + offsetMs
  // A bucket's usage counts in part until the next bucket ends.
  return (current > 0 && nowMs < endOf(bucket + 1)) || (previous > 0 && nowMs < endOf(bucket))
}

/** The end of a window's bucket at this time, in milliseconds since the epoch. */
export function windowEnd({ lengthMs, offsetMs }: CounterWindow, nowMs: number): number {
  return (Math.floor((nowMs - offsetMs) / lengthMs) + 1) * lengthMs + offsetMs
}
