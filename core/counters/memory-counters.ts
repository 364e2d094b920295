/** Counters of a single process, in a map; unsettled reservations are released when their lease ends. */
import type {
  CounterReading,
  Counters,
  CounterUse,
  CounterWindow,
  Reservation,
  ReservationResult,
} from '@gateway/contract'
import {
  admitsReservation,
  type CounterHold,
  exactAmount,
  isOpenWindow,
  raiseUse,
  readUse,
  settleUse,
  slideUse,
  takenAmount,
  takeUse,
} from '@gateway/domain'

interface Counter {
  readonly key: string
  use: CounterUse | undefined
  reserved: number
  /** Attempts with a reservation in it. */
  holders: number
}

type ReservationReading = ReservationResult['readings'][number]

/** An attempt's reservation in one counter. */
interface Lease extends CounterHold {
  readonly counter: Counter
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

export interface MemoryCountersOptions {
  /** Called for every key whose usage has changed, with the previous usage. */
  onChange?: (key: string, use: CounterUse, before: CounterUse | undefined) => void
}

/** Counters in memory with access to raw uses, for persistence. */
export interface MemoryCounters extends Counters {
  /** The usage of a counter when it last changed; undefined if nothing is stored or its window has passed. */
  useOf(key: string): CounterUse | undefined
  /** Whether this attempt has a reservation. */
  holds(id: string): boolean
  /** Sets the usage of a counter without calling `onChange`. */
  restore(key: string, use: CounterUse): void
}

/** Below this number of counters nothing is swept. */
const sweepFloor = 1000

/** Counters in memory: exact, because calls run synchronously and never interleave. */
export function createMemoryCounters({
  onChange = () => undefined,
}: MemoryCountersOptions = {}): MemoryCounters {
  const counters = new Map<string, Counter>()
  /** The reservations of each attempt. */
  const attempts = new Map<string, Lease[]>()
  /** No lease ends before this time. */
  let nextEndAt = Number.POSITIVE_INFINITY
  let sweepAt = sweepFloor

  function obtain(key: string, nowMs: number): Counter {
    const known = counters.get(key)
    if (known !== undefined) return known
    if (counters.size >= sweepAt) sweep(nowMs)
    const counter = { key, use: undefined, reserved: 0, holders: 0 }
    counters.set(key, counter)
    return counter
  }

  /** Releases unsettled holds. Most are settled long before, so it checks only once per lease period. */
  function lapse(nowMs: number): void {
    if (nowMs < nextEndAt) return
    nextEndAt = Number.POSITIVE_INFINITY
    for (const [id, leases] of attempts) {
      const left = leases.filter(({ endsAt }) => endsAt > nowMs)
      for (const { endsAt } of left) nextEndAt = Math.min(nextEndAt, endsAt)
      if (left.length === leases.length) continue
      for (const lease of leases) if (lease.endsAt <= nowMs) release(lease)
      if (left.length === 0) attempts.delete(id)
      else attempts.set(id, left)
    }
  }

  function release({ counter, amount }: Lease): void {
    counter.holders -= 1
    counter.reserved = counter.holders === 0 ? 0 : exactAmount(counter.reserved - amount)
  }

  /** Keeps budgets, and drops windows that no longer count. */
  function sweep(nowMs: number): void {
    for (const { key, holders, use } of counters.values())
      if (holders === 0 && isPast(use, nowMs)) counters.delete(key)
    // Doubling keeps the cost of sweeping constant per created counter.
    sweepAt = Math.max(sweepFloor, counters.size * 2)
  }

  function reading(key: string, window: CounterWindow | null, nowMs: number): CounterReading {
    const counter = counters.get(key)
    return counter === undefined ? { used: 0, reserved: 0 } : readingOf(counter, window, nowMs)
  }

  function change(counter: Counter, use: CounterUse): void {
    const before = counter.use
    if (use === before) return
    counter.use = use
    onChange(counter.key, use, before)
  }

  function hold(
    id: string,
    counter: Counter,
    { need, use, endsAt }: { need: number; use: CounterUse; endsAt: number },
  ): void {
    const leases = attempts.get(id) ?? []
    const at = leases.findIndex((lease) => lease.counter === counter)
    const known = leases[at]
    const amount = known === undefined ? need : exactAmount(known.amount + need)
    const lease: Lease = { counter, amount, lengthMs: use.lengthMs, bucket: use.bucket, endsAt }
    if (known === undefined) {
      counter.holders += 1
      leases.push(lease)
    } else leases[at] = lease
    attempts.set(id, leases)
    counter.reserved = exactAmount(counter.reserved + need)
    nextEndAt = Math.min(nextEndAt, endsAt)
  }

  return {
    reserve(id, asked, { leaseMs, nowMs }) {
      lapse(nowMs)
      const uses: CounterUse[] = []
      const readings: ReservationReading[] = []
      let isAdmitted = true
      const reservations = asked.map(exactly)
      for (const one of reservations) {
        const counter = counters.get(one.key)
        const use = slideUse(counter?.use, one.window, nowMs)
        const reading = { used: readUse(use, one.window, nowMs), reserved: counter?.reserved ?? 0 }
        const isOpen = admitsReservation(one, reading)
        isAdmitted &&= isOpen
        uses.push(use)
        readings.push({ used: reading.used, reserved: reading.reserved, isAdmitted: isOpen })
      }
      if (!isAdmitted) return { isAdmitted, readings }
      const endsAt = nowMs + leaseMs
      reservations.forEach((one, index) => {
        const counter = obtain(one.key, nowMs)
        const before = uses[index] as CounterUse
        const use = one.takes === 'use' ? takeUse(before, one, nowMs) : before
        change(counter, use)
        if (one.takes === 'hold') hold(id, counter, { need: one.need, use, endsAt })
        const used = readUse(use, one.window, nowMs)
        readings[index] = { used, reserved: counter.reserved, isAdmitted: true }
      })
      return { isAdmitted, readings }
    },
    settle(id, used, nowMs) {
      lapse(nowMs)
      const amounts = used.map(({ amount }) => takenAmount(amount))
      for (const lease of attempts.get(id) ?? []) {
        const { counter } = lease
        release(lease)
        const at = used.findIndex(({ key }) => key === counter.key)
        const named = used[at]
        if (named === undefined) continue
        change(counter, settleUse(slideUse(counter.use, named.window, nowMs), lease, amounts[at] ?? 0))
      }
      attempts.delete(id)
      return used.map(({ key, window }) => reading(key, window, nowMs))
    },
    async read(keys, nowMs) {
      lapse(nowMs)
      return keys.map(({ key, window }) => reading(key, window, nowMs))
    },
    async reset(keys) {
      for (const key of keys) {
        const counter = counters.get(key)
        if (counter?.use !== undefined) change(counter, { ...counter.use, current: 0, previous: 0 })
      }
    },
    async seed(budgets) {
      for (const { key, used } of budgets) {
        const counter = obtain(key, Date.now())
        const use = slideUse(counter.use, null, 0)
        change(counter, { ...use, current: Math.max(use.current, takenAmount(used)) })
      }
    },
    async list(prefix, after, limit) {
      const found: { key: string; used: number }[] = []
      for (const [key, { use }] of counters) {
        if (use?.lengthMs === 0 && key.startsWith(prefix) && (after === null || compareBytes(key, after) > 0))
          found.push({ key, used: use.current })
      }
      return found.sort((one, other) => compareBytes(one.key, other.key)).slice(0, limit)
    },
    async listWindows(cursor, limit, nowMs) {
      const open = [...counters.values()].flatMap(({ key, use }) =>
        use !== undefined && isOpenWindow(use, nowMs) && (cursor === null || compareBytes(key, cursor) > 0)
          ? [{ key, use }]
          : [],
      )
      const windows = open.sort((one, other) => compareBytes(one.key, other.key)).slice(0, limit)
      return { windows, next: windows.length < open.length ? (windows.at(-1)?.key ?? null) : null }
    },
    async seedWindows(windows) {
      for (const { key, use } of windows) {
        const counter = obtain(key, Date.now())
        change(counter, raiseUse(counter.use, exactUse(use)))
      }
    },
    useOf: (key) => counters.get(key)?.use,
    holds: (id) => attempts.has(id),
    restore(key, use) {
      obtain(key, Date.now()).use = use
    },
  }
}

function readingOf({ use, reserved }: Counter, window: CounterWindow | null, nowMs: number): CounterReading {
  return { used: readUse(slideUse(use, window, nowMs), window, nowMs), reserved }
}

/** Converts amounts to their stored form; throws for invalid ones. */
function exactUse(use: CounterUse): CounterUse {
  return { ...use, current: takenAmount(use.current), previous: takenAmount(use.previous) }
}

/** Rounds the amount to store; most are exact already. */
function exactly(asked: Reservation): Reservation {
  const need = takenAmount(asked.need)
  return need === asked.need ? asked : { ...asked, need }
}

function isPast(use: CounterUse | undefined, nowMs: number): boolean {
  if (use === undefined) return true
  // Weeks have an offset of less than one bucket, so one more bucket is kept.
  return use.lengthMs > 0 && nowMs >= (use.bucket + 3) * use.lengthMs
}

/** The order of UTF-8 bytes, as in the other engines. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
