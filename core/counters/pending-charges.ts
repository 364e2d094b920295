/**
 * Usage of budgets that the shared counters do not know yet. The usage counted by this process alone is summed per
 * budget and sent as charges; each has an id under which it counts once, so that a charge whose answer was lost can be
 * sent again.
 */
import { randomUUID } from 'node:crypto'
import type { Counters } from '@gateway/contract'
import { exactAmount } from '@gateway/domain'

type Used = Parameters<Counters['settle']>[1]

/** The charges sent in one step; either all of them are counted or none. */
export interface Charge {
  readonly id: string
  readonly used: Used
}

export interface PendingCharges {
  /** Adds to the next charge of a budget. */
  add(key: string, amount: number): void
  /**
   * Counts these budgets' usage as charged until `uncount` is called: a settlement reports it to the shared counters.
   */
  count(used: Used): void
  uncount(used: Used): void
  /** The usage of a budget that the shared counters do not know. */
  of(key: string): number
  /** The budgets with such usage. */
  keys(): string[]
  isEmpty(): boolean
  /** Takes the next charges; the caller owns them until it puts them back or removes them. */
  take(): Charge | undefined
  putBack(charge: Charge): void
  /** Adds a charge that the shared counters may have counted already, under the same id. */
  owe(charge: Charge): void
  /** Removes such a charge: they have counted it. */
  cancel(id: string): void
  /** All charges that are not sent yet. */
  all(): Charge[]
  /** Removes charges that the shared counters have counted. */
  remove(charge: Charge): void
  /** Drops the usage of budgets that were reset. */
  forget(keys: readonly string[]): void
}

/** The maximum number of budgets per charge. */
const most = 100

export function createPendingCharges(): PendingCharges {
  const outstanding = new Map<string, number>()
  let unsent = new Map<string, number>()
  let returned: Charge[] = []

  function change(key: string, amount: number): void {
    const left = exactAmount((outstanding.get(key) ?? 0) + amount)
    if (left > 0) outstanding.set(key, left)
    else outstanding.delete(key)
  }

  function takeUnsent(): Charge | undefined {
    if (unsent.size === 0) return undefined
    const all = [...unsent]
    unsent = new Map(all.slice(most))
    const used = all.slice(0, most).map(([key, amount]) => ({ key, window: null, amount }))
    return { id: `charge/${randomUUID()}`, used }
  }

  const uncount = (used: Used) => {
    for (const { key, window, amount } of used) if (window === null) change(key, -amount)
  }

  return {
    add(key, amount) {
      if (amount <= 0) return
      change(key, amount)
      unsent.set(key, exactAmount((unsent.get(key) ?? 0) + amount))
    },
    count(used) {
      for (const { key, window, amount } of used) if (window === null) change(key, amount)
    },
    uncount,
    of: (key) => outstanding.get(key) ?? 0,
    keys: () => [...outstanding.keys()],
    isEmpty: () => unsent.size === 0 && returned.length === 0,
    take: () => returned.shift() ?? takeUnsent(),
    putBack: (charge) => void returned.push(charge),
    owe(charge) {
      for (const { key, amount } of charge.used) change(key, amount)
      returned.push(charge)
    },
    cancel(id) {
      const charge = returned.find((each) => each.id === id)
      if (charge === undefined) return
      returned = returned.filter((each) => each !== charge)
      uncount(charge.used)
    },
    all() {
      for (let next = takeUnsent(); next !== undefined; next = takeUnsent()) returned.push(next)
      return [...returned]
    },
    remove: ({ used }) => uncount(used),
    forget(keys) {
      const forgotten = new Set(keys)
      for (const key of keys) {
        outstanding.delete(key)
        unsent.delete(key)
      }
      returned = returned.flatMap(({ id, used }) => {
        const kept = used.filter(({ key }) => !forgotten.has(key))
        return kept.length === 0 ? [] : [{ id, used: kept }]
      })
    },
  }
}
