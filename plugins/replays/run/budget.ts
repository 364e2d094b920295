/**
 * The budget of a replay, in US cents: a request starts only if what is spent and reserved stays within it. A reservation
 * is stored before its request starts, so that a request that a crash cut off counts with what it had reserved.
 */
import type { Commits } from '@gateway/batches/engine'
import type { Capabilities } from '@gateway/contract'
import { pairsEnd, releasePosition, reservationPosition } from '../positions.ts'

export interface Budget {
  /** Resolves to the reservation's number, once it is stored. Null: there is no room. 0: there is no budget. */
  reserve(cents: number): Promise<number | null>
  /** Releases reservations of a pair, and counts what it has spent. */
  settle(reservations: readonly number[], cents: number): void
  /** Gives a reservation back whose request was not sent. */
  release(number: number): Promise<void>
  /** Reservations of crashed processes. */
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

/** Prices are sums of floating point numbers. */
const tolerance = 1e-9

export interface BudgetOptions {
  limitCents: number
  spentCents: number
  /** Reservations of results. */
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

/** The reservations of a work that were not given back, in cents by number. */
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
