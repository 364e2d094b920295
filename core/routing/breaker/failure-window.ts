/** Counts the failures of the last while, in bounded memory whatever their rate. */

export interface FailureWindow {
  /** Counts one and returns the number within the window. Milliseconds since the epoch. */
  add(now: number): number
  /** How many are not older than the window now. */
  count(now: number): number
  clear(): void
  readonly empty: boolean
}

/** Failures this close together, as a share of the window, age as one; so there are never more slots than this. */
const slots = 1000

/** A sliding window of `windowMs`: a failure counts until it is older than that. */
export function createFailureWindow(windowMs: number): FailureWindow {
  let failures: { at: number; count: number }[] = []
  return {
    add(now) {
      failures = failures.filter(({ at }) => now - at <= windowMs)
      const last = failures.at(-1)
      if (last !== undefined && now - last.at < windowMs / slots) last.count += 1
      else failures.push({ at: now, count: 1 })
      return failures.reduce((total, { count }) => total + count, 0)
    },
    count: (now) =>
      failures.reduce((total, { at, count }) => (now - at <= windowMs ? total + count : total), 0),
    clear() {
      failures = []
    },
    get empty() {
      return failures.length === 0
    },
  }
}
