/**
 * A trace that has its entry's id is null, so that the index is half as large. On SQLite, trace and span ids that are UUIDs
 * also take sixteen bytes in place of 36, and an entry without details or bodies has no row of contents (see
 * `log/packed-texts.ts`). Postgres keeps former entries as they were: writing them anew would double its tables.
 */
import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

const uuid = [8, 4, 4, 4, 12].map((digits) => '[0-9a-f]'.repeat(digits)).join('-')
const isUuid = (column: string) => sql`${sql.ref(column)} glob ${sql.lit(uuid)}`
const packed = (column: string) => sql`unhex(replace(${sql.ref(column)}, '-', ''))`

const onSqlite = [
  sql`update log_facts set trace_id = case when trace_id is null then x''
    else nullif(${packed('trace_id')}, id) end where trace_id is null or ${isUuid('trace_id')}`,
  ...['span_id', 'parent_span_id'].map(
    (column) => sql`update log_facts set ${sql.ref(column)} = ${packed(column)} where ${isUuid(column)}`,
  ),
  sql`update log_feedback set trace_id = ${packed('trace_id')} where ${isUuid('trace_id')}`,
  sql`delete from log_contents where details = '{}' and bodies is null and inner_bodies is null`,
]

const onPostgres = [sql`update log_facts set trace_id = '' where trace_id is null`]

export const packedTraces: Migration = {
  version: 11,
  name: 'packed traces',
  part: 'log',
  async up(queries, engine) {
    const statements = [
      sql`drop index log_facts_trace`,
      ...(engine === 'sqlite' ? onSqlite : onPostgres),
      sql`create index log_facts_trace on log_facts (trace_id) where trace_id is not null`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
