/** The sliding windows of rate limits: by UTC seconds, minutes, hours, days, and weeks from Monday. */

import type { CounterWindow } from '@gateway/contract'
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

/** When the bucket of a window that holds this time ends, in milliseconds since the epoch. */
export function windowEnd({ lengthMs, offsetMs }: CounterWindow, nowMs: number): number {
  return (Math.floor((nowMs - offsetMs) / lengthMs) + 1) * lengthMs + offsetMs
}
