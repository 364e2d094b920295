/**
 * Counters on SQL, with the arithmetic of the contract. Waiting reservations and settlements share a transaction, so
 * that a burst needs few round trips. On Postgres the server's clock is used, and transactions that share a key wait
 * for each other; on SQLite the caller's clock is used, because all processes run on one machine. Amounts are doubles,
 * exact as described in `counter-use.ts` of the domain.
 */
import type { CounterReading, CounterSnapshots, Counters, ReservationResult } from '@gateway/contract'
import { isOpenWindow, raiseUse, slideUse, takenAmount } from '@gateway/domain'
import {
  deleteLeases,
  lockCounters,
  readClock,
  readCounters,
  readLeases,
  type StoredCounter,
  writeCounters,
  writeLeases,
} from './counter-rows.ts'
import { type CounterStep, createCounterSteps, readingOf } from './counter-steps.ts'
import type { Database, Queries } from './database.ts'
import { groupCalls } from './group-calls.ts'
import { toStoreError } from './guard.ts'
import { clean } from './values.ts'

/**
 * The interface is flat, because each member can be called from another thread. The caller's thread builds a port from
 * it.
 */
export interface SqlCounters extends Omit<Counters, 'snapshots'>, CounterSnapshots {
  /** Removes ended leases and past windows. */
  sweep(nowMs?: number): Promise<void>
}

export interface SqlCountersOptions {
  /** The clock. Default: the server's, if the engine has a server. */
  clock?: 'server' | 'caller'
}

/** The most keys per transaction: each is a lock on Postgres, which has room for a few thousand by default. */
const maxKeys = 256
/** The most steps per transaction, which holds its locks until it ends. */
const maxItems = 1000

