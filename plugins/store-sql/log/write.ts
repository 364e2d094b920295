/** Appends entries; names are replaced with numbers in the same transaction. */
import { columnKind, isLogField, logFieldNames } from '@gateway/domain'
import type { Database, Engine } from '../database.ts'
import { insertRows, type RowInsert } from '../rows.ts'
import { removeErased } from './erasures.ts'
import type { LogNames } from './names.ts'
import { idBytes, packText, packTrace } from './packed-texts.ts'
import type { Partitions } from './partitions.ts'
import { contentColumns, contentTexts, factColumns, type PackedEntries } from './rows.ts'

type Value = string | number | Buffer | null

const factInsert: RowInsert = {
  table: 'log_facts',
  columns: factColumns,
  types: { id: 'uuid', metadata: 'jsonb' },
  onConflict: 'do nothing',
}

const contentInsert: RowInsert = {
  table: 'log_contents',
  columns: contentColumns,
  types: { id: 'uuid' },
  onConflict: 'do nothing',
}

export interface WriteEntries {
  database: Database
  names: LogNames
  /** Only on Postgres. */
  partitions: Partitions | null
}

export async function writeEntries(
  { database, names, partitions }: WriteEntries,
  packed: PackedEntries,
  isDurable: boolean,
): Promise<void> {
  const { engine, write } = database
  // Written by `packEntries`.
  const facts = JSON.parse(packed.facts) as (string | number | null)[]
  const keys = keysIn(engine, facts)
  if (keys.length === 0) return
  await partitions?.make(keys.map(({ createdAt }) => createdAt))
  const numbers = await write(
    async (queries) => {
      const found = await names.number(queries, namesIn(facts))
      await insertRows(engine, queries, factInsert, factValues(engine, facts, keys, found))
      await insertRows(engine, queries, contentInsert, contentValues(packed.contents, keys))
      await removeErased(
        { engine, names, queries },
        keys.map(({ createdAt }, row) => ({ id: String(facts[row * width]), createdAt })),
      )
      return found
    },
    { isDurable, sharedLock: 'erasures' },
  )
  names.keep(numbers)
}

/** The key that an entry's rows share. */
interface EntryKey {
  id: string | Buffer
  createdAt: number
}

const width = factColumns.length

function keysIn(engine: Engine, facts: readonly (string | number | null)[]): EntryKey[] {
  return Array.from({ length: facts.length / width }, (_, row) => {
    const id = String(facts[row * width])
    return { id: engine === 'sqlite' ? idBytes(id) : id, createdAt: Number(facts[row * width + 1]) }
  })
}

const nameColumns: ReadonlySet<string> = new Set([
  'organisation_id',
  'workspace_id',
  ...logFieldNames.filter((name) => columnKind(name) === 'name'),
])
const isName = factColumns.map((column) => nameColumns.has(column))

function* namesIn(facts: readonly (string | number | null)[]): Generator<string> {
  for (let at = 0; at < facts.length; at += width) {
    for (let column = 0; column < width; column += 1) {
      const value = facts[at + column]
      if (isName[column] === true && typeof value === 'string') yield value
    }
  }
}

const traceAt = factColumns.indexOf('trace_id')
const isPacked = factColumns.map(
  (column) => isLogField(column) && columnKind(column) === 'text' && column !== 'trace_id',
)

function factValues(
  engine: Engine,
  facts: readonly (string | number | null)[],
  keys: readonly EntryKey[],
  numbers: ReadonlyMap<string, number>,
): Value[] {
  const values: Value[] = [...facts]
  for (let row = 0, at = 0; row < keys.length; row += 1) {
    const id = String(facts[at])
    for (let column = 0; column < width; column += 1, at += 1) {
      const value = facts[at]
      if (typeof value === 'string' && isName[column] === true) values[at] = numbers.get(value) ?? null
      else if (column === traceAt)
        values[at] = packTrace(engine, typeof value === 'string' ? value : null, id)
      else if (isPacked[column] === true && typeof value === 'string') values[at] = packText(engine, value)
    }
    values[row * width] = keys[row]?.id ?? null
  }
  return values
}

/** The rows of entries that have contents; searches do not cover the inner bodies. */
function contentValues(contents: PackedEntries['contents'], keys: readonly EntryKey[]): Value[] {
  const values: Value[] = []
  for (const [row, { id, createdAt }] of keys.entries()) {
    const at = row * contentTexts.length
    const [details = null, request = null, response, transformed = null, original = null] = contents.slice(
      at,
      at + contentTexts.length,
    )
    if (details === null) continue
    const bodies = request === null ? null : `[${request},${response}]`
    const inner = transformed === null && original === null ? null : `[${transformed},${original}]`
    values.push(id, createdAt, details, bodies, inner)
  }
  return values
}
