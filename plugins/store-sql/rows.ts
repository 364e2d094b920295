/** Writes many rows with few statements. */
import { CompiledQuery } from 'kysely'
import type { Engine, EngineQueries } from './database.ts'

/**
 * Inserts many rows of a table with statements that are built once, because building a query costs more than running
 * it.
 */
export interface RowInsert {
  table: string
  columns: readonly string[]
  /** Columns that Postgres does not accept as text. */
  types?: Readonly<Record<string, string>>
  /** The clause after `on conflict` for existing rows; without it an existing row is an error. */
  onConflict?: string
}

/** The concatenated values of the rows, one value per column. */
export type RowValues = readonly (string | number | Buffer | null)[]

/**
 * The sizes of statements, and of the last ones for the remaining rows: only a few distinct texts, so that each is
 * built once. Larger for a server, because each statement is a round trip.
 */
const statementRows: Readonly<Record<Engine, readonly number[]>> = {
  sqlite: [100, 10],
  postgres: [500, 100, 10],
}

export async function insertRows(
  { engine, queries }: EngineQueries,
  insert: RowInsert,
  values: RowValues,
): Promise<void> {
  const width = insert.columns.length
  for (let at = 0; at < values.length; ) {
    const left = (values.length - at) / width
    const count = statementRows[engine].find((size) => size <= left) ?? left
    const own = values.slice(at, at + count * width)
    await queries.executeQuery(CompiledQuery.raw(insertText(engine, insert, count), own))
    at += count * width
  }
}

const texts = new WeakMap<RowInsert, Map<string, string>>()

function insertText(engine: Engine, insert: RowInsert, count: number): string {
  const made = texts.get(insert) ?? new Map<string, string>()
  texts.set(insert, made)
  const name = `${engine} ${count}`
  const text = made.get(name) ?? writeText(engine, insert, count)
  made.set(name, text)
  return text
}

function writeText(engine: Engine, { table, columns, types, onConflict }: RowInsert, count: number): string {
  const typeOf = (column: string) => (types?.[column] === undefined ? '' : `::${types[column]}`)
  const row = (index: number) => {
    const first = index * columns.length + 1
    const parameters = columns.map((column, at) =>
      engine === 'sqlite' ? '?' : `$${first + at}${typeOf(column)}`,
    )
    return `(${parameters.join(', ')})`
  }
  const rows = Array.from({ length: count }, (_, index) => row(index))
  const behind = onConflict === undefined ? '' : ` on conflict ${onConflict}`
  return `insert into ${table} (${columns.join(', ')}) values ${rows.join(', ')}${behind}`
}
