/** The rows of counters: read together with their reservations, locked by key, and written back completely. */
import type { CounterUse } from '@gateway/contract'
import { type CounterHold, exactAmount } from '@gateway/domain'
import { sql } from 'kysely'
import type { Engine, Queries } from './database.ts'
import { insertRows, type RowInsert } from './rows.ts'
import { chunk } from './values.ts'

export interface StoredCounter {
  use: CounterUse | undefined
  reserved: number
  endsAt: number | null
}

export interface WrittenCounter {
  key: string
  use: CounterUse
  /** The time when its last lease ends; 0 for no lease. */
  leaseEndsAt: number
}

/** More than any window's offset, which is less than its length. */
const bucketsKept = 3

/**
 * On Postgres, makes other transactions with the same keys wait. Keys are ordered so that no two transactions deadlock.
 * Advisory locks rather than row locks, because missing rows must be locked too. SQLite has only one writer at a time
 * anyway.
 * @returns the server's time after the keys are locked
 */
export async function lockCounters(queries: Queries, keys: readonly string[]): Promise<number> {
  return clockOf(
    await sql<ClockRow>`with locked as materialized (
      select pg_advisory_xact_lock(number) from (
        select distinct hashtextextended(key, 0) as number from unnest(${[...keys]}::text[]) as key order by 1
      ) as numbers
    ) select ${clock} as now from (select count(*) from locked) as all_locked`.execute(queries),
  )
}

/** The current time: the server's, if the engine has a server, because processes may have different clocks. */
export async function readClock(queries: Queries): Promise<number> {
  return clockOf(await sql<ClockRow>`select ${clock} as now`.execute(queries))
}

const clock = sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`

interface ClockRow {
  now: number
}

function clockOf({ rows: [row] }: { rows: ClockRow[] }): number {
  if (row === undefined) throw new Error('The server has no clock.')
  return row.now
}

/** The counter of each key. Without a row nothing is used. */
export async function readCounters(
  queries: Queries,
  keys: readonly string[],
  nowMs: number,
): Promise<Map<string, StoredCounter>> {
  const found = new Map<string, StoredCounter>()
  for (const some of chunk(keys)) {
    const rows = await queries
      .selectFrom('counters')
      .select(['key', 'length_ms', 'bucket', 'current', 'previous', 'ends_at'])
      .select((counter) =>
        counter
          .selectFrom('counter_leases')
          .select(({ fn }) => fn.sum<number | null>('counter_leases.amount').as('amount'))
          .whereRef('counter_leases.key', '=', 'counters.key')
          .where('counter_leases.ends_at', '>', nowMs)
          .as('reserved'),
      )
      .where('key', 'in', some)
      .execute()
    for (const { key, length_ms, bucket, current, previous, ends_at, reserved } of rows) {
      const use = { lengthMs: length_ms, bucket, current, previous }
      found.set(key, { use, reserved: exactAmount(reserved ?? 0), endsAt: ends_at })
    }
  }
  return found
}

/** Inserts or replaces the rows. */
export async function writeCounters(
  engine: Engine,
  queries: Queries,
  written: readonly WrittenCounter[],
): Promise<void> {
  await insertRows({ engine, queries }, upsert, written.flatMap(valuesOf))
}

const columns = ['key', 'length_ms', 'bucket', 'current', 'previous', 'ends_at']
const changes = columns.slice(1).map((column) => `${column} = excluded.${column}`)
const upsert: RowInsert = {
  table: 'counters',
  columns,
  onConflict: `(key) do update set ${changes.join(', ')}`,
}

const valuesOf = ({ key, use, leaseEndsAt }: WrittenCounter): (string | number | null)[] => [
  key,
  use.lengthMs,
  use.bucket,
  use.current,
  use.previous,
  use.lengthMs === 0 ? null : Math.max((use.bucket + bucketsKept) * use.lengthMs, leaseEndsAt),
]

/** A reservation of an attempt, as read. */
export interface HeldLease {
  attempt: string
  key: string
  hold: CounterHold
}

/** The reservations of these attempts whose leases have not ended. */
export async function readLeases(
  queries: Queries,
  attempts: readonly string[],
  nowMs: number,
): Promise<HeldLease[]> {
  const held: HeldLease[] = []
  for (const some of chunk(attempts)) {
    const rows = await queries
      .selectFrom('counter_leases')
      .select(['attempt', 'key', 'amount', 'length_ms', 'bucket'])
      .where('attempt', 'in', some)
      .where('ends_at', '>', nowMs)
      .execute()
    for (const { attempt, key, amount, length_ms, bucket } of rows)
      held.push({ attempt, key, hold: { amount, lengthMs: length_ms, bucket } })
  }
  return held
}

/** Deletes all reservations of these attempts. */
export async function deleteLeases(queries: Queries, attempts: readonly string[]): Promise<void> {
  for (const some of chunk(attempts))
    await queries.deleteFrom('counter_leases').where('attempt', 'in', some).execute()
}

export interface WrittenLease {
  attempt: string
  key: string
  amount: number
  use: CounterUse
  endsAt: number
}

/** A reservation that the attempt already has for a key is increased, unless its lease has ended. */
export async function writeLeases(
  queries: Queries,
  leases: readonly WrittenLease[],
  nowMs: number,
): Promise<void> {
  const rows = leases.map(({ key, attempt, amount, use, endsAt }) => {
    return { key, attempt, amount, length_ms: use.lengthMs, bucket: use.bucket, ends_at: endsAt }
  })
  for (const some of chunk(rows)) {
    await queries
      .insertInto('counter_leases')
      .values(some)
      .onConflict((conflict) =>
        conflict.columns(['key', 'attempt']).doUpdateSet(({ ref }) => ({
          amount: sql<number>`excluded.amount
            + case when counter_leases.ends_at > ${nowMs} then counter_leases.amount else 0 end`,
          length_ms: ref('excluded.length_ms'),
          bucket: ref('excluded.bucket'),
          ends_at: ref('excluded.ends_at'),
        })),
      )
      .execute()
  }
}
