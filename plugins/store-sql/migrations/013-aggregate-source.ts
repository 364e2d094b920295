/** The source of aggregated entries, so that graphs beyond the retention leave out replays. */
import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const aggregateSource: Migration = {
  version: 13,
  name: 'aggregate source',
  part: 'log',
  async up(queries) {
    await sql`alter table log_aggregates add column source integer`.execute(queries)
  },
}
