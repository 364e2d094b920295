/**
 * Adds the columns that are new since the log's tables were created, after the migrations. They are null in earlier
 * entries, and an earlier version of the gateway leaves them out. They have no migration, because one would keep that
 * version from opening the store.
 */
import type { LogColumnKind, LogField } from '@gateway/contract'
import { aggregateFields, columnKind, logFieldNames } from '@gateway/domain'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Engine, Queries } from '../database.ts'
import { typesOf } from '../migrate.ts'

const tables: readonly (readonly [table: string, columns: readonly LogField[]])[] = [
  ['log_facts', logFieldNames],
  ['log_aggregates', aggregateFields],
]

export async function addLogColumns(database: Database): Promise<void> {
  const { engine, read } = database
  if ((await missingColumns(engine, read)).length === 0) return
  // Another process may have added them in the meantime.
  await database.write(
    async (queries) => {
      for (const [table, column] of await missingColumns(engine, queries))
        await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${typeOf(engine, column)}`.execute(
          queries,
        )
    },
    { lock: 'migrations', isDurable: true },
  )
}

async function missingColumns(
  engine: Engine,
  queries: Queries,
): Promise<[table: string, column: LogField][]> {
  const missing: [string, LogField][] = []
  for (const [table, columns] of tables) {
    const present = await columnsOf(engine, queries, table)
    for (const column of columns) if (!present.has(column)) missing.push([table, column])
  }
  return missing
}

async function columnsOf(engine: Engine, queries: Queries, table: string): Promise<ReadonlySet<string>> {
  const query =
    engine === 'postgres'
      ? sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${table}`
      : sql<{ name: string }>`select name from pragma_table_info(${table})`
  return new Set((await query.execute(queries)).rows.map(({ name }) => name))
}

/** Names are stored as numbers. */
function typeOf(engine: Engine, column: LogField): RawBuilder<unknown> {
  const { text, real } = typesOf(engine)
  const integer = sql.raw('integer')
  const types: Readonly<Record<LogColumnKind, RawBuilder<unknown>>> = {
    ...{ name: integer, integer, boolean: integer },
    ...{ text, real },
  }
  return types[columnKind(column)]
}
