/** Appends entries: names are numbered in the same transaction. */
import { logColumns, logFieldNames } from '@gateway/core/domain'
import type { Database } from '../database.ts'
import { insertRows, type RowInsert } from '../rows.ts'
import { idBytes } from './conditions.ts'
import type { LogNames } from './names.ts'
import type { Partitions } from './partitions.ts'
import type { EntryRow } from './rows.ts'

type Value = string | number | Buffer | null

const factInsert: RowInsert = {
  table: 'log_facts',
  columns: [
    'id',
    'created_at',
    'organisation_id',
    'workspace_id',
    ...logFieldNames,
    'latency_bin',
    'metadata',
  ],
  types: { id: 'uuid', metadata: 'jsonb' },
  onConflict: 'do nothing',
}

const contentInsert: RowInsert = {
  table: 'log_contents',
  columns: ['id', 'created_at', 'details', 'bodies', 'inner_bodies'],
  types: { id: 'uuid' },
  onConflict: 'do nothing',
}

export interface WriteEntries {
  database: Database
  names: LogNames
  /** On Postgres. */
  partitions: Partitions | null
}

export async function writeEntries(
  { database, names, partitions }: WriteEntries,
  rows: readonly EntryRow[],
  isDurable: boolean,
): Promise<void> {
  const { engine, write } = database
  await partitions?.make(rows.map(({ created_at }) => created_at))
  const numbers = await write(
    async (queries) => {
      const found = await names.number(queries, namesIn(rows))
      const facts = rows.flatMap((row) => factValues(engine === 'sqlite', row, found))
      await insertRows(engine, queries, factInsert, facts)
      const contents = rows.flatMap((row): Value[] => [
        engine === 'sqlite' ? idBytes(row.id) : row.id,
        row.created_at,
        row.details,
        row.bodies,
        row.inner_bodies,
      ])
      await insertRows(engine, queries, contentInsert, contents)
      return found
    },
    { isDurable },
  )
  names.keep(numbers)
}

const isName = logFieldNames.map((name) => logColumns[name] === 'name')

function* namesIn(rows: readonly EntryRow[]): Generator<string> {
  for (const { organisation_id, workspace_id, values } of rows) {
    yield organisation_id
    if (workspace_id !== null) yield workspace_id
    for (const [index, value] of values.entries())
      if (isName[index] === true && typeof value === 'string') yield value
  }
}

function factValues(isSqlite: boolean, row: EntryRow, numbers: ReadonlyMap<string, number>): Value[] {
  const numberOf = (name: string | null) => (name === null ? null : (numbers.get(name) ?? null))
  return [
    isSqlite ? idBytes(row.id) : row.id,
    row.created_at,
    numberOf(row.organisation_id),
    numberOf(row.workspace_id),
    ...row.values.map((value, index) =>
      isName[index] === true && typeof value === 'string' ? numberOf(value) : value,
    ),
    row.latency_bin,
    row.metadata,
  ]
}
