/** Weighted choice for load balancing: in proportion, whatever the sum; weight 0 never. */

/**
 * Picks an item by weight.
 * @param random a number in [0, 1)
 * @returns undefined when no item has a weight above 0
 */
export function pickWeighted<T extends { weight: number }>(
  items: readonly T[],
  random: number,
): T | undefined {
  let sum = 0
  for (const item of items) sum += item.weight
  let rest = random * sum
  let last: T | undefined
  for (const item of items) {
    if (item.weight <= 0) continue
    if (rest < item.weight) return item
    rest -= item.weight
    last = item
  }
  return last
}
