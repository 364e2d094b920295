/** Small state that processes share without Redis: cache entries, counters and leases with an expiry, messages. */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const shared: Migration = {
  version: 5,
  name: 'shared',
  part: 'main',
  async up(queries, engine) {
    const { text, bytes, serial } = typesOf(engine)
    const statements = [
      sql`create table cache_entries (
        key ${text} primary key, value ${bytes} not null, is_text integer not null, ends_at bigint)`,
      sql`create index cache_entries_end on cache_entries (ends_at)`,
      sql`create table shared_entries (key ${text} primary key, count bigint not null, ends_at bigint not null)`,
      sql`create index shared_entries_end on shared_entries (ends_at)`,
      sql`create table messages (
        position ${serial}, topic ${text} not null, message ${text} not null,
        created_at bigint not null)`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
