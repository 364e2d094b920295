/** Erasures of the log, for entries that another process has yet to write (see `log/erasures.ts`). */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const logErasures: Migration = {
  version: 12,
  name: 'log erasures',
  part: 'log',
  async up(queries, engine) {
    const { text } = typesOf(engine)
    await sql`create table log_erasures (filter ${text} primary key, erased_at bigint not null)`.execute(
      queries,
    )
  },
}
