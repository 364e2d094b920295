/**
 * Applies reservations and settlements in order to the rows that were read, with the arithmetic of the contract.
 * Changed rows are written back together.
 */
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
  readUse,
  settleUse,
  slideUse,
  takeUse,
} from '@gateway/domain'
import type { HeldLease, StoredCounter, WrittenCounter, WrittenLease } from './counter-rows.ts'

interface ReserveStep {
  kind: 'reserve'
  id: string
  reservations: readonly Reservation[]
  leaseMs: number
  nowMs: number
}

interface SettleStep {
  kind: 'settle'
  id: string
  used: Parameters<Counters['settle']>[1]
  nowMs: number
}

export type CounterStep = ReserveStep | SettleStep

export interface CounterSteps {
  reserve(step: ReserveStep): ReservationResult
  settle(step: SettleStep): CounterReading[]
  /** Rows to write: changed counters and new reservations. */
  written(): { counters: WrittenCounter[]; leases: WrittenLease[] }
}

/** @param held the reservations of the attempts that are settled */
export function createCounterSteps(
  stored: ReadonlyMap<string, StoredCounter>,
  held: readonly HeldLease[],
  nowMs: number,
): CounterSteps {
  const counters = new Map(stored)
  const changed = new Map<string, WrittenCounter>()
  const holds = new Map<string, Map<string, CounterHold>>()
  /** By attempt and key. Settling an attempt removes its reservations. */
  const taken = new Map<string, Map<string, WrittenLease>>()
  for (const { attempt, key, hold } of held) obtain(holds, attempt).set(key, hold)

  function put(key: string, counter: StoredCounter & { use: CounterUse }): void {
    counters.set(key, counter)
    changed.set(key, { key, use: counter.use, leaseEndsAt: counter.endsAt ?? 0 })
  }

  function take(id: string, reservation: Reservation, endsAt: number): CounterReading {
    const { key, window, need, takes } = reservation
    const known = counters.get(key)
    const slid = slideUse(known?.use, window, nowMs)
    const reserved = known?.reserved ?? 0
    if (takes === 'use') {
      put(key, { use: takeUse(slid, reservation, nowMs), reserved, endsAt: known?.endsAt ?? null })
    } else {
      put(key, {
        use: slid,
        reserved: exactAmount(reserved + need),
        endsAt: Math.max(known?.endsAt ?? 0, endsAt),
      })
      const leases = obtain(taken, id)
      const amount = exactAmount(need + (leases.get(key)?.amount ?? 0))
      leases.set(key, { attempt: id, key, amount, use: slid, endsAt })
    }
    return readingOf(counters.get(key), window, nowMs)
  }

  /** Returns the reservations of an attempt, stored or new, and removes them. */
  function release(id: string): Map<string, CounterHold> {
    const released = new Map(holds.get(id))
    for (const [key, { amount, use }] of taken.get(id) ?? []) {
      const before = released.get(key)?.amount ?? 0
      released.set(key, {
        amount: exactAmount(before + amount),
        lengthMs: use.lengthMs,
        bucket: use.bucket,
      })
    }
    holds.delete(id)
    taken.delete(id)
    for (const [key, { amount }] of released) {
      const known = counters.get(key)
      if (known !== undefined) counters.set(key, { ...known, reserved: exactAmount(known.reserved - amount) })
    }
    return released
  }

  return {
    reserve({ id, reservations, leaseMs }) {
      const before = reservations.map((one) => {
        const reading = readingOf(counters.get(one.key), one.window, nowMs)
        return { ...reading, isAdmitted: admitsReservation(one, reading) }
      })
      if (!before.every(({ isAdmitted }) => isAdmitted)) return { isAdmitted: false, readings: before }
      const endsAt = Math.ceil(nowMs + leaseMs)
      const readings = reservations.map((one) => ({ ...take(id, one, endsAt), isAdmitted: true }))
      return { isAdmitted: true, readings }
    },
    settle({ id, used }) {
      const released = release(id)
      for (const { key, window, amount } of used) {
        const hold = released.get(key)
        const known = counters.get(key)
        if (hold === undefined || known === undefined) continue
        put(key, { ...known, use: settleUse(slideUse(known.use, window, nowMs), hold, amount) })
      }
      return used.map(({ key, window }) => readingOf(counters.get(key), window, nowMs))
    },
    written: () => ({
      counters: [...changed.values()],
      leases: [...taken.values()].flatMap((leases) => [...leases.values()]),
    }),
  }
}

export function readingOf(
  counter: StoredCounter | undefined,
  window: CounterWindow | null,
  nowMs: number,
): CounterReading {
  const used = readUse(slideUse(counter?.use, window, nowMs), window, nowMs)
  return { used, reserved: exactAmount(counter?.reserved ?? 0) }
}

function obtain<Value>(maps: Map<string, Map<string, Value>>, id: string): Map<string, Value> {
  const known = maps.get(id) ?? new Map<string, Value>()
  maps.set(id, known)
  return known
}
