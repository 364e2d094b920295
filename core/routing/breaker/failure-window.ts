/** Counts failures in a sliding window, in bounded memory at any rate. */

export interface FailureWindow {
  /** Counts a failure and returns the number within the window. Milliseconds since the epoch. */
  add(now: number): number
  /** The number of failures in the window. */
  count(now: number): number
  clear(): void
  readonly empty: boolean
}

/** Failures closer together than this share of the window expire together, which bounds the number of slots. */
const slots = 1000

/** A sliding window of `windowMs`. */
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
