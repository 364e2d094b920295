/** Removes facts with their contents. */
import { sql } from 'kysely'
import type { Engine, Queries } from '../database.ts'
import { all, type Condition } from './conditions.ts'

export async function removeFacts(
  engine: Engine,
  queries: Queries,
  conditions: readonly Condition[],
): Promise<void> {
  const key = engine === 'sqlite' ? sql`id` : sql`(created_at, id)`
  const selected = engine === 'sqlite' ? sql`id` : sql`created_at, id`
  await sql`delete from log_contents where ${key} in
    (select ${selected} from log_facts where ${all(conditions)})`.execute(queries)
  await sql`delete from log_facts where ${all(conditions)}`.execute(queries)
}
