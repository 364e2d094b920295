/**
 * Computes 95 % intervals by bootstrap: the statistic is computed for a thousand resamples of the pairs, and the
 * interval contains the middle 95 % of them. With few pairs, the plain percentile interval is too narrow, so it is
 * widened as Student's distribution is (Hesterberg 2015, https://doi.org/10.1080/00031305.2015.1089789, section 4.1).
 */
import type { Turns } from '@gateway/contract'
import { normalShare, t95 } from './normal.ts'
import { createRandom } from './random.ts'

export interface Estimate {
  mean: number
  low: number
  high: number
  /** The standard deviation of one pair's contribution: that of the resamples, multiplied by √n. */
  deviation: number
  n: number
}

const resamples = 1000
/** Other work gets a turn after about this many draws. */
const drawsPerTurn = 10_000

/** Estimates the mean of differences or agreements; null without values. */
export function* estimateMean(values: readonly number[], seed: number): Turns<Estimate | null> {
  const n = values.length
  const [first] = values
  // If all values are equal, such as the rate of an event that never happens, every resample has the same mean.
  if (first !== undefined && values.every((value) => value === first))
    return { mean: first, low: first, high: first, deviation: 0, n }
  const known = Float64Array.from(values)
  const sum = (indexes: Int32Array) => {
    let total = 0
    for (let place = 0; place < n; place += 1) total += known[indexes[place] ?? 0] ?? 0
    return total / n
  }
  return yield* estimate(n, seed, {
    statistic: sum,
    mean: values.reduce((total, value) => total + value, 0) / n,
  })
}

/**
 * Estimates the difference of a percentile between the two sides of pairs, the candidate's minus the baseline's; null
 * without pairs.
 * @param share from 0 to 1
 */
export function* estimatePercentile(
  pairs: readonly (readonly [baseline: number, candidate: number])[],
  share: number,
  seed: number,
): Turns<Estimate | null> {
  const n = pairs.length
  const sides = [0, 1].map((side) => ranked(pairs.map((pair) => pair[side] ?? 0)))
  const counts = new Int32Array(n)
  const difference = (indexes: Int32Array) => {
    const [baseline = 0, candidate = 0] = sides.map(({ values, rankOf }) => {
      counts.fill(0)
      for (let place = 0; place < n; place += 1) {
        const rank = rankOf[indexes[place] ?? 0] ?? 0
        counts[rank] = (counts[rank] ?? 0) + 1
      }
      return atShare(values, counts, share)
    })
    return candidate - baseline
  }
  const all = Int32Array.from({ length: n }, (_, index) => index)
  return yield* estimate(n, seed, { statistic: difference, mean: n === 0 ? 0 : difference(all) })
}

interface Ranked {
  /** Values in ascending order. */
  values: Float64Array
  rankOf: Int32Array
}

function ranked(written: readonly number[]): Ranked {
  const order = written
    .map((_, index) => index)
    .sort((one, other) => (written[one] ?? 0) - (written[other] ?? 0))
  const rankOf = new Int32Array(written.length)
  for (const [rank, index] of order.entries()) rankOf[index] = rank
  return { values: Float64Array.from(order, (index) => written[index] ?? 0), rankOf }
}

/** The percentile by nearest rank: the smallest value with at least this share of the counts at or below it. */
function atShare(values: Float64Array, counts: Int32Array, share: number): number {
  let left = Math.max(1, Math.ceil(share * values.length))
  for (let rank = 0; rank < values.length; rank += 1) {
    left -= counts[rank] ?? 0
    if (left <= 0) return values[rank] ?? 0
  }
  return values.at(-1) ?? 0
}

/** The percentile of values by nearest rank; null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}

function* estimate(
  n: number,
  seed: number,
  { statistic, mean }: { statistic: (indexes: Int32Array) => number; mean: number },
): Turns<Estimate | null> {
  if (n === 0) return null
  const random = createRandom(seed)
  const indexes = new Int32Array(n)
  const found = new Float64Array(resamples)
  let drawn = 0
  for (let sample = 0; sample < resamples; sample += 1) {
    for (let place = 0; place < n; place += 1) indexes[place] = Math.floor(random() * n)
    found[sample] = statistic(indexes)
    drawn += n
    if (drawn < drawsPerTurn) continue
    drawn = 0
    yield
  }
  found.sort()
  const cut = Math.min(Math.floor(tailOf(n) * resamples), resamples / 2 - 1)
  const low = found[cut] ?? mean
  const high = found[resamples - 1 - cut] ?? mean
  return { mean, low, high, deviation: deviationOf(found) * Math.sqrt(n), n }
}

/** The share of resamples outside each end of the interval: 2.5 % for many pairs, less for few. */
function tailOf(n: number): number {
  if (n < 2) return 0
  return normalShare(-Math.sqrt(n / (n - 1)) * t95(n - 1))
}

function deviationOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
}
