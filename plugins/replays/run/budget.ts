/**
 * The budget of a replay, in US cents. A request starts only if the spent and reserved amounts stay within it. A
 * reservation is stored before its request starts, so a request that a crash interrupts counts with its reserved
 * amount.
 */
import type { Commits } from '@gateway/batches/engine'
import type { Capabilities } from '@gateway/contract'
import { pairsEnd, releasePosition, reservationPosition } from '../positions.ts'

export interface Budget {
  /** Resolves to the reservation's number once it is stored; null if the budget is exhausted, 0 without a budget. */
  reserve(cents: number): Promise<number | null>
  /** Releases the reservations of a pair and counts its cost. */
  settle(reservations: readonly number[], cents: number): void
  /** Releases the reservation of a request that was not sent. */
  release(number: number): Promise<void>
  /** The amount reserved by crashed processes. */
  readonly unsettled: number
}

export const noBudget: Budget = {
  reserve: async () => 0,
  settle: () => undefined,
  release: async () => undefined,
  unsettled: 0,
}

interface Kept {
  cents: number
}

/** Prices are sums of floating point numbers, so small differences are ignored. */
const tolerance = 1e-9

export interface BudgetOptions {
  limitCents: number
  spentCents: number
  /** The reservations of stored results. */
  settled: ReadonlySet<number>
  /** Reservations that are stored, by number. */
  stored: ReadonlyMap<number, number>
  commits: Commits
}

export function createBudget({ limitCents, spentCents, settled, stored, commits }: BudgetOptions): Budget {
  let spent = spentCents
  let reserved = 0
  let unsettled = 0
  let newest = 0
  for (const [number, cents] of stored) {
    newest = Math.max(newest, number)
    if (!settled.has(number)) unsettled += cents
  }
  const held = new Map<number, number>()
  const forget = (number: number) => {
    reserved -= held.get(number) ?? 0
    held.delete(number)
  }
  return {
    unsettled,
    async reserve(cents) {
      if (spent + unsettled + reserved + cents > limitCents + tolerance) return null
      newest += 1
      const number = newest
      held.set(number, cents)
      reserved += cents
      const kept: Kept = { cents }
      await commits.add({ position: reservationPosition(number), data: JSON.stringify(kept), outgoing: [] })
      return number
    },
    settle(reservations, cents) {
      for (const number of reservations) forget(number)
      spent += cents
    },
    async release(number) {
      forget(number)
      if (number > 0) await commits.add({ position: releasePosition(number), data: '{}', outgoing: [] })
    },
  }
}

const pageSize = 500
const firstRelease = releasePosition(0)

/** The reservations of a work item that were not released, in cents by number. */
export async function storedReservations(
  work: Pick<Capabilities['work'], 'results'>,
  id: string,
): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  for (let after = pairsEnd; ; ) {
    const page = await work.results(id, after, pageSize)
    for (const { position, data } of page)
      if (position >= firstRelease) found.delete(position - firstRelease)
      else found.set(position - pairsEnd, (JSON.parse(data) as Kept).cents)
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return found
    after = last.position
  }
}
