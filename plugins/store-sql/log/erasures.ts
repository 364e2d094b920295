/**
 * What was erased stays erased: a call that was made before an erasure may be written behind it, because it waited in the
 * queue of another process or had not ended. Each erasure is remembered for a day, and what it would have removed is
 * removed in the transaction that writes it. Entries that somebody adds are left alone: they may tell of an earlier time.
 */
import type { LogFilter } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { type ConditionOptions, conditionsOf, integer } from './conditions.ts'
import { removeFacts } from './remove-facts.ts'

/** The longest that a call is expected to take. */
const rememberedMs = 86_400_000

/**
 * Kept before anything is removed. On Postgres, batches that have begun are waited for: those that begin later find the
 * erasure, and the entries of the others are found by it.
 */
export function recordErasure({ write }: Database, filter: LogFilter, nowMs: number): Promise<void> {
  return write(
    async (queries) => {
      await sql`insert into log_erasures (filter, erased_at) values (${JSON.stringify(filter)}, ${integer(nowMs)})
        on conflict (filter) do update set erased_at = excluded.erased_at`.execute(queries)
    },
    { lock: 'erasures', isDurable: true },
  )
}

/** Removes those of the entries, which were just written, that were erased before. */
export async function removeErased(
  options: ConditionOptions,
  entries: readonly { id: string; createdAt: number }[],
): Promise<void> {
  const { engine, queries, names } = options
  const oldest = entries.reduce((least, { createdAt }) => Math.min(least, createdAt), Number.MAX_SAFE_INTEGER)
  const { rows } = await sql<{ filter: string; erased_at: number }>`select filter, erased_at from log_erasures
    where erased_at >= ${integer(oldest)}`.execute(queries)
  for (const { filter, erased_at } of rows) {
    const added = (await names.find(queries, ['custom'])).get('custom') ?? -1
    const ids = entries.filter(({ createdAt }) => createdAt <= erased_at).map(({ id }) => id)
    // Written by `recordErasure`.
    const conditions = await conditionsOf({ ...(JSON.parse(filter) as LogFilter), ids }, options)
    await removeFacts(engine, queries, [...conditions, sql`coalesce(source, 0) <> ${integer(added)}`])
  }
}

export async function forgetErasures({ write }: Database, nowMs: number): Promise<void> {
  await write(async (queries) => {
    await sql`delete from log_erasures where erased_at < ${integer(nowMs - rememberedMs)}`.execute(queries)
  })
}
