/** Counters of limits and their reservations. */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const counters: Migration = {
  version: 6,
  name: 'counters',
  part: 'main',
  async up(queries, engine) {
    const { text, real } = typesOf(engine)
    const statements = [
      sql`create table counters (
        key ${text} primary key, length_ms bigint not null, bucket bigint not null,
        current ${real} not null, previous ${real} not null, ends_at bigint)`,
      sql`create index counters_end on counters (ends_at)`,
      sql`create table counter_leases (
        key ${text} not null, attempt ${text} not null, amount ${real} not null,
        length_ms bigint not null, bucket bigint not null, ends_at bigint not null,
        primary key (key, attempt))`,
      sql`create index counter_leases_attempt on counter_leases (attempt)`,
      sql`create index counter_leases_end on counter_leases (ends_at)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
