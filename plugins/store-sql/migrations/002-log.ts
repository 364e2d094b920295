/** The log of requests; what lists and groups read apart from the bodies. */
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
        workspace_id ${text}, fields ${json} not null)`,
      sql`create index log_entries_created on log_entries (created_at, id)`,
      sql`create index log_entries_organisation on log_entries (organisation_id, created_at, id)`,
      sql`create index log_entries_workspace on log_entries (workspace_id, created_at, id)`,
      sql`create table log_data (id ${text} primary key, data ${text} not null)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
