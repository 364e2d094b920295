/**
 * Keeps erased entries erased: a call made before an erasure may be written after it, because it waited in the queue of
 * another process or was still running. Each erasure is stored for a day, and applied in the transaction that writes
 * such an entry. Entries added through the API are not affected, because they may describe an earlier time.
 */
import type { LogFilter } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { integer } from '../values.ts'
import { type ConditionOptions, conditionsOf } from './conditions.ts'
import { removeFacts } from './remove-facts.ts'

/** The longest expected duration of a call. */
const rememberedMs = 86_400_000

/**
 * Stored before anything is removed. On Postgres it waits for running batches: later ones find the erasure, and the
 * erasure finds the entries of the others.
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

/** Removes those of the entries just written that an earlier erasure covers. */
export async function removeErased(
  options: ConditionOptions,
  entries: readonly { id: string; createdAt: number }[],
): Promise<void> {
  const { engine, queries, names } = options
  const oldest = entries.reduce((least, { createdAt }) => Math.min(least, createdAt), Number.MAX_SAFE_INTEGER)
  const { rows } = await sql<{ filter: string; erased_at: number }>`select filter, erased_at from log_erasures
    where erased_at >= ${oldest}`.execute(queries)
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