export function createCounters(database: Database, options: SqlCountersOptions = {}): SqlCounters {
  const { engine, read, write } = database
  const { clock = engine === 'postgres' ? 'server' : 'caller' } = options
  const timeOf = (queries: Queries, nowMs: number) =>
    clock === 'server' ? readClock(queries) : Promise.resolve(nowMs)

  /** Runs work with exclusive access to these keys. */
  function change<T>(
    keys: readonly string[],
    nowMs: number,
    work: (change: Change) => Promise<T>,
  ): Promise<T> {
    return write(async (queries) => {
      const serverMs = engine === 'postgres' && keys.length > 0 ? await lockCounters(queries, keys) : null
      const now = clock === 'caller' ? nowMs : (serverMs ?? (await readClock(queries)))
      return work({ queries, nowMs: now, stored: await readCounters(queries, keys, now) })
    })
  }

  /** Runs all steps in one transaction, in order. */
  function runSteps(group: readonly CounterStep[]): Promise<readonly Result[]> {
    const keys = [...new Set(group.flatMap(keysOfStep))]
    const latestMs = Math.max(...group.map(({ nowMs }) => nowMs))
    const settled = [...new Set(group.flatMap(({ kind, id }) => (kind === 'settle' ? [id] : [])))]
    return change(keys, latestMs, async ({ queries, nowMs, stored }) => {
      const steps = createCounterSteps(stored, await readLeases(queries, settled, nowMs), nowMs)
      const results = group.map((step) =>
        step.kind === 'reserve' ? steps.reserve(step) : steps.settle(step),
      )
      const { counters, leases } = steps.written()
      await writeCounters(engine, queries, counters)
      await deleteLeases(queries, settled)
      await writeLeases(queries, leases, nowMs)
      return results
    })
  }

  const inGroup = groupCalls<CounterStep, Result>({
    run: runSteps,
    keysOf: keysOfStep,
    maxKeys,
    maxItems,
    failsAll: (error) => toStoreError(error).code === 'store_unavailable',
  })

  return {
    async reserve(id, asked, { leaseMs, nowMs }) {
      const reservations = asked.map((one) => ({ ...one, key: clean(one.key), need: takenAmount(one.need) }))
      const step: CounterStep = { kind: 'reserve', id: clean(id), reservations, leaseMs, nowMs }
      return (await inGroup(step)) as ReservationResult
    },
    async settle(id, given, nowMs) {
      const used = given.map((one) => ({ ...one, key: clean(one.key), amount: takenAmount(one.amount) }))
      return (await inGroup({ kind: 'settle', id: clean(id), used, nowMs })) as CounterReading[]
    },
    async read(keys, nowMs) {
      const now = await timeOf(read, nowMs)
      const stored = await readCounters(read, keysOf(keys).map(clean), now)
      return keys.map(({ key, window }) => readingOf(stored.get(clean(key)), window, now))
    },
    async reset(keys) {
      const cleaned = keys.map(clean)
      await change(cleaned, 0, async ({ queries, stored }) => {
        const written = [...stored].flatMap(([key, { use, endsAt }]) =>
          use === undefined
            ? []
            : [{ key, use: { ...use, current: 0, previous: 0 }, leaseEndsAt: endsAt ?? 0 }],
        )
        await writeCounters(engine, queries, written)
      })
    },
    async seed(budgets) {
      const seeds = budgets.map(({ key, used }) => ({ key: clean(key), used: takenAmount(used) }))
      await change(keysOf(seeds), 0, async ({ queries, stored }) => {
        const written = seeds.map(({ key, used }) => {
          const use = slideUse(stored.get(key)?.use, null, 0)
          return { key, use: { ...use, current: Math.max(use.current, used) }, leaseEndsAt: 0 }
        })
        await writeCounters(engine, queries, written)
      })
    },
    async list(prefix, after, limit) {
      const begin = clean(prefix)
      let query = read
        .selectFrom('counters')
        .select(['key', 'current as used'])
        .where('length_ms', '=', 0)
        .where('key', '>=', begin)
        // No key with this prefix sorts after it; both engines sort by the bytes of UTF-8.
        .where('key', '<', `${begin}\u{10ffff}`)
        .orderBy('key')
        .limit(limit)
      if (after !== null) query = query.where('key', '>', clean(after))
      return query.execute()
    },
    async listWindows(cursor, limit, nowMs) {
      const now = await timeOf(read, nowMs)
      let query = read
        .selectFrom('counters')
        .select(['key', 'length_ms', 'bucket', 'current', 'previous'])
        .where('length_ms', '>', 0)
        .where('ends_at', '>', now)
        .orderBy('key')
        .limit(limit)
      if (cursor !== null) query = query.where('key', '>', cursor)
      const rows = await query.execute()
      const windows = rows
        .map(({ key, length_ms, ...counts }) => ({ key, use: { lengthMs: length_ms, ...counts } }))
        .filter(({ use }) => isOpenWindow(use, now))
      return { windows, next: rows.length < limit ? null : (rows.at(-1)?.key ?? null) }
    },
    async seedWindows(windows) {
      const seeds = windows.map(({ key, use }) => {
        const [current, previous] = [takenAmount(use.current), takenAmount(use.previous)]
        return { key: clean(key), use: { ...use, current, previous } }
      })
      await change(keysOf(seeds), 0, async ({ queries, stored }) => {
        const written = seeds.map(({ key, use }) => {
          const known = stored.get(key)
          return { key, use: raiseUse(known?.use, use), leaseEndsAt: known?.endsAt ?? 0 }
        })
        await writeCounters(engine, queries, written)
      })
    },
    async sweep(nowMs = Date.now()) {
      await write(async (queries) => {
        const now = await timeOf(queries, nowMs)
        await queries.deleteFrom('counter_leases').where('ends_at', '<=', now).execute()
        await queries.deleteFrom('counters').where('ends_at', '<=', now).execute()
      })
    },
    async load(keys) {
      const stored = await readCounters(read, keys.map(clean), 0)
      return keys.map((key) => stored.get(clean(key))?.use)
    },
    async save(uses) {
      await write((queries) =>
        writeCounters(
          engine,
          queries,
          uses.map(({ key, use }) => ({ key: clean(key), use, leaseEndsAt: 0 })),
        ),
      )
    },
  }
}

/** The result of a reservation, or the readings of a settlement. */
type Result = ReservationResult | CounterReading[]

interface Change {
  queries: Queries
  nowMs: number
  stored: Map<string, StoredCounter>
}

function keysOfStep(step: CounterStep): string[] {
  return keysOf(step.kind === 'reserve' ? step.reservations : step.used)
}

function keysOf(items: readonly { key: string }[]): string[] {
  return items.map(({ key }) => key)
}
