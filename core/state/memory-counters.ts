/** Counters of a single process, in a map; what nobody settled is given back at the end of its lease. */
import {
  addUse,
  admitsReservation,
  type CounterHold,
  type CounterReading,
  type Counters,
  type CounterUse,
  type CounterWindow,
  exactAmount,
  type Reservation,
  readUse,
  settleUse,
  slideUse,
  takenAmount,
} from '../contract/index.ts'

interface Lease extends CounterHold {
  /** Milliseconds since the epoch. */
  readonly endsAt: number
}

interface Counter {
  use: CounterUse | undefined
  reserved: number
  /** By the id of the attempt. */
  leases: Map<string, Lease>
  /** No lease ends before it. */
  nextEndAt: number
}

export interface MemoryCountersOptions {
  /** Hears of every key whose use has changed. */
  onChange?: (key: string) => void
}

/** Counters in memory, and their uses as they are: to be kept and brought back by who outlasts the process. */
export interface MemoryCounters extends Counters {
  /** The use of a counter as it was last changed; undefined: it has none, or its window has passed. */
  useOf(key: string): CounterUse | undefined
  /** Whether this attempt holds something of the counter, or of any. */
  holds(id: string, key?: string): boolean
  /** Sets the use of a counter, without a word to `onChange`. */
  restore(key: string, use: CounterUse): void
}

/** Fewer counters than this are never swept. */
const sweepFloor = 1000

/** Counters in memory: exact, since nothing comes between the steps of one call. */
export function createMemoryCounters({
  onChange = () => undefined,
}: MemoryCountersOptions = {}): MemoryCounters {
  const counters = new Map<string, Counter>()
  /** Which counters an attempt holds something of. */
  const attempts = new Map<string, Set<string>>()
  let sweepAt = sweepFloor

  function find(key: string, nowMs: number): Counter | undefined {
    const counter = counters.get(key)
    if (counter !== undefined && counter.nextEndAt <= nowMs) lapse(key, counter, nowMs)
    return counter
  }

  function obtain(key: string, nowMs: number): Counter {
    const known = counters.get(key)
    if (known !== undefined) return known
    if (counters.size >= sweepAt) sweep(nowMs)
    const counter = { use: undefined, reserved: 0, leases: new Map(), nextEndAt: Number.POSITIVE_INFINITY }
    counters.set(key, counter)
    return counter
  }

  function lapse(key: string, counter: Counter, nowMs: number): void {
    let nextEndAt = Number.POSITIVE_INFINITY
    for (const [id, lease] of counter.leases) {
      if (lease.endsAt <= nowMs) release(id, key, counter, lease)
      else nextEndAt = Math.min(nextEndAt, lease.endsAt)
    }
    counter.nextEndAt = nextEndAt
  }

  function release(id: string, key: string, counter: Counter, lease: Lease): void {
    counter.leases.delete(id)
    counter.reserved = counter.leases.size === 0 ? 0 : exactAmount(counter.reserved - lease.amount)
    const keys = attempts.get(id)
    if (keys?.delete(key) && keys.size === 0) attempts.delete(id)
  }

  /** Budgets stay; windows go once nothing of them counts any more. */
  function sweep(nowMs: number): void {
    for (const key of [...counters.keys()]) {
      const counter = find(key, nowMs)
      if (counter !== undefined && counter.leases.size === 0 && isPast(counter.use, nowMs))
        counters.delete(key)
    }
    // Doubling keeps the cost of sweeping constant for each counter that is made.
    sweepAt = Math.max(sweepFloor, counters.size * 2)
  }

  function reading(key: string, window: CounterWindow | null, nowMs: number): CounterReading {
    const counter = find(key, nowMs)
    const used = readUse(slideUse(counter?.use, window, nowMs), window, nowMs)
    return { used, reserved: counter?.reserved ?? 0 }
  }

  function change(key: string, counter: Counter, use: CounterUse): void {
    if (use === counter.use) return
    counter.use = use
    onChange(key)
  }

  function take(id: string, { key, window, need, takes }: Reservation, endsAt: number, nowMs: number): void {
    const counter = obtain(key, nowMs)
    const use = slideUse(counter.use, window, nowMs)
    change(key, counter, takes === 'use' ? addUse(use, need) : use)
    if (takes === 'use') return
    const held = counter.leases.get(id)
    counter.leases.set(id, {
      amount: exactAmount((held?.amount ?? 0) + need),
      lengthMs: use.lengthMs,
      bucket: use.bucket,
      endsAt,
    })
    counter.reserved = exactAmount(counter.reserved + need)
    counter.nextEndAt = Math.min(counter.nextEndAt, endsAt)
    const keys = attempts.get(id) ?? new Set()
    attempts.set(id, keys.add(key))
  }

  return {
    async reserve(id, asked, leaseMs, nowMs) {
      const reservations = asked.map((one) => ({ ...one, need: takenAmount(one.need) }))
      const before = reservations.map((one) => {
        const found = reading(one.key, one.window, nowMs)
        return { ...found, isAdmitted: admitsReservation(one, found) }
      })
      if (!before.every(({ isAdmitted }) => isAdmitted)) return { isAdmitted: false, readings: before }
      for (const one of reservations) take(id, one, nowMs + leaseMs, nowMs)
      const after = reservations.map(({ key, window }) => ({
        ...reading(key, window, nowMs),
        isAdmitted: true,
      }))
      return { isAdmitted: true, readings: after }
    },
    async settle(id, used, nowMs) {
      const amounts = used.map(({ amount }) => takenAmount(amount))
      used.forEach(({ key, window }, index) => {
        const counter = find(key, nowMs)
        const lease = counter?.leases.get(id)
        if (counter === undefined || lease === undefined) return
        release(id, key, counter, lease)
        change(key, counter, settleUse(slideUse(counter.use, window, nowMs), lease, amounts[index] ?? 0))
      })
      for (const key of attempts.get(id) ?? []) {
        const counter = counters.get(key)
        const lease = counter?.leases.get(id)
        if (counter !== undefined && lease !== undefined) release(id, key, counter, lease)
      }
      return Object.fromEntries(used.map(({ key, window }) => [key, reading(key, window, nowMs)]))
    },
    async read(keys, nowMs) {
      return keys.map(({ key, window }) => reading(key, window, nowMs))
    },
    async reset(keys) {
      for (const key of keys) {
        const counter = counters.get(key)
        if (counter?.use !== undefined) change(key, counter, { ...counter.use, current: 0, previous: 0 })
      }
    },
    async seed(budgets) {
      for (const { key, used } of budgets) {
        const counter = obtain(key, Date.now())
        const use = slideUse(counter.use, null, 0)
        change(key, counter, { ...use, current: Math.max(use.current, takenAmount(used)) })
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
    useOf: (key) => counters.get(key)?.use,
    holds: (id, key) => (key === undefined ? attempts.has(id) : attempts.get(id)?.has(key) === true),
    restore(key, use) {
      obtain(key, Date.now()).use = use
    },
  }
}

function isPast(use: CounterUse | undefined, nowMs: number): boolean {
  if (use === undefined) return true
  // A week's offset is less than a length: one bucket more.
  return use.lengthMs > 0 && nowMs >= (use.bucket + 3) * use.lengthMs
}

/** The order of UTF-8, which the other engines keep. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
