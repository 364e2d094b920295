/**
 * Usage that a process could not deliver to the shared counters before it stopped, kept in the store until another
 * process delivers it. Each part has an id under which it counts once, so an interrupted delivery is repeated as a whole.
 */
import type { Counters, Work } from '@gateway/contract'
import { chargesOnce } from '@gateway/domain'
import type { OwedUsage } from './hand-over.ts'
import { deliver, leaseMs } from './waiting-settlements.ts'

export interface KeptUsage {
  /** Errors: `store_unavailable`. */
  keep(owed: OwedUsage): Promise<void>
  /** Delivers the kept usage of all processes. Errors: `dependency_unavailable`, `store_unavailable`; it stays kept. */
  deliver(): Promise<void>
}

/** One work item holds all kept usage; the process with its lease adds to it or delivers it. */
const workId = 'undelivered-usage'
const workLeaseMs = 60_000
const acquireTries = 50
const acquireAgainMs = 100
/** Settlements or charges in one row. */
const rowSize = 200
const rowsPerLease = 10_000

/** @param counters the shared counters, without a fallback */
export function createKeptUsage(work: Work, counters: Counters): KeptUsage {
  async function acquire(): Promise<number> {
    for (let tries = 1; tries <= acquireTries; tries += 1) {
      const fence = await work.acquire(workId, workLeaseMs, Date.now())
      if (fence !== null) return fence
      await new Promise((resolve) => setTimeout(resolve, acquireAgainMs))
    }
    throw new Error('Another process holds the undelivered usage.')
  }

  async function tell({ settlements, charges }: OwedUsage): Promise<void> {
    await Promise.all([
      ...settlements.map((settlement) => deliver(counters, settlement)),
      ...charges.map(({ id, used }) =>
        counters.reserve(id, chargesOnce(id, used), { leaseMs, nowMs: Date.now() }),
      ),
    ])
  }

  return {
    async keep({ settlements, charges }) {
      const owed: OwedUsage[] = [
        ...inRows(settlements).map((some) => ({ settlements: some, charges: [] })),
        ...inRows(charges).map((some) => ({ settlements: [], charges: some })),
      ]
      if (owed.length === 0) return
      const fence = await acquire()
      const rows = owed.slice(0, rowsPerLease).map((each, index) => ({
        position: fence * rowsPerLease + index,
        data: JSON.stringify(each),
        outgoing: [],
      }))
      await work.commit(workId, fence, rows)
      await work.release(workId, fence)
    },
    async deliver() {
      if ((await work.results(workId, -1, 1)).length === 0) return
      const fence = await work.acquire(workId, workLeaseMs, Date.now())
      if (fence === null) return
      try {
        let after = -1
        for (;;) {
          const [row] = await work.results(workId, after, 1)
          if (row === undefined) break
          await tell(JSON.parse(row.data) as OwedUsage)
          after = row.position
          if (!(await work.renew(workId, fence, { ttlMs: workLeaseMs, nowMs: Date.now() }))) return
        }
        await work.clear(workId)
      } finally {
        await work.release(workId, fence)
      }
    },
  }
}

function inRows<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / rowSize) }, (_, index) =>
    all.slice(index * rowSize, (index + 1) * rowSize),
  )
}
