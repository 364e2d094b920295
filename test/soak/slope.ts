/** The growth of a noisy series. */

export interface Sample {
  /** Minutes. */
  at: number
  megabytes: number
}

/** The minimum of each minute: calls in flight and a config that is being replaced only add to the kept memory. */
export function leastOfMinutes(samples: readonly Sample[], fromMinute: number): Sample[] {
  const least = new Map<number, number>()
  for (const { at, megabytes } of samples) {
    const minute = Math.floor(at)
    if (minute >= fromMinute) least.set(minute, Math.min(least.get(minute) ?? megabytes, megabytes))
  }
  return [...least].map(([at, megabytes]) => ({ at, megabytes }))
}

/**
 * MB in 10 minutes: the median of the slopes between all pairs, which a few values far off the line do not move. Null
 * for less than two. https://en.wikipedia.org/wiki/Theil%E2%80%93Sen_estimator
 */
export function slopeOf(samples: readonly Sample[]): number | null {
  const slopes = samples.flatMap((one, index) =>
    samples
      .slice(index + 1)
      .filter(({ at }) => at !== one.at)
      .map(({ at, megabytes }) => (megabytes - one.megabytes) / (at - one.at)),
  )
  slopes.sort((one, other) => one - other)
  const middle = slopes.length / 2
  const low = slopes[Math.ceil(middle) - 1]
  const high = slopes[Math.floor(middle)]
  return low === undefined || high === undefined ? null : ((low + high) / 2) * 10
}
