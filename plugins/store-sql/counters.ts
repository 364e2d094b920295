/**
 * Counters on SQL: one transaction for each step, with the arithmetic of the contract. On Postgres the server's clock
 * counts, and steps that share a key wait for each other; on SQLite it is the caller's clock, since all processes are
 * on one machine. Amounts are doubles, exact as `counter-use.ts` in the contract says.
 */
import type { CounterReading, CounterSnapshots, Counters, CounterWindow } from '@gateway/contract'
import {
  addUse,
  admitsReservation,
  exactAmount,
  readUse,
  settleUse,
  slideUse,
  takenAmount,
} from '@gateway/core/domain'
import {
  lockCounters,
  readClock,
  readCounters,
  type StoredCounter,
  type WrittenCounter,
  type WrittenLease,
  writeCounters,
  writeLeases,
} from './counter-rows.ts'
import type { Database, Queries } from './database.ts'
import { clean } from './document-rows.ts'

/** Flat, so that each member can be called from another thread; a port is made of it where it is called. */
export interface SqlCounters extends Omit<Counters, 'snapshots'>, CounterSnapshots {
  /** Removes leases that have ended and windows that have passed. */
  sweep(nowMs?: number): Promise<void>
}

export interface SqlCountersOptions {
  /** Whose time counts; default: the server's where there is one. */
  clock?: 'server' | 'caller'
}

export function createCounters(database: Database, options: SqlCountersOptions = {}): SqlCounters {
  const { engine, read, write } = database
  const { clock = engine === 'postgres' ? 'server' : 'caller' } = options
  const timeOf = (queries: Queries, nowMs: number) =>
    clock === 'server' ? readClock(queries) : Promise.resolve(nowMs)

  /** A step on these keys, alone on them. */
  function step<T>(keys: readonly string[], nowMs: number, work: (step: Step) => Promise<T>): Promise<T> {
    return write(async (queries) => {
      await lockCounters(engine, queries, keys)
      const now = await timeOf(queries, nowMs)
      return work({ queries, nowMs: now, stored: await readCounters(queries, keys, now) })
    })
  }

  return {
    async reserve(id, asked, leaseMs, nowMs) {
      const attempt = clean(id)
      const reservations = asked.map((one) => ({ ...one, key: clean(one.key), need: takenAmount(one.need) }))
      return step(keysOf(reservations), nowMs, async ({ queries, nowMs, stored }) => {
        const before = reservations.map((one) => {
          const reading = readingOf(stored.get(one.key), one.window, nowMs)
          return { ...reading, isAdmitted: admitsReservation(one, reading) }
        })
        if (!before.every(({ isAdmitted }) => isAdmitted)) return { isAdmitted: false, readings: before }
        const endsAt = Math.ceil(nowMs + leaseMs)
        const counters: WrittenCounter[] = []
        const leases: WrittenLease[] = []
        const readings = reservations.map(({ key, window, need, takes }) => {
          const known = stored.get(key)
          const slid = slideUse(known?.use, window, nowMs)
          const use = takes === 'use' ? addUse(slid, need) : slid
          const reserved = (known?.reserved ?? 0) + (takes === 'hold' ? need : 0)
          const leaseEndsAt = Math.max(known?.endsAt ?? 0, takes === 'hold' ? endsAt : 0)
          counters.push({ key, use, leaseEndsAt })
          if (takes === 'hold') leases.push({ key, amount: need, use })
          return { ...readingOf({ use, reserved, endsAt: null }, window, nowMs), isAdmitted: true }
        })
        await writeCounters(engine, queries, counters)
        await writeLeases(queries, attempt, leases, endsAt, nowMs)
        return { isAdmitted: true, readings }
      })
    },
    async settle(id, used, nowMs) {
      const named = used.map((one) => ({ ...one, key: clean(one.key), amount: takenAmount(one.amount) }))
      return step(keysOf(named), nowMs, async ({ queries, nowMs, stored }) => {
        const leases = await queries
          .deleteFrom('counter_leases')
          .where('attempt', '=', clean(id))
          .where('ends_at', '>', nowMs)
          .returning(['key', 'amount', 'length_ms', 'bucket'])
          .execute()
        const counters: WrittenCounter[] = []
        const readings = named.map(({ key, window, amount }) => {
          const known = stored.get(key)
          const lease = leases.find((one) => one.key === key)
          if (lease === undefined) return readingOf(known, window, nowMs)
          const hold = { amount: lease.amount, lengthMs: lease.length_ms, bucket: lease.bucket }
          const use = settleUse(slideUse(known?.use, window, nowMs), hold, amount)
          counters.push({ key, use, leaseEndsAt: known?.endsAt ?? 0 })
          const reserved = (known?.reserved ?? 0) - lease.amount
          return readingOf({ use, reserved, endsAt: null }, window, nowMs)
        })
        await writeCounters(engine, queries, counters)
        return readings
      })
    },
    async read(keys, nowMs) {
      const now = await timeOf(read, nowMs)
      const stored = await readCounters(read, keysOf(keys).map(clean), now)
      return keys.map(({ key, window }) => readingOf(stored.get(clean(key)), window, now))
    },
    async reset(keys) {
      const cleaned = keys.map(clean)
      await step(cleaned, 0, async ({ queries, stored }) => {
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
      await step(keysOf(seeds), 0, async ({ queries, stored }) => {
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
        // Nothing that begins so comes behind it; both engines order by the bytes of UTF-8.
        .where('key', '<', `${begin}\u{10ffff}`)
        .orderBy('key')
        .limit(limit)
      if (after !== null) query = query.where('key', '>', clean(after))
      return query.execute()
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

interface Step {
  queries: Queries
  nowMs: number
  stored: Map<string, StoredCounter>
}

function keysOf(items: readonly { key: string }[]): string[] {
  return items.map(({ key }) => key)
}

function readingOf(
  counter: StoredCounter | undefined,
  window: CounterWindow | null,
  nowMs: number,
): CounterReading {
  const used = readUse(slideUse(counter?.use, window, nowMs), window, nowMs)
  return { used, reserved: exactAmount(counter?.reserved ?? 0) }
}
