/**
 * Distributions of response times in bins that grow by 2%: quantiles are accurate to 1%, for any number of values.
 */
const growth = 1.02
const logGrowth = Math.log(growth)
/** The bin of times below a millisecond. */
const zeroBin = -1

/** The bin of a time in milliseconds. */
export function latencyBin(milliseconds: number): number {
  return milliseconds < 1 ? zeroBin : Math.ceil(Math.log(milliseconds) / logGrowth - 1e-9)
}

/** The time that a bin represents. */
function binTime(bin: number): number {
  if (bin === zeroBin) return 0
  const middle = (2 * growth ** bin) / (growth + 1)
  // Bins that contain only one whole millisecond return it exactly.
  return middle < 1 / (growth - 1) ? Math.round(middle) : middle
}

/** The time at a rank of 0 to 1, by nearest rank; 0 without values. */
export function percentile(histogram: ReadonlyMap<number, number>, rank: number): number {
  const bins = [...histogram].sort(([left], [right]) => left - right)
  const count = bins.reduce((sum, [, each]) => sum + each, 0)
  const wanted = Math.max(1, Math.ceil(rank * count - 1e-9))
  let seen = 0
  for (const [bin, each] of bins) {
    seen += each
    if (seen >= wanted) return binTime(bin)
  }
  return 0
}

/** The upper bound of a bin. */
export const binLimit = (bin: number): number => (bin === zeroBin ? 1 : growth ** bin)
