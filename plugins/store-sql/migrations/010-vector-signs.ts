/**
 * One bit for each member of a vector, for a first selection; and the order in which vectors are removed when there are
 * too many.
 */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const vectorSigns: Migration = {
  version: 10,
  name: 'vector-signs',
  part: 'log',
  async up(queries, engine) {
    const { bytes } = typesOf(engine)
    const statements = [
      // No released version has written vectors.
      sql`delete from vectors`,
      sql`alter table vectors add column signs ${bytes}`,
      sql`create index vectors_written on vectors (written_at)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
