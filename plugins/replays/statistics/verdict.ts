/** The verdict of an estimate (better, worse or undecided), and the number of pairs that a verdict needs. */
import type { JsonObject } from '@gateway/contract'
import type { Estimate } from './bootstrap.ts'
import { z80, z95 } from './normal.ts'

/** The direction that is an improvement; null if neither is. */
export type Better = 'lower' | 'higher' | null

/**
 * The minimum number of pairs for a verdict. With five pairs, all of them differ in the same direction by chance in
 * more than 5 % of cases (sign test: 2 × 0.5⁵).
 */
const fewestPairs = 6
/** For a share without a direction, the sample size is that of an interval with this half-width. */
const wantedPrecision = 0.05

export function verdictOf({ low, high, n }: Estimate, better: Better): 'better' | 'worse' | null {
  if (better === null || n < fewestPairs || (low <= 0 && high >= 0)) return null
  return low > 0 === (better === 'higher') ? 'better' : 'worse'
}

/**
 * The number of pairs with which a difference of this size is detected in 80 of 100 replays. For a share without a
 * direction, the number with which it is known to within 5 percentage points. Null if there is no difference.
 */
export function neededPairs({ mean, deviation }: Estimate, isDifference: boolean): number | null {
  if (!isDifference) return Math.max(fewestPairs, Math.ceil(((z95 * deviation) / wantedPrecision) ** 2))
  if (mean === 0) return null
  const needed = Math.ceil((((z95 + z80) * deviation) / Math.abs(mean)) ** 2)
  return Number.isSafeInteger(needed) ? Math.max(fewestPairs, needed) : null
}

export interface Judged {
  better: Better
  /** Whether it is a difference between the two sides, and not a share of pairs that agree. */
  isDifference: boolean
}

/** Formats an estimate for the report; null without pairs. */
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
