/** Documents on SQL. Errors: `conflict`, `precondition_failed`; engine errors are converted at the boundary. */
import type { Documents } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { commitWrites } from './document-commit.ts'
import { createFeed } from './document-feed.ts'
import { listRows } from './document-list.ts'
import { toDocument } from './document-rows.ts'
import { clean } from './values.ts'

/** A commit of this many rows is part of a bulk import. */
const bulkRows = 100
/** After this many rows written in bulk, the statistics are outdated. */
const statisticsRows = 20_000

export interface SqlDocuments extends Documents {
  /** Reads the feed's position for the first time, and later notifies of changes since then. */
  poll(): Promise<void>
  /** Removes old changes from the feed. */
  prune(): Promise<void>
}

export function createDocuments(database: Database): SqlDocuments {
  const { read } = database
  const feed = createFeed(database)
  let unknownRows = 0

  /** After an import, Postgres would use the statistics of an empty table until autovacuum runs. */
  async function refreshStatistics(rows: number): Promise<void> {
    if (database.engine !== 'postgres' || rows < bulkRows) return
    unknownRows += rows
    if (unknownRows < statisticsRows) return
    unknownRows = 0
    await sql`vacuum (analyze) documents, document_attributes`.execute(read)
  }

  return {
    async get(kind, id) {
      const row = await read
        .selectFrom('documents')
        .selectAll()
        .where('kind', '=', kind)
        .where('id', '=', clean(id))
        .executeTakeFirst()
      return row === undefined ? null : toDocument(row)
    },
    async findByKey(kind, key) {
      const row = await read
        .selectFrom('document_keys')
        .innerJoin('documents', (join) =>
          join
            .onRef('documents.kind', '=', 'document_keys.kind')
            .onRef('documents.id', '=', 'document_keys.id'),
        )
        .selectAll('documents')
        .where('document_keys.kind', '=', kind)
        .where('document_keys.key', '=', clean(key))
        .executeTakeFirst()
      return row === undefined ? null : toDocument(row)
    },
    async list(kind, filter, page) {
      const { total, rows } = await listRows(database, { ...page, kind, filter })
      return { total, documents: rows.map(toDocument) }
    },
    async scan(kind, after, limit) {
      let query = read.selectFrom('documents').selectAll().orderBy('kind').orderBy('id').limit(limit)
      if (kind !== null) query = query.where('kind', '=', kind)
      if (after !== null) {
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('kind', 'id'), '>', tuple(after.kind, after.id)),
        )
      }
      return (await query.execute()).map(toDocument)
    },
    async commit(writes) {
      if (writes.length === 0) return []
      const { documents, changes } = await database.write(
        async (queries) => {
          const committed = await commitWrites(database.engine, queries, writes)
          await feed.record(queries, committed.changes)
          return committed
        },
        { lock: 'documents' },
      )
      if (changes.length > 0) feed.tell(changes)
      await refreshStatistics(documents.length)
      return documents
    },
    watch: feed.watch,
    refresh: feed.poll,
    poll: feed.poll,
    prune: feed.prune,
  }
}
