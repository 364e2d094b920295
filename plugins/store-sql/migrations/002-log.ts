/**
 * The log of requests. Every index makes each write slower, so there are only those that lists need. Bodies are the
 * last column of the row.
 */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const log: Migration = {
  version: 2,
  name: 'log',
  part: 'log',
  async up(queries, engine) {
    const { text, json } = typesOf(engine)
    const statements = [
      sql`create table log_entries (
        id ${text} primary key, created_at bigint not null, organisation_id ${text} not null,
        workspace_id ${text}, fields ${json} not null, data ${text} not null)`,
      sql`create index log_entries_created on log_entries (created_at, id)`,
      sql`create index log_entries_workspace on log_entries (workspace_id, created_at, id)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
