/**
 * The arithmetic of counters, the same for every engine: sliding windows, readings, settlements. Amounts below four
 * million are rounded to multiples of 10⁻⁹; larger integers are exact. So sums of fractions do not drift, and tokens
 * count exactly up to 2⁵³.
 */
import type { CounterReading, CounterUse, CounterWindow, Reservation } from '@gateway/contract'

/** An attempt's hold on one counter, and the bucket of its admission. */
export interface CounterHold {
  readonly amount: number
  readonly lengthMs: number
  readonly bucket: number
}

const units = 1e9
/** Above it, 10⁻⁹ is below a double's precision. */
const fractionsBelow = 4e6

/** Corrects floating-point error in a sum or difference; throws for an invalid amount. */
export function exactAmount(amount: number): number {
  if (!Number.isFinite(amount)) throw new RangeError('The amount of a counter is not a finite number.')
  return Math.abs(amount) < fractionsBelow ? Math.floor(amount * units + 0.5) / units : amount
}

/** An amount that may be taken from a counter: exact, finite and never below 0. */
export function takenAmount(amount: number): number {
  if (amount < 0) throw new RangeError('The amount of a counter is negative.')
  return exactAmount(amount)
}

/** The number of the bucket that contains a time; 0 for a budget. */
export function bucketAt(window: CounterWindow | null, atMs: number): number {
  return window === null ? 0 : Math.floor((atMs - window.offsetMs) / window.lengthMs)
}

/** The use, moved to the bucket of a time; empty for a new counter or one with another window. */
export function slideUse(
  use: CounterUse | undefined,
  window: CounterWindow | null,
  nowMs: number,
): CounterUse {
  const lengthMs = window?.lengthMs ?? 0
  const bucket = bucketAt(window, nowMs)
  if (use === undefined || use.lengthMs !== lengthMs) return { lengthMs, bucket, current: 0, previous: 0 }
  // A clock that goes back by less than a bucket keeps counting in its bucket; a bucket further ahead came from a wrong
  // clock.
  if (bucket === use.bucket || bucket === use.bucket - 1) return use
  return moveTo(use, bucket)
}

/** The per-bucket maximum of two uses of the same counter; never their sum. */
export function raiseUse(use: CounterUse | undefined, to: CounterUse): CounterUse {
  if (use === undefined || use.lengthMs !== to.lengthMs) return to
  const bucket = Math.max(use.bucket, to.bucket)
  const [one, other] = [use, to].map((each) => moveTo(each, bucket)) as [CounterUse, CounterUse]
  return {
    lengthMs: use.lengthMs,
    bucket,
    current: Math.max(one.current, other.current),
    previous: Math.max(one.previous, other.previous),
  }
}

/** The use, moved to the same or a later bucket. */
function moveTo(use: CounterUse, bucket: number): CounterUse {
  if (bucket === use.bucket) return use
  return { ...use, bucket, current: 0, previous: bucket === use.bucket + 1 ? use.current : 0 }
}

/** The amount that counts against the limit now; `use` is a result of {@link slideUse} for this window and time. */
export function readUse(use: CounterUse, window: CounterWindow | null, nowMs: number): number {
  if (window === null || use.previous === 0) return use.current
  const elapsedMs = nowMs - window.offsetMs - use.bucket * window.lengthMs
  const share = Math.min(1, (window.lengthMs - elapsedMs) / window.lengthMs)
  return exactAmount(use.current + Math.ceil(exactAmount(use.previous * share)))
}

/** Whether a reading admits a reservation. */
export function admitsReservation(
  { limit, need, admits }: Reservation,
  { used, reserved }: CounterReading,
): boolean {
  const taken = exactAmount(used + reserved)
  return admits === 'open' ? taken < limit : exactAmount(taken + Math.min(need, limit)) <= limit
}

/** Adds an amount to the current bucket. */
function addUse(use: CounterUse, amount: number): CounterUse {
  const { lengthMs, bucket, current, previous } = use
  return { lengthMs, bucket, current: exactAmount(current + amount), previous }
}

/** Adds what a reservation uses at once to the bucket of its start; unchanged when that bucket has passed. */
export function takeUse(
  use: CounterUse,
  { need, window, ageMs = 0 }: Reservation,
  nowMs: number,
): CounterUse {
  // Without an age it counts now, even if the clock went back into the previous bucket.
  if (ageMs === 0) return addUse(use, need)
  return settleUse(
    use,
    { amount: need, lengthMs: use.lengthMs, bucket: bucketAt(window, nowMs - ageMs) },
    need,
  )
}

/** Adds an amount to the bucket that admitted a hold; unchanged when that bucket has passed. */
export function settleUse(use: CounterUse, hold: CounterHold, amount: number): CounterUse {
  if (hold.lengthMs !== use.lengthMs) return use
  if (hold.bucket === use.bucket) return addUse(use, amount)
  if (hold.bucket !== use.bucket - 1) return use
  return { ...use, previous: exactAmount(use.previous + amount) }
}
