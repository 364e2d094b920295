/** Weighted choice for load balancing: proportional to the weights, for any sum; never an item of weight 0. */

/**
 * Picks an item by weight.
 * @param random a number in [0, 1)
 * @returns undefined when no item has a weight above 0
 */
export function pickWeighted<T extends { weight: number }>(
  items: readonly T[],
  random: number,
): T | undefined {
  const sum = sumOf(items, 1)
  // Weights whose sum would exceed the largest number are scaled first.
  const scale = Number.isFinite(sum) ? 1 : 1 / items.length
  let rest = random * (scale === 1 ? sum : sumOf(items, scale))
  let last: T | undefined
  for (const item of items) {
    if (item.weight <= 0) continue
    const weight = item.weight * scale
    if (rest < weight) return item
    rest -= weight
    last = item
  }
  return last
}

function sumOf(items: readonly { weight: number }[], scale: number): number {
  let sum = 0
  for (const { weight } of items) sum += weight * scale
  return sum
}
