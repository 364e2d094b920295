/** The verdict of an estimate: better, worse, or undecided, and how many pairs would be needed. */
import type { JsonObject } from '@gateway/contract'
import type { Estimate } from './bootstrap.ts'
import { z80, z95 } from './normal.ts'

/** Which direction is an improvement. Null: neither is. */
export type Better = 'lower' | 'higher' | null

/**
 * With fewer pairs there is no verdict: even if all of them differed in one direction, chance alone would do that in more
 * than 5 % of cases (sign test: 2 × 0.5⁵).
 */
const fewestPairs = 6
/** Sample sizes of shares without a direction are for an interval of this half width. */
const wantedPrecision = 0.05

export function verdictOf({ low, high, n }: Estimate, better: Better): 'better' | 'worse' | null {
  if (better === null || n < fewestPairs || (low <= 0 && high >= 0)) return null
  return low > 0 === (better === 'higher') ? 'better' : 'worse'
}

/**
 * The number of pairs after which a difference as large as this one is detected in 80 of 100 replays; of a share without
 * a direction, after which it is known to 5 points. Null: it cannot be told, because there is no difference.
 */
export function neededPairs({ mean, deviation }: Estimate, isDifference: boolean): number | null {
  if (!isDifference) return Math.max(fewestPairs, Math.ceil(((z95 * deviation) / wantedPrecision) ** 2))
  if (mean === 0) return null
  const needed = Math.ceil((((z95 + z80) * deviation) / Math.abs(mean)) ** 2)
  return Number.isSafeInteger(needed) ? Math.max(fewestPairs, needed) : null
}

export interface Judged {
  better: Better
  /** Whether it is a difference of the two sides; else a share of pairs that agree. */
  isDifference: boolean
}

/** As in the report; null without pairs. */
export function presentEstimate(
  estimate: Estimate | null,
  { better, isDifference }: Judged,
): JsonObject | null {
  if (estimate === null) return null
  return {
    mean: rounded(estimate.mean),
    ci95: [rounded(estimate.low), rounded(estimate.high)],
    verdict: verdictOf(estimate, better),
    n: estimate.n,
    n_needed: neededPairs(estimate, isDifference),
  }
}

export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6
