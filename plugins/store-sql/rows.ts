/** Many rows in few statements. */
import type { Insertable } from 'kysely'
import type { Queries } from './database.ts'
import type { Schema } from './schema.ts'

/** Rows of a statement: both engines bound its parameters (SQLite to 32,766), and no table has more than 20 columns. */
const chunkSize = 500

export function chunk<T>(items: readonly T[], size = chunkSize): T[][] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}

/** Inserts them all; a row that is there already is an error. */
export async function insertAll<Table extends keyof Schema & string>(
  queries: Queries,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
): Promise<void> {
  for (const some of chunk(rows)) await queries.insertInto(table).values(some).execute()
}
