/**
 * The arithmetic of counters, the same for every engine: how windows slide, what a reading says, what a settlement adds.
 * Amounts below four million are kept as the number nearest to a whole multiple of 10⁻⁹, and larger ones are exact
 * when they are whole: so sums of fractions do not drift, and tokens count exactly up to 2⁵³.
 */
import type { CounterReading, CounterUse, CounterWindow, Reservation } from '@gateway/contract'

/** What an attempt holds of one counter, and the bucket of its admission. */
export interface CounterHold {
  readonly amount: number
  readonly lengthMs: number
  readonly bucket: number
}

const units = 1e9
/** Above it 10⁻⁹ is less than what a number can tell apart. */
const fractionsBelow = 4e6

/** The sum or difference that is meant by one that may be off in its last digit; throws for what is no amount. */
export function exactAmount(amount: number): number {
  if (!Number.isFinite(amount)) throw new RangeError('The amount of a counter is not a finite number.')
  return Math.abs(amount) < fractionsBelow ? Math.floor(amount * units + 0.5) / units : amount
}

/** An amount that may be taken from a counter: exact, finite and never below 0. */
export function takenAmount(amount: number): number {
  if (amount < 0) throw new RangeError('The amount of a counter is negative.')
  return exactAmount(amount)
}

/** The number of the bucket that holds a time; 0 of a budget. */
export function bucketAt(window: CounterWindow | null, atMs: number): number {
  return window === null ? 0 : Math.floor((atMs - window.offsetMs) / window.lengthMs)
}

/** The use as its window sees it at a time; of a counter that is new, or had another window, nothing. */
export function slideUse(
  use: CounterUse | undefined,
  window: CounterWindow | null,
  nowMs: number,
): CounterUse {
  const lengthMs = window?.lengthMs ?? 0
  const bucket = bucketAt(window, nowMs)
  if (use === undefined || use.lengthMs !== lengthMs) return { lengthMs, bucket, current: 0, previous: 0 }
  // A clock that goes back by less than a bucket counts on in the bucket it was in; one that was far ahead was wrong.
  if (bucket === use.bucket || bucket === use.bucket - 1) return use
  return moveTo(use, bucket)
}

/** The use raised to another one of the same counter, in each bucket that both may know; never their sum. */
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

/** The use as a bucket that is not before its own sees it. */
function moveTo(use: CounterUse, bucket: number): CounterUse {
  if (bucket === use.bucket) return use
  return { ...use, bucket, current: 0, previous: bucket === use.bucket + 1 ? use.current : 0 }
}

/** What counts against the limit now; `use` is one that {@link slideUse} gave for this window and time. */
export function readUse(use: CounterUse, window: CounterWindow | null, nowMs: number): number {
  if (window === null || use.previous === 0) return use.current
  const elapsedMs = nowMs - window.offsetMs - use.bucket * window.lengthMs
  const share = Math.min(1, (window.lengthMs - elapsedMs) / window.lengthMs)
  return exactAmount(use.current + Math.ceil(exactAmount(use.previous * share)))
}

/** Whether a reading lets a reservation in. */
export function admitsReservation(
  { limit, need, admits }: Reservation,
  { used, reserved }: CounterReading,
): boolean {
  const taken = exactAmount(used + reserved)
  return admits === 'open' ? taken < limit : exactAmount(taken + Math.min(need, limit)) <= limit
}

/** The use with an amount more in the current bucket. */
function addUse(use: CounterUse, amount: number): CounterUse {
  const { lengthMs, bucket, current, previous } = use
  return { lengthMs, bucket, current: exactAmount(current + amount), previous }
}

/** The use with what a reservation takes at once, in the bucket in which it began; unchanged when that bucket has gone. */
export function takeUse(
  use: CounterUse,
  { need, window, ageMs = 0 }: Reservation,
  nowMs: number,
): CounterUse {
  // Without an age it counts now, also by a clock that went back into the bucket before.
  if (ageMs === 0) return addUse(use, need)
  return settleUse(
    use,
    { amount: need, lengthMs: use.lengthMs, bucket: bucketAt(window, nowMs - ageMs) },
    need,
  )
}

/** The use with an amount more in the bucket in which a hold was admitted; unchanged when that bucket has gone. */
export function settleUse(use: CounterUse, hold: CounterHold, amount: number): CounterUse {
  if (hold.lengthMs !== use.lengthMs) return use
  if (hold.bucket === use.bucket) return addUse(use, amount)
  if (hold.bucket !== use.bucket - 1) return use
  return { ...use, previous: exactAmount(use.previous + amount) }
}
