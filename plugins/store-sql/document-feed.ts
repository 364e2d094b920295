/**
 * The change feed: polls a table for other processes' writes. Every process has its own position. If the following rows
 * are already removed, it is notified that it may have missed changes.
 */
import { randomUUID } from 'node:crypto'
import type { DocumentChange } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database, Queries } from './database.ts'
import type { Change } from './document-commit.ts'
import { insertRows, type RowInsert } from './rows.ts'

type Listener = (changes: readonly DocumentChange[]) => void

export interface Feed {
  /** Adds changes to the table, in the transaction that writes the documents. */
  record(queries: Queries, changes: readonly Change[]): Promise<void>
  /** Notifies the listeners of this process. */
  tell(changes: readonly Change[]): void
  watch(listener: Listener): () => void
  /** Reads what other processes have written since the last poll. */
  poll(): Promise<void>
  /** Removes changes older than an hour, or beyond a hundred thousand. */
  prune(): Promise<void>
}

const changeInsert: RowInsert = {
  table: 'document_changes',
  columns: ['kind', 'id', 'organisation_id', 'workspace_id', 'origin', 'created_at'],
}
const keptMs = 3_600_000
const keptChanges = 100_000
/** With more changes than this at once, invalidating everything is cheaper. */
const pollLimit = 1000

export function createFeed(database: Database, now: () => number = Date.now): Feed {
  const origin = randomUUID()
  const listeners = new Set<Listener>()
  /** The last revision read. Null before the first poll. */
  let place: number | null = null
  let polling: Promise<void> | null = null

  function tell(changes: readonly DocumentChange[]): void {
    for (const listener of [...listeners]) listener(changes)
  }

  async function readNew(): Promise<void> {
    const { read } = database
    const newest = await read
      .selectFrom('document_changes')
      .select(sql<number>`coalesce(max(revision), 0)`.as('revision'))
      .executeTakeFirstOrThrow()
    const { revision: pruned } = await read
      .selectFrom('document_changes_pruned')
      .select('revision')
      .executeTakeFirstOrThrow()
    const last = Math.max(newest.revision, pruned)
    const from = place
    place = last
    if (from === null || last === from) return
    if (pruned > from) return tell([])
    const rows = await read
      .selectFrom('document_changes')
      .select(['kind', 'id', 'organisation_id', 'workspace_id'])
      .where('revision', '>', from)
      .where('revision', '<=', last)
      .where('origin', '!=', origin)
      .orderBy('revision')
      .limit(pollLimit + 1)
      .execute()
      .catch((error: unknown) => {
        place = from
        throw error
      })
    if (rows.length > pollLimit) tell([])
    else if (rows.length > 0) tell(rows)
  }

  return {
    async record(queries, changes) {
      const created_at = now()
      const values = changes.flatMap(({ kind, id, organisation_id, workspace_id }) => [
        ...[kind, id, organisation_id, workspace_id],
        ...[origin, created_at],
      ])
      await insertRows({ engine: database.engine, queries }, changeInsert, values)
    },
    tell,
    watch(listener) {
      // Wrapped, so that one function can watch twice.
      const own: Listener = (changes) => listener(changes)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    poll() {
      // A caller during a poll gets the result of the next one, because the current poll may have begun before the
      // caller's change.
      const next = (polling ?? Promise.resolve()).catch(() => undefined).then(readNew)
      polling = next
      return next
    },
    async prune() {
      await database.write(
        async (queries) => {
          const { revision } = await queries
            .selectFrom('document_changes')
            .select(sql<number>`coalesce(max(revision), 0)`.as('revision'))
            .executeTakeFirstOrThrow()
          const old = await queries
            .selectFrom('document_changes')
            .select(sql<number>`coalesce(max(revision), 0)`.as('revision'))
            .where((where) =>
              where.or([
                where('created_at', '<', now() - keptMs),
                where('revision', '<=', revision - keptChanges),
              ]),
            )
            .executeTakeFirstOrThrow()
          if (old.revision === 0) return
          await queries.deleteFrom('document_changes').where('revision', '<=', old.revision).execute()
          await queries.updateTable('document_changes_pruned').set({ revision: old.revision }).execute()
        },
        { lock: 'documents' },
      )
    },
  }
}
