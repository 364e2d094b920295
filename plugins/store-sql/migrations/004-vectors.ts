/** Vectors: Float32 members as bytes, compared in the program. */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const vectors: Migration = {
  version: 4,
  name: 'vectors',
  part: 'log',
  async up(queries, engine) {
    const { text, bytes } = typesOf(engine)
    const statements = [
      sql`create table vectors (
        collection ${text} not null, id ${text} not null, unit ${bytes} not null, payload ${text} not null,
        expires_at bigint, written_at bigint not null, primary key (collection, id))`,
      sql`create index vectors_expiry on vectors (expires_at)`,
      sql`create index vectors_age on vectors (collection, written_at, id)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
