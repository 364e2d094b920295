/** Random numbers from a seed. The same seed always gives the same sample and the same intervals. */
import { randomInt } from 'node:crypto'

/** The exclusive upper bound of seeds. */
export const seedLimit = 2 ** 31

export const newSeed = (): number => randomInt(seedLimit)

/**
 * Returns numbers from 0 to 1 (exclusive) from the generator `sfc32`, whose state is filled from the seed. Source:
 * https://pracrand.sourceforge.net (public domain).
 */
export function createRandom(seed: number): () => number {
  let [a, b, c, counter] = [0x9e3779b9 ^ seed, 0x243f6a88, 0xb7e15162 ^ (seed >>> 3), 1]
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 2 ** 32
  }
  // The first numbers of similar seeds are similar, so they are skipped.
  for (let skipped = 0; skipped < 15; skipped += 1) next()
  return next
}

/**
 * Draws distinct numbers below `total`, in ascending order; all of them if there are at most `count` (Floyd's
 * algorithm).
 */
export function sampleRanks(total: number, count: number, seed: number): number[] {
  if (count >= total) return Array.from({ length: total }, (_, rank) => rank)
  const random = createRandom(seed)
  const chosen = new Set<number>()
  for (let last = total - count; last < total; last += 1) {
    const rank = Math.floor(random() * (last + 1))
    chosen.add(chosen.has(rank) ? last : rank)
  }
  return [...chosen].sort((one, other) => one - other)
}
