/** Why a request failed, also after a good status. */
import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

export const errorCode: Migration = {
  version: 14,
  name: 'error code',
  part: 'log',
  async up(queries) {
    await sql`alter table log_facts add column error_code integer`.execute(queries)
  },
}
