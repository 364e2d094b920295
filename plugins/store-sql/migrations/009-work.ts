/** Long work in pieces: which process does it, the results so far, and the outgoing messages. */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const work: Migration = {
  version: 9,
  name: 'work',
  part: 'main',
  async up(queries, engine) {
    const { text, serial } = typesOf(engine)
    const statements = [
      sql`create table work_leases (id ${text} primary key, fence bigint not null, ends_at bigint not null)`,
      sql`create table work_results (
        work_id ${text} not null, position bigint not null, data ${text} not null,
        primary key (work_id, position))`,
      sql`create table work_outgoing (
        position ${serial}, id ${text} not null unique, kind ${text} not null, data ${text} not null)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
