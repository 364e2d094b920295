/** Many rows in few statements. */
import { CompiledQuery } from 'kysely'
import type { Engine, Queries } from './database.ts'

/** What inserts many rows of a table by statements that are made once: building a query at each write costs more than it. */
export interface RowInsert {
  table: string
  columns: readonly string[]
  /** Columns that Postgres takes as another type than text. */
  types?: Readonly<Record<string, string>>
  /** What happens to a row that is there, behind `on conflict`; without it such a row is an error. */
  onConflict?: string
}

/** Rows one behind another, a value for each column. */
export type RowValues = readonly (string | number | Buffer | null)[]

/**
 * Rows of one statement, and what is left in a last one: few texts, so that each is made once. A server has more of them
 * at once, since each statement is a round trip.
 */
const statementRows: Readonly<Record<Engine, readonly number[]>> = {
  sqlite: [100, 10],
  postgres: [500, 100, 10],
}

export async function insertRows(
  engine: Engine,
  queries: Queries,
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
