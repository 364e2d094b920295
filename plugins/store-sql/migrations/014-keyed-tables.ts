/**
 * SQLite keeps the rows of a table in the order of their insertion, and its primary key in an index beside them. Rows
 * that are little more than their key are now kept in the order of the key, so a write changes one tree less.
 * https://www.sqlite.org/withoutrowid.html
 */
import { sql } from 'kysely'
import { countTable, type Migration } from '../migrate.ts'

/** Their columns, in the order in which the former tables have them. */
const tables = [
  {
    name: 'document_keys',
    columns: 'kind text not null, key text not null, id text not null',
    key: 'kind, key',
    index: 'document_keys_owner on document_keys (kind, id)',
  },
  {
    name: 'document_attributes',
    columns: `kind text not null, name text not null, value text not null, id text not null,
      organisation_id text, workspace_id text, status text not null`,
    // Also serves as the index by document, which was separate before.
    key: 'kind, id, name, value',
    index: `document_attributes_count on document_attributes
      (kind, name, value, status, workspace_id, organisation_id, id)`,
  },
  {
    name: 'document_counts',
    columns: `kind text not null, organisation_id text not null, workspace_id text not null,
      status text not null, count bigint not null`,
    key: 'kind, organisation_id, workspace_id, status',
    index: null,
  },
]

export const keyedTables: Migration = {
  version: 14,
  name: 'keyed tables',
  part: 'main',
  async countRows(queries, engine) {
    let rows = 0
    if (engine === 'sqlite') for (const { name } of tables) rows += await countTable(queries, name)
    return rows
  },
  async up(queries, engine, advance) {
    if (engine === 'postgres') return
    for (const { name, columns, key, index } of tables) {
      const run = (statement: string) => sql.raw(statement).execute(queries)
      await run(`create table ${name}_new (${columns}, primary key (${key})) without rowid`)
      const copied = await run(`insert into ${name}_new select * from ${name} order by ${key}`)
      await run(`drop table ${name}`)
      await run(`alter table ${name}_new rename to ${name}`)
      if (index !== null) await run(`create index ${index}`)
      advance(Number(copied.numAffectedRows ?? 0))
    }
  },
}
