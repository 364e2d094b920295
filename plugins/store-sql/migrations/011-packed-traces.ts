/**
 * A trace id that equals its entry's id becomes null, which halves the index. On SQLite, trace and span ids that are
 * UUIDs also take sixteen bytes instead of 36, and an entry without details or bodies has no row of contents (see
 * `log/packed-texts.ts`). Postgres keeps older entries unchanged, because rewriting them would double its tables.
 */
import { sql } from 'kysely'
import type { Queries } from '../database.ts'
import { countTable, type Migration } from '../migrate.ts'

const uuid = [8, 4, 4, 4, 12].map((digits) => '[0-9a-f]'.repeat(digits)).join('-')
const isUuid = (column: string) => sql`${sql.ref(column)} glob ${sql.lit(uuid)}`
const packed = (column: string) => sql`unhex(replace(${sql.ref(column)}, '-', ''))`

/** After the first id and up to the second. Null: no bound. */
type Range = readonly [after: Buffer | null, last: Buffer | null]

const within = ([after, last]: Range) =>
  sql`${after === null ? sql`true` : sql`id > ${after}`} and ${last === null ? sql`true` : sql`id <= ${last}`}`

/** The statements for one page of entries. */
const ofPage = (range: Range) => [
  sql`update log_facts set trace_id = case when trace_id is null then x''
    else nullif(${packed('trace_id')}, id) end
    where ${within(range)} and (trace_id is null or ${isUuid('trace_id')})`,
  ...['span_id', 'parent_span_id'].map(
    (column) =>
      sql`update log_facts set ${sql.ref(column)} = ${packed(column)} where ${within(range)} and ${isUuid(column)}`,
  ),
  sql`delete from log_contents
    where ${within(range)} and details = '{}' and bodies is null and inner_bodies is null`,
]

const pageRows = 10_000

/** The last id of the page that begins after this id. Null if fewer entries are left. */
async function lastOfPage(queries: Queries, after: Buffer | null): Promise<Buffer | null> {
  const { rows } = await sql<{ id: Buffer }>`select id from log_facts where ${within([after, null])}
    order by id limit 1 offset ${sql.lit(pageRows - 1)}`.execute(queries)
  return rows[0]?.id ?? null
}

async function packEntries(queries: Queries, advance: (rows: number) => void): Promise<void> {
  let after: Buffer | null = null
  do {
    const last = await lastOfPage(queries, after)
    for (const statement of ofPage([after, last])) await statement.execute(queries)
    advance(pageRows)
    after = last
  } while (after !== null)
}

export const packedTraces: Migration = {
  version: 11,
  name: 'packed traces',
  part: 'log',
  countRows: async (queries, engine) => (engine === 'sqlite' ? countTable(queries, 'log_facts') : 0),
  async up(queries, engine, advance) {
    await sql`drop index log_facts_trace`.execute(queries)
    if (engine === 'sqlite') {
      await packEntries(queries, advance)
      await sql`update log_feedback set trace_id = ${packed('trace_id')} where ${isUuid('trace_id')}`.execute(
        queries,
      )
    } else await sql`update log_facts set trace_id = '' where trace_id is null`.execute(queries)
    await sql`create index log_facts_trace on log_facts (trace_id) where trace_id is not null`.execute(
      queries,
    )
  },
}
